package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// commits is a store that counts its commits. For one of them, it reports an unknown outcome, or it
// fails for some time before it makes it.
type commits struct {
	store.Store
	n    atomic.Int64
	at   int64         // which one, from 1
	made bool          // whether the unknown one was made
	away time.Duration // how long the store is away, from that one on; 0: its outcome is unknown
	back atomic.Pointer[time.Time]
}

var errNotMade = errors.New("not made")

func (s *commits) commit(update func(fail error) error) error {
	n := s.n.Add(1)
	if err := s.here(n == s.at); err != nil {
		return err
	}
	if n != s.at || s.away > 0 {
		return update(nil)
	}
	fail := errNotMade
	if s.made {
		fail = nil
	}
	if err := update(fail); err != nil && !errors.Is(err, errNotMade) {
		return err
	}
	return fmt.Errorf("%w: the reply is lost", store.ErrUnknown)
}

// here is the store's error while it is away.
func (s *commits) here(goes bool) error {
	if goes && s.away > 0 {
		until := time.Now().Add(s.away)
		s.back.Store(&until)
	}
	if back := s.back.Load(); back != nil && time.Now().Before(*back) {
		return store.ErrUnavailable
	}
	return nil
}

func (s *commits) Update(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return s.commit(func(fail error) error {
		return s.Store.Update(ctx, ref, func(tx store.Tx) error { return errors.Join(fn(tx), fail) })
	})
}

func (s *commits) UpdateLazily(ctx context.Context, ref chat.Ref, fn func(store.Tx) error) error {
	return s.Update(ctx, ref, fn)
}

func (s *commits) UpdateAs(ctx context.Context, held store.Held, lazy bool, fn func(store.RunTx) error) error {
	return s.commit(func(fail error) error {
		return s.Store.UpdateAs(ctx, held, lazy, func(tx store.RunTx) error { return errors.Join(fn(tx), fail) })
	})
}

func (s *commits) Recent(ctx context.Context, ref chat.Ref, span func([]chat.Fit) store.Span) (*store.Recent, error) {
	if err := s.here(false); err != nil {
		return nil, err
	}
	return s.Store.Recent(ctx, ref, span)
}

func (s *commits) KnownCalls(ctx context.Context, id string, ids []string) ([]string, error) {
	if err := s.here(false); err != nil {
		return nil, err
	}
	return s.Store.KnownCalls(ctx, id, ids)
}

// recites is a model whose answer depends on its request, even where a step is requested again: the
// newest message names the scene.
func (h *house) recites(ctx context.Context, yield func(model.Delta, error) bool) {
	h.model.mu.Lock()
	messages := h.model.sent[len(h.model.sent)-1].Messages
	h.model.mu.Unlock()
	scene, step, told := "", 0, ""
	for _, m := range messages {
		switch m.Role {
		case model.RoleUser:
			scene, step, told = m.Content, 0, ""
		case model.RoleAssistant:
			step++
		default:
			told += fmt.Sprintf(" [%s %s]", m.ToolCallID, m.Content)
		}
	}
	id := func(kind string) string { return fmt.Sprintf("%s_%s_%d", kind, scene, step) }
	switch {
	case scene == "mixed" && step == 0:
		asks(id("count"), id("call"), id("guard"))(ctx, yield)
	case scene == "mixed" && step == 1, scene == "chain" && step < 2:
		asks(id("count"), id("countmore"))(ctx, yield)
	case scene == "pair" && step == 0:
		asks(id("call"), id("callmore"))(ctx, yield)
	case scene == "keep" && step < 2:
		asks(id("keep"))(ctx, yield)
	default:
		says(scene+" is done."+told)(ctx, yield)
	}
}

// scenes are conversations: each command is sent until it is accepted, and then waits for the
// status.
var scenes = map[string][]struct {
	send func(h *house) turn.Command
	then chat.Status
}{
	"texts and calls": {
		{func(h *house) turn.Command { return h.message("plain") }, chat.StatusIdle},
		{func(h *house) turn.Command { return h.message("chain") }, chat.StatusIdle},
	},
	"a question, an approval and calls": {
		{func(h *house) turn.Command { return h.message("mixed") }, chat.StatusAwaitingInput},
		{func(h *house) turn.Command { return h.answer("call_mixed_0", "blue") }, chat.StatusAwaitingInput},
		{func(h *house) turn.Command { return h.allows("guard_mixed_0") }, chat.StatusIdle},
	},
	"a message in place of answers": {
		{func(h *house) turn.Command { return h.message("pair") }, chat.StatusAwaitingInput},
		{func(h *house) turn.Command { return h.message("plain") }, chat.StatusIdle},
	},
	"an approval that is remembered": {
		{func(h *house) turn.Command { return h.message("keep") }, chat.StatusAwaitingInput},
		{func(h *house) turn.Command { return h.allows("keep_keep_0") }, chat.StatusIdle},
		{func(h *house) turn.Command { return h.message("plain") }, chat.StatusIdle},
	},
}

