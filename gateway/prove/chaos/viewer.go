package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// trailLength is the number of events that a viewer keeps, to print them with a fault.
const trailLength = 60

// viewer follows a chat on /events as a frontend does: it reconnects with the id of the last event
// it has, however often the stream breaks. It is safe for concurrent use.
type viewer struct {
	where func() string // the node to view now, "" for none
	path  string
	tick  func(ev sse.Event)
	done  chan struct{}

	mu        sync.Mutex
	picture   picture
	last      string // id of the newest event or snapshot
	from      string // address of the process that sent the newest chunk
	restarts  int    // step.restart seen
	snapshots int
	faults    []string
	trail     []string  // the newest events, to show with a fault
	text      time.Time // when the first chunk came since expectText
	told, cut int       // streams that ended with, and without, a retry
}

// view starts a viewer that lives as long as ctx. tick, which may be nil, is called
// for each event.
func view(ctx context.Context, where func() string, app, chat string, tick func(sse.Event)) *viewer {
	v := &viewer{where: where, path: chatURL("", app, chat) + "/events", tick: tick, done: make(chan struct{})}
	go func() {
		defer close(v.done)
		for ctx.Err() == nil {
			v.follow(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(pollEvery):
			}
		}
	}()
	return v
}

// follow reads one stream to its end.
func (v *viewer) follow(ctx context.Context) {
	url := v.where()
	if url == "" {
		return
	}
	var header []string
	if last := v.position(); last != "" {
		header = []string{"Last-Event-ID", last}
	}
	resp, err := request(ctx, "GET", url+v.path, "", header...)
	if err != nil {
		return // down, or the chat does not exist yet
	}
	defer resp.Body.Close()
	told := false
	defer func() { v.ended(told) }()
	for ev, err := range sse.Read(resp.Body) {
		if err != nil {
			return
		}
		if told = ev.Retry > 0; ev.Name != "" {
			v.take(url, ev)
		}
	}
}

func (v *viewer) ended(told bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if told {
		v.told++
	} else {
		v.cut++
	}
}

func (v *viewer) position() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}

// take applies an event that the process at url sent.
func (v *viewer) take(url string, ev sse.Event) {
	v.mu.Lock()
	switch {
	case ev.Name == "snapshot":
		v.snapshots++ // what was seen before is discarded, and may be sent again
	case ev.ID <= v.last:
		v.faults = append(v.faults, fmt.Sprintf("event %s %s comes after %s", ev.ID, ev.Name, v.last))
	}
	if ev.Name == "step.restart" {
		v.restarts++
	}
	v.trail = append(v.trail, fmt.Sprintf("%s %s %.80s", ev.ID, ev.Name, ev.Data))
	v.trail = v.trail[max(0, len(v.trail)-trailLength):]
	if ev.Name == "chunk" {
		v.from = url
		if v.text.IsZero() {
			v.text = time.Now()
		}
	}
	if err := v.picture.apply(ev); err != nil {
		v.faults = append(v.faults, fmt.Sprintf("event %s %s: %v", ev.ID, ev.Name, err))
	}
	v.last = ev.ID
	v.mu.Unlock()
	if v.tick != nil {
		v.tick(ev)
	}
}

// sees calls what with the picture while it does not change.
func (v *viewer) sees(what func(p *picture) bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return what(&v.picture)
}

// expectText makes textAt report when the next chunk arrived.
func (v *viewer) expectText() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text = time.Time{}
}

func (v *viewer) textAt() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text
}

// check waits until the viewer has seen all that is stored, and compares.
func (v *viewer) check(ctx context.Context, s *snapshot) error {
	if err := wait(ctx, "the viewer catches up with "+s.LastEventID, func(ctx context.Context) (bool, error) {
		return v.position() >= s.LastEventID, nil
	}); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, f := range v.faults {
		return fmt.Errorf("viewer: %s; its newest events:\n  %s", f, strings.Join(v.trail, "\n  "))
	}
	if d := differs(v.picture, s.picture(), true); d != "" {
		return fmt.Errorf("the viewer's picture is not the stored one: %s; its newest events:\n  %s", d, strings.Join(v.trail, "\n  "))
	}
	return nil
}
