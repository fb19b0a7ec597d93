package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// arrivals is what arrived of a stream of Serve, and when.
type arrivals struct {
	asked     time.Time // the request was sent
	headers   time.Time
	seen      *seen
	ticks     []time.Time
	heartbeat time.Time
	end       time.Time
	last      time.Time // of anything
	closed    time.Time // the stream was over
	gaveUp    bool      // Examine closed it: nothing came for too long
}

// maxLine bounds a line of the stream; Serve's longest has some 150 bytes.
const maxLine = 4 << 10

// read reads a stream to its end, or until it has enough of it.
func (a *arrivals) read(ctx context.Context, body io.Reader, enough func() bool) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxLine)
	name := ""
	for lines.Scan() {
		a.last = time.Now()
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "" && value == heartbeat:
			a.heartbeat = a.last
		case field == "event":
			name = value
		case field == "data":
			a.event(name, value)
		}
		if enough() {
			return
		}
	}
	a.closed, a.gaveUp = time.Now(), ctx.Err() != nil
}

func (a *arrivals) event(name, data string) {
	switch name {
	case eventSeen:
		s := new(seen)
		if json.Unmarshal([]byte(data), s) == nil {
			a.seen = s
		}
	case eventTick:
		a.ticks = append(a.ticks, a.last)
	case eventEnd:
		a.end = a.last
	}
}

// isStream says whether a response is a stream of Serve.
func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
}