// played is the result of a conversation.
type played struct {
	Messages []string
	Pending  int
	Finish   chat.FinishReason
	Runs     int64 // of tools
	commits  int64
	errors   int // turns that a client saw end this way
}

// play runs a scene on a node with that store, with a viewer.
func play(t *testing.T, scene string, with *commits) (got played) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"onMessageWhilePending": "supersede"}`, func(s store.Store) store.Store { with.Store = s; return with })
		for range 40 {
			h.model.steps = append(h.model.steps, h.recites)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go h.engine.Sweep(ctx)
		var viewer collector
		for i, step := range scenes[scene] {
			cmd := step.send(h)
			cmd.IdempotencyKey, cmd.Hash = fmt.Sprint("key", i), "hash"
			var client collector
			for {
				taken, err := h.take(ctx, cmd)
				if err == nil {
					taken.Drive(ctx, &client)
					break
				}
				if !errors.Is(err, store.ErrUnknown) && !errors.Is(err, store.ErrUnavailable) {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			time.Sleep(10 * time.Second) // time for runs to continue
			synctest.Wait()
			s := h.snapshot()
			if s.Status != step.then {
				t.Fatalf("after command %d: %s, want %s", i, s.Status, step.then)
			}
			if strings.Contains(client.names(t), "error") {
				got.errors++
			}
			if i == 0 {
				go h.looksOn(ctx, t, &viewer)
				synctest.Wait()
			}
			if at := viewer.at(t); at != s.LastEventID {
				t.Errorf("after command %d a viewer is at %s, want %s: %s", i, at, s.LastEventID, viewer.names(t))
			}
		}
		s := h.snapshot()
		for _, m := range s.Messages {
			line := string(m.Role) + ": " + m.Content
			for _, c := range m.ToolCalls {
				line += fmt.Sprintf(" (%s %s", c.ToolCallID, c.Arguments)
				if c.Result != nil {
					line += " = " + *c.Result
				}
				line += ")"
			}
			got.Messages = append(got.Messages, line)
		}
		got.Pending, got.Finish, got.Runs, got.commits = len(s.Pending), s.FinishReason, h.calls.Load(), with.n.Load()
		if got.Finish == chat.FinishError {
			t.Errorf("the turn ended in an error: %+v", s.Error)
		}
	})
	return got
}

// at returns the newest event that a client saw.
func (c *collector) at(t *testing.T) (id string) {
	for _, ev := range c.events(t) {
		if ev.ID != "" {
			id = ev.ID
		}
	}
	return id
}

// looksOn watches the chat, and reconnects where the stream ends.
func (h *house) looksOn(ctx context.Context, t *testing.T, c *collector) {
	for ctx.Err() == nil {
		f, err := h.reader.Follow(ctx, h.ref, h.app.Clarifications.PerConversation, c.at(t))
		if err == nil {
			if f.Begin(c) == nil {
				_ = f.Stream(ctx, c)
			}
			f.Close()
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// same compares with the undisturbed conversation. A call that was marked as begun may have been
// interrupted: its outcome, and what the model read of it, may differ.
func (got *played) same(want *played, unknown bool) bool {
	a, b := strings.Join(got.Messages, "\n"), strings.Join(want.Messages, "\n")
	if unknown && strings.Contains(a, tools.CodeInterrupted) {
		return len(got.Messages) == len(want.Messages) && got.Pending == want.Pending && got.Finish == want.Finish
	}
	return a == b && got.Pending == want.Pending && got.Finish == want.Finish && got.Runs == want.Runs
}

// TestACommitOfUnknownOutcomeChangesNothing: whichever commit it is, and whether it was made, the
// chat becomes what it would have been.
func TestACommitOfUnknownOutcomeChangesNothing(t *testing.T) {
	for scene := range scenes {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			want := play(t, scene, &commits{})
			for at := int64(1); at <= want.commits; at++ {
				for _, made := range []bool{true, false} {
					got := play(t, scene, &commits{at: at, made: made})
					if !got.same(&want, true) {
						t.Errorf("commit %d of %d, made %v:\n%s\nwant:\n%s", at, want.commits, made, wrote(got), wrote(want))
					}
				}
			}
		})
	}
}

// TestAStoreThatIsBackInTimeCostsNoTurn: whichever commit it became unreachable at, no turn ends in
// an error, nor is an answer requested twice.
func TestAStoreThatIsBackInTimeCostsNoTurn(t *testing.T) {
	for scene := range scenes {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			want := play(t, scene, &commits{})
			for at := int64(1); at <= want.commits; at++ {
				got := play(t, scene, &commits{at: at, away: 9 * time.Second})
				if !got.same(&want, false) || got.errors > 0 {
					t.Errorf("commit %d of %d, %d errors:\n%s\nwant:\n%s", at, want.commits, got.errors, wrote(got), wrote(want))
				}
			}
		})
	}
}

func wrote(p played) string {
	b, _ := json.MarshalIndent(p, "", " ")
	return string(b)
}
