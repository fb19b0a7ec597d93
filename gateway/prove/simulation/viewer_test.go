package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// viewer is a client that follows a chat, and comes back after its node is lost.
type viewer struct {
	of     *turned
	last   string // id of the newest event
	text   string // since the last step.restart
	ended  bool
	faults []string
	again  int // how often it came back
}

// watch follows the chat on one node after another, until the turn ends.
func (v *viewer) watch(n *node) {
	f := n.fleet
	for f.over.Err() == nil && !v.ended {
		v.follow(n)
		if v.ended {
			return
		}
		v.again++
		if pause(f.over, time.Second+rand.N(2*time.Second)) != nil { // as clients do
			return
		}
		n = f.living()
	}
}

// living returns a node at random that is not lost.
func (f *fleet) living() *node {
	for {
		if n := f.nodes[rand.N(len(f.nodes))]; !n.link.lost.Load() {
			return n
		}
	}
}

// follow reads one stream to its end.
func (v *viewer) follow(n *node) {
	ctx, cancel := context.WithCancel(n.alive)
	defer cancel()
	following, err := n.reader.Follow(ctx, v.of.Ref, 10, v.last)
	if err != nil {
		return
	}
	defer following.Close()
	if following.Begin(v) == nil {
		_ = following.Stream(ctx, v)
	}
}

// Write implements stream.Sink.
func (v *viewer) Write(events stream.Events) error {
	for ev, err := range sse.Read(strings.NewReader(string(events.Frames))) {
		if err != nil {
			return err
		}
		v.see(ev)
	}
	if v.ended {
		return context.Canceled
	}
	return nil
}

func (v *viewer) see(ev sse.Event) {
	if ev.ID != "" {
		before, _ := chat.ParseEventID(v.last)
		if id, err := chat.ParseEventID(ev.ID); err != nil || v.last != "" && !before.Less(id) && ev.Name != "snapshot" {
			v.faults = append(v.faults, fmt.Sprintf("%s %s after %s", ev.Name, ev.ID, v.last))
		}
		v.last = ev.ID
	}
	switch ev.Name {
	case "chunk":
		var c chat.Chunk
		if err := json.Unmarshal(ev.Data, &c); err != nil {
			v.faults = append(v.faults, err.Error())
		}
		v.text += c.Content
	case "step.restart":
		v.text = v.text[:strings.LastIndex(v.text, "|")+1]
	case "tool.call.end":
		v.text += "|"
	case "snapshot":
		var s chat.Snapshot
		if err := json.Unmarshal(ev.Data, &s); err != nil {
			v.faults = append(v.faults, err.Error())
		}
		v.text = ""
		for _, m := range s.Messages[1:] {
			v.text += m.Content
			if len(m.ToolCalls) > 0 {
				v.text += "|"
			}
		}
		v.ended = s.Status == chat.StatusIdle
	case "done":
		v.ended = true
	}
}

// wants is the text of a whole turn.
func (t *turned) wants() string {
	var text strings.Builder
	if t.tool {
		text.WriteString("thinking |")
	}
	for i := range t.words {
		fmt.Fprint(&text, i, " ")
	}
	return text.String()
}
