package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
)

// sentNow lets two messages wait for a turn that does not end by itself, and shows nothing. One is taken back, and never
// sent. The other is sent now, once, which stops the turn.
func sentNow(t *talk, _ *rand.Rand) error {
	said := make(chan error, 1)
	go func() { said <- t.say("still " + t.chat) }()
	err := wait(t.ctx, "the turn runs", func(context.Context) (bool, error) {
		return t.viewer.sees(func(p *picture) bool {
			return p.Status == "running" && p.last() != nil
		}), nil
	})
	if err != nil {
		return err
	}
	const never, now = "story never", "story now"
	if err := t.until("POST", "/messages", fmt.Sprintf(`{"message": %q, "queue": true, "idempotencyKey": "%s-never"}`, never, t.chat)); err != nil {
		return err
	}
	id, err := t.waiting(never)
	if err != nil {
		return err
	}
	if err := t.until("DELETE", "/queued/"+id, "", "not_found"); err != nil { // not found: the response of the first attempt was lost
		return err
	}
	later, queued := t.alongside(), make(chan error, 1)
	go func() { queued <- later.send(object{"message": now, "queue": true}) }()
	if id, err = t.waiting(now); err != nil {
		return err
	}
	if err := t.until("POST", "/queued/"+id+"/send", "{}", "already_begun"); err != nil {
		return err
	}
	if err := errors.Join(<-said, <-queued); err != nil {
		return err
	}
	if t.prior.finish != "cancelled" {
		return fmt.Errorf("the turn in its way ended with %s", t.prior.finish)
	}
	if err := t.settle("idle", 0); err != nil {
		return err
	}
	s, err := t.look(t.ctx)
	if err != nil {
		return err
	}
	sent := 0
	for _, m := range s.Messages {
		switch m.Content {
		case never:
			return fmt.Errorf("a message that was taken back was sent: %s", s.picture())
		case now:
			sent++
		}
	}
	if sent != 1 || len(s.Queued) > 0 {
		return fmt.Errorf("sent %d times, %d still wait: %s", sent, len(s.Queued), s.picture())
	}
	return later.again()
}

// waiting returns the id of a message once it waits in the chat.
func (t *talk) waiting(text string) (id string, err error) {
	err = wait(t.ctx, "the message waits", func(ctx context.Context) (bool, error) {
		s, err := t.look(ctx)
		if err != nil {
			return false, err
		}
		for _, q := range s.Queued {
			if q.Content == text {
				id = q.ID
			}
		}
		return id != "", nil
	})
	return id, err
}

// until repeats a request until it is answered with success, or refused with one of the codes.
func (t *talk) until(method, path, body string, codes ...string) error {
	return wait(t.ctx, method+" "+path+" is answered", func(ctx context.Context) (bool, error) {
		url := t.world.front()
		if url == "" {
			return false, errDown
		}
		resp, err := request(ctx, method, chatURL(url, t.app, t.chat)+path, body)
		var r *refusal
		if errors.As(err, &r) {
			for _, code := range codes {
				if r.Code == code {
					return true, nil
				}
			}
		}
		if err != nil {
			return false, err
		}
		resp.Body.Close()
		return true, nil
	})
}
