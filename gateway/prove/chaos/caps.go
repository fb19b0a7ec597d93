package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	capTurns   = 6 // turns of each chat: more than it takes to use up the cap
	capWriters = 2 // that send messages to a chat at the same time, per node
)

// caps gives each of several chats more turns than its cap on questions lasts for, with messages
// from all nodes at the same time: the caps must not be exceeded, and must be used up.
func (o *stormOptions) caps(ctx context.Context, w *world, out io.Writer) error {
	started := time.Now()
	var all sync.WaitGroup
	var sent atomic.Int64
	faults := make([]error, o.chats)
	for i := range faults {
		all.Go(func() { faults[i] = o.capped(ctx, w, fmt.Sprintf("caps%d", i), &sent) })
	}
	all.Wait()
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("storm: caps: %w", err)
	}
	t := newTable(out, "store", "nodes", "chats", "messages sent", "turns", "questions per chat", "time")
	t.row(o.store, o.nodes, o.chats, sent.Load(), o.chats*capTurns, capConversation, time.Since(started).Round(100*time.Millisecond))
	t.end()
	return nil
}

func (o *stormOptions) capped(ctx context.Context, w *world, chat string, sent *atomic.Int64) error {
	talk := w.talk(ctx, appCaps, chat)
	defer talk.end()
	var turns atomic.Int64
	var all sync.WaitGroup
	faults := make([]error, o.nodes*capWriters)
	for i := range faults {
		url := chatURL(w.nodes[i%o.nodes].url(), talk.app, talk.chat) + "/messages"
		all.Go(func() {
			for turns.Add(1) <= capTurns {
				faults[i] = wait(ctx, "a turn begins", func(ctx context.Context) (bool, error) {
					sent.Add(1)
					resp, err := request(ctx, "POST", url, `{"message":"many `+chat+`"}`)
					var r *refusal
					if errors.As(err, &r) && r.Status == http.StatusConflict && r.Code == "turn_in_progress" {
						return false, nil
					} else if err != nil {
						return false, err
					}
					a, err := read(resp.Body, nil)
					if err == nil && a.finish == "" {
						err = errors.New("the stream broke off")
					}
					return err == nil, err
				})
				if faults[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if err := talk.settle("idle", 0); err != nil { // the last turns could not ask
		return err
	}
	s, err := talk.look(ctx)
	if err != nil {
		return err
	}
	return exact(s)
}

// exact checks that each turn asked as many questions as the caps still allowed.
func exact(s *snapshot) error {
	if s.Clarifications.Used != capConversation {
		return fmt.Errorf("%d questions were asked, the cap is %d", s.Clarifications.Used, capConversation)
	}
	var asked []int
	for _, m := range s.picture().Messages {
		if m.Role == "user" {
			asked = append(asked, 0)
		}
		for _, c := range m.Calls {
			if c.Name == "ask_user" && !strings.Contains(c.Result, "CLARIFICATION_LIMIT_REACHED") {
				asked[len(asked)-1]++
			}
		}
	}
	left := capConversation
	for i, n := range asked {
		if n != min(capTurn, left) {
			return fmt.Errorf("turn %d asked %d questions, want %d (of all: %v)", i, n, min(capTurn, left), asked)
		}
		left -= n
	}
	if len(asked) != capTurns {
		return fmt.Errorf("%d turns, want %d", len(asked), capTurns)
	}
	return nil
}
