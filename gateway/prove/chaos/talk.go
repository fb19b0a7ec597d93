package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// talk is one chat of a patient client: a request that breaks off is repeated with the
// same idempotency key, on any node that is up, until a gateway accepts it.
type talk struct {
	ctx    context.Context //nolint:containedctx // a talk is one activity, and its methods its steps
	world  *world
	app    string
	chat   string
	viewer *viewer
	close  func()
	name   string // prefix of its idempotency keys
	sends  int
	prior  *sent     // the newest thing sent
	broke  time.Time // when its first attempt broke off, zero if it did not
}

// sent is one accepted request.
type sent struct {
	to   string // the path below the chat's
	body string // with its key
	answered
}

func (w *world) talk(ctx context.Context, app, chat string) *talk {
	ctx, cancel := context.WithCancel(ctx)
	t := &talk{ctx: ctx, world: w, app: app, chat: chat, name: chat, close: cancel}
	t.viewer = view(ctx, w.viewed, app, chat, func(sse.Event) { w.tick(atEvent) })
	return t
}

// alongside is the same chat for another sender at the same time.
func (t *talk) alongside() *talk {
	return &talk{ctx: t.ctx, world: t.world, app: t.app, chat: t.chat, viewer: t.viewer, name: t.name + "-alongside"}
}

// call returns the id of a call in this chat.
func (t *talk) call(user, step, place int) string { return callID(t.chat, user, step, place) }

// end stops the viewer.
func (t *talk) end() {
	t.close()
	<-t.viewer.done
}

func (t *talk) say(text string) error { return t.send(object{"message": text}) }

// answer closes the question of a call.
func (t *talk) answer(call string, more object) error {
	answer := object{"toolCallId": call}
	for k, v := range more {
		answer[k] = v
	}
	return t.send(object{"answer": answer})
}

// resume continues a turn that has ended.
func (t *talk) resume() error { return t.sendTo("/resume", object{}) }

func (t *talk) send(body object) error { return t.sendTo("/messages", body) }

// sendTo posts until a run was streamed up to its done. A refusal is returned unchanged.
func (t *talk) sendTo(path string, body object) error {
	t.sends++
	t.broke = time.Time{}
	body["idempotencyKey"] = fmt.Sprintf("%s-%d", t.name, t.sends)
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	s := &sent{to: path, body: string(raw)}
	if err := t.post(s); err != nil {
		return fmt.Errorf("%s: %w", raw, err)
	}
	t.prior = s
	return nil
}

// post sends s, and repeats it while that breaks off. Each attempt must show the same run.
func (t *talk) post(s *sent) error {
	err := t.posted(s)
	var r *refusal
	if shot, lookErr := t.look(t.ctx); err != nil && !errors.As(err, &r) && lookErr == nil {
		err = fmt.Errorf("%w; the chat is\n%s", err, shot.picture())
	}
	return err
}

func (t *talk) posted(s *sent) error {
	return wait(t.ctx, "the request is answered", func(ctx context.Context) (bool, error) {
		url := t.world.front()
		if url == "" {
			return false, errDown
		}
		t.world.tick(atPost)
		resp, err := request(ctx, "POST", chatURL(url, t.app, t.chat)+s.to, s.body)
		if err != nil {
			t.broken()
			return false, err
		}
		a, err := read(resp.Body, nil)
		if a.finish == "" {
			t.broken()
		}
		switch {
		case err != nil:
			return false, &broken{err}
		case s.first != "" && a.first != "" && (a.first != s.first || a.turn != s.turn):
			return false, &broken{fmt.Errorf("the same key shows the run %s of %s, before %s of %s", a.first, a.turn, s.first, s.turn)}
		}
		if a.first == "" {
			a.first, a.turn = s.first, s.turn
		}
		s.answered = a
		return a.finish != "", nil
	})
}

func (t *talk) broken() {
	if t.broke.IsZero() {
		t.broke = time.Now()
	}
}

// broken is a fault that repeating the request cannot fix.
type broken struct{ error }

