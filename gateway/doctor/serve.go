package doctor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// What Serve sends, and Examine expects.
const (
	// Path is the gateway's route to Serve, for POST.
	Path = "/v1/doctor"
	// MaxQuiet bounds how long a stream may be asked to be silent.
	MaxQuiet = 2 * time.Minute
	// MaxBody is the size in bytes that the gateway accepts and a proxy must let through.
	MaxBody = 1 << 20

	ticks     = 10
	tickEvery = 100 * time.Millisecond
	// beatAfter is how long after the last tick the heartbeat is sent.
	beatAfter = time.Second

	eventSeen = "seen"
	eventTick = "tick"
	eventEnd  = "end"
	heartbeat = "heartbeat"
)

// seen is what reached the gateway.
type seen struct {
	Protocol      string `json:"protocol"`      // of the last hop, such as HTTP/1.1
	Bytes         int    `json:"bytes"`         // of the body
	LastEventID   string `json:"lastEventId"`   // the header's value, cut at 64 bytes
	Authorization bool   `json:"authorization"` // whether there was one; its value stays secret
}

const maxEventID = 64

// Serve streams an examination whose silence lasts for quiet, until ctx ends. The
// request's body has been read and had so many bytes.
func Serve(ctx context.Context, w http.ResponseWriter, r *http.Request, bytes int, quiet time.Duration) {
	// The silence is on purpose: no heartbeat except the one below.
	s := sse.NewWriter(w, sse.Options{Heartbeat: 2 * MaxQuiet})
	defer s.Close()
	id := r.Header.Get("Last-Event-ID")
	facts, err := json.Marshal(seen{
		Protocol: r.Proto, Bytes: bytes, LastEventID: strings.ToValidUTF8(id[:min(len(id), maxEventID)], ""),
		Authorization: r.Header.Get("Authorization") != "",
	})
	if err != nil { // strings, a number and a boolean marshal
		panic(err)
	}
	send := func(name string, data []byte) func() error {
		return func() error { return s.Write(sse.AppendEvent(nil, "", name, data)) }
	}
	steps := []step{{0, send(eventSeen, facts)}}
	for range ticks {
		steps = append(steps, step{tickEvery, send(eventTick, []byte("{}"))})
	}
	steps = append(steps,
		step{beatAfter, func() error { return s.Comment(heartbeat) }},
		step{quiet, send(eventEnd, []byte("{}"))},
	)
	for _, step := range steps {
		select {
		case <-time.After(step.after):
		case <-ctx.Done():
			return
		}
		if step.send() != nil {
			return // the client has seen enough
		}
	}
}

type step struct {
	after time.Duration
	send  func() error
}