func (b *broken) Unwrap() error { return &refusal{} }

// again repeats the newest request: it must show the run that the first attempt started.
func (t *talk) again() error {
	s := &sent{to: t.prior.to, body: t.prior.body, answered: answered{first: t.prior.first, turn: t.prior.turn}}
	if err := t.post(s); err != nil {
		return fmt.Errorf("repeating %s: %w", s.body, err)
	}
	if s.finish != t.prior.finish || s.text != t.prior.text {
		return fmt.Errorf("repeating %s: %q ending with %s, before %q ending with %s", s.body, s.text, s.finish, t.prior.text, t.prior.finish)
	}
	return nil
}

// refused sends a request that must be refused with that code, and returns the refusal.
func (t *talk) refused(body object, code string) (*refusal, error) {
	return refusedAs(t.send(body), fmt.Sprint(body), code)
}

func refusedAs(err error, what, code string) (*refusal, error) {
	var r *refusal
	switch {
	case err == nil:
		return nil, fmt.Errorf("%s was accepted, want %s", what, code)
	case !errors.As(err, &r) || r.Code != code:
		return nil, fmt.Errorf("%s: %w, want %s", what, err, code)
	}
	return r, nil
}

// look reads the snapshot, from any node.
func (t *talk) look(ctx context.Context) (*snapshot, error) {
	url := t.world.viewed()
	if url == "" {
		return nil, errDown
	}
	resp, err := request(ctx, "GET", chatURL(url, t.app, t.chat), "")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	s := &snapshot{}
	if err := json.NewDecoder(resp.Body).Decode(s); err != nil {
		return nil, fmt.Errorf("%w: %w", errDown, err)
	}
	return s, nil
}

// settle waits until the chat has that status with that many open questions.
func (t *talk) settle(status string, pending int) error {
	var s *snapshot
	err := wait(t.ctx, fmt.Sprintf("%s with %d questions", status, pending), func(ctx context.Context) (ok bool, err error) {
		if s, err = t.look(ctx); err != nil {
			return false, err
		}
		return s.Status == status && len(s.Pending) == pending, nil
	})
	if err != nil {
		if s != nil {
			err = fmt.Errorf("%w; the chat is\n%s", err, s.picture())
		}
		return err
	}
	return t.viewer.check(t.ctx, s)
}

// stop sends one stop request to the node at url, "" while it is down.
func (t *talk) stop(ctx context.Context, url string) error {
	if url == "" {
		return errDown
	}
	resp, err := request(ctx, "POST", chatURL(url, t.app, t.chat)+"/stop", "")
	if err == nil {
		resp.Body.Close()
	}
	return err
}

// revoke takes back a remembered approval, and repeats that until it succeeds.
func (t *talk) revoke(tool string) error {
	return wait(t.ctx, "the approval is revoked", func(ctx context.Context) (bool, error) {
		url := t.world.front()
		if url == "" {
			return false, errDown
		}
		resp, err := request(ctx, "DELETE", chatURL(url, t.app, t.chat)+"/approvals/"+tool, "")
		if err != nil {
			return false, err
		}
		resp.Body.Close()
		return true, nil
	})
}

// deleteAnswer deletes the answer to the question of a call, and repeats that until it succeeds and the
// chat has announced it.
func (t *talk) deleteAnswer(call string) error {
	return wait(t.ctx, "the answer is deleted", func(ctx context.Context) (bool, error) {
		s, err := t.look(ctx)
		if err != nil {
			return false, err
		}
		id := ""
		for i := range s.Messages {
			for _, c := range s.Messages[i].ToolCalls {
				if c.ToolCallID == call && c.Clarification != nil {
					id = c.Clarification.ClarificationID
				}
			}
		}
		url := t.world.front()
		if url == "" || id == "" {
			return false, errDown
		}
		resp, err := request(ctx, "DELETE", url+"/v1/clarifications/"+id+"/answer", "")
		if err != nil {
			return false, err
		}
		resp.Body.Close()
		return true, nil
	})
}
