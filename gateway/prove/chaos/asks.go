package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/sse"
)

// asksOptions are the options of the asks command.
type asksOptions struct {
	common
	seed      int64
	seeds     int
	nodes     int
	askers    int
	people    int
	questions int
}

// askPoints lists the points at which the gateway crashes while programs ask.
var askPoints = []string{"ask.before", "ask.after", "answer.before", "answer.after", atPost, atEvent}

// asksKey is the key that all askers and people use, each under their own name.
const asksKey = "ag_the-key-of-askers-and-of-people"

// asks has programs ask people, each of whom answers on two screens at once, while the first node
// is killed again and again: each question is delivered to its person, is answered once, and its
// asker learns the answer that counts.
func asks(ctx context.Context, o asksOptions, out io.Writer) error {
	if o.store == sqlite {
		o.nodes = 1
	}
	if o.seed < 0 || o.seeds < 1 || o.askers < 1 || o.people < 1 || o.questions < 1 {
		return errors.New("asks: a seed from 0, and at least one of everything")
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	t := newTable(out, "store", "nodes", "seed", "questions", "answers tried", "crashes", "told again", "to be told p50", "p99", "time")
	defer t.end()
	for seed := o.seed; seed < o.seed+int64(o.seeds); seed++ {
		a, err := o.try(ctx, p, seed)
		if err != nil {
			return fmt.Errorf("asks: seed %d, crashes %v: %w", seed, a.plan, err)
		}
		slices.Sort(a.waits)
		at := func(percent int) time.Duration {
			return a.waits[(len(a.waits)-1)*percent/100].Round(100 * time.Microsecond)
		}
		t.row(o.store, o.nodes, seed, o.questions, a.tried, len(a.hits), a.again, at(50), at(99), time.Since(a.began).Round(100*time.Millisecond))
	}
	return nil
}

// asking is the result of one seed. It is safe for concurrent use.
type asking struct {
	world *world
	plan  []crash
	hits  []crash
	began time.Time

	mu     sync.Mutex
	told   map[string]bool      // questions that were delivered to their person
	ended  map[string]bool      // questions whose end was delivered to their asker
	sent   map[string]time.Time // when a question was first sent, by its text
	ids    []string             // of all questions
	won    map[string]string    // accepted answers, by question
	counts map[string]string    // the answer that counts, as losers received it, by question
	tried  int
	again  int
	waits  []time.Duration // from a question's first attempt to its event, including crashes
	fault  error
}

func (a *asking) failed(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fault == nil && err != nil {
		a.fault = err
	}
}

func (o *asksOptions) try(ctx context.Context, p *plant, seed int64) (a *asking, err error) {
	luck := rand.New(rand.NewPCG(uint64(seed), 1))
	a = &asking{began: time.Now(), told: map[string]bool{}, ended: map[string]bool{}, sent: map[string]time.Time{}, won: map[string]string{}, counts: map[string]string{}}
	for i := range 3 {
		c := crash{at: askPoints[(int(seed)+i*luck.IntN(len(askPoints)))%len(askPoints)], n: 1 + luck.IntN(max(1, o.questions/4))}
		if !c.injected() {
			c.after = time.Duration(luck.Int64N(int64(maxLate))).Round(10 * time.Microsecond)
		}
		a.plan = append(a.plan, c)
	}
	auth := object{"mode": "apiKeys", "keys": []object{{
		"id": "all", "hash": fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(asksKey))), "tenant": "acme", "subject": "all", "mayActAs": true, "mayAsk": []string{"*"},
	}}}
	w, err := p.worldWith(ctx, o.nodes, a.plan, object{"auth": auth})
	if err != nil {
		return a, err
	}
	defer w.close()
	a.world = w
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var streams, askers sync.WaitGroup
	for i := range o.people {
		name := fmt.Sprintf("person%d", i)
		streams.Go(func() { a.follow(ctx, name, func(ev sse.Event) { a.hear(ctx, &streams, name, ev) }) })
	}
	for i := range o.askers {
		name := fmt.Sprintf("asker%d", i)
		listens := make(chan struct{}) // its stream reports what ends after it began
		begun := sync.OnceFunc(func() { close(listens) })
		streams.Go(func() { a.follow(ctx, name, func(ev sse.Event) { begun(); a.hearEnd(ev) }) })
		own := rand.New(rand.NewPCG(uint64(seed), uint64(i)))
		askers.Go(func() {
			select {
			case <-listens:
			case <-ctx.Done():
			}
			for n := i; n < o.questions; n += o.askers {
				if err := a.ask(ctx, &askers, name, fmt.Sprintf("person%d", own.IntN(o.people)), n); err != nil {
					a.failed(err)
					return
				}
			}
		})
	}
	askers.Wait()
	a.mu.Lock()
	good := a.fault == nil
	a.mu.Unlock()
	if good {
		a.failed(a.notifiedAll(ctx, o.questions))
	}
	stop()
	streams.Wait()
	a.hits = w.happened()
	return a, errors.Join(a.fault, w.failure())
}

// as returns the headers of a request by a subject.
func as(name string) []string {
	return []string{"Authorization", "Bearer " + asksKey, "X-Askgate-User", name}
}

// call sends a request until it gets a response or a refusal.
func (a *asking) call(ctx context.Context, what, method, name, path, body string, into any) error {
	return wait(ctx, what, func(ctx context.Context) (bool, error) {
		url := a.world.front()
		if url == "" {
			return false, errDown
		}
		if method == http.MethodPost {
			a.world.tick(atPost)
		}
		resp, err := request(ctx, method, url+path, body, as(name)...)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
			return false, errDown // it broke off
		}
		return true, nil
	})
}

// kept is a question as it is read.
type kept struct {
	ID       string                 `json:"clarificationId"`
	Question string                 `json:"question"`
	State    string                 `json:"state"`
	Answer   struct{ Value string } `json:"answer"`
}

// ask asks a question, and starts another goroutine that waits for its answer.
func (a *asking) ask(ctx context.Context, others *sync.WaitGroup, name, person string, n int) error {
	text := fmt.Sprintf("Question %d?", n)
	body := fmt.Sprintf(`{"to": %q, "question": %q, "askedBy": {"name": %q}, "idempotencyKey": "q%d"}`, person, text, name, n)
	a.mu.Lock()
	a.sent[text] = time.Now()
	a.mu.Unlock()
	var q, same kept
	if err := a.call(ctx, "a question is taken", http.MethodPost, name, "/v1/apps/"+appTalk+"/clarifications", body, &q); err != nil {
		return err
	}
	a.mu.Lock()
	a.ids = append(a.ids, q.ID)
	a.mu.Unlock()
	others.Go(func() {
		var now kept
		for now.State == "" || now.State == "pending" {
			if err := a.call(ctx, "the answer comes", http.MethodGet, name, "/v1/clarifications/"+q.ID+"?wait=5", "", &now); err != nil {
				a.failed(err)
				return
			}
		}
		if now.State != "answered" {
			a.failed(fmt.Errorf("%s is %s", q.ID, now.State))
		}
		a.answered(q.ID, now.Answer.Value)
		if err := a.call(ctx, "it is the same question", http.MethodPost, name, "/v1/apps/"+appTalk+"/clarifications", body, &same); err != nil || same.ID != q.ID {
			a.failed(fmt.Errorf("the key of %s gives %s, %w", q.ID, same.ID, err))
		}
	})
	return nil
}

// answered records the answer that a caller was told counts: it is the same for all.
func (a *asking) answered(id, value string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if other, ok := a.counts[id]; ok && other != value && a.fault == nil {
		a.fault = fmt.Errorf("%s is answered by %q, and by %q", id, other, value)
	}
	a.counts[id] = value
}

// hear handles an event of a person's stream: questions are answered, on two screens.
func (a *asking) hear(ctx context.Context, others *sync.WaitGroup, name string, ev sse.Event) {
	var told struct {
		kept
		Pending []kept `json:"pending"`
	}
	if err := json.Unmarshal(ev.Data, &told); err != nil {
		a.failed(fmt.Errorf("%s: %w", ev.Name, err))
	}
	if ev.Name == "clarification" {
		told.Pending = []kept{told.kept}
	}
	for _, q := range told.Pending {
		a.mu.Lock()
		before := a.told[q.ID]
		a.told[q.ID] = true
		if before {
			a.again++
		} else {
			a.waits = append(a.waits, time.Since(a.sent[q.Question]))
		}
		a.mu.Unlock()
		for screen := 0; !before && screen < 2; screen++ {
			others.Go(func() { a.failed(a.answer(ctx, name, q.ID, fmt.Sprintf("%s, screen %d", name, screen))) })
		}
	}
}

// answer answers a question; another answer may have been first.
func (a *asking) answer(ctx context.Context, name, id, value string) error {
	a.mu.Lock()
	a.tried++
	a.mu.Unlock()
	var now kept
	err := a.call(ctx, "an answer is taken", http.MethodPost, name, "/v1/clarifications/"+id+"/answer", fmt.Sprintf(`{"value": %q}`, value), &now)
	if ctx.Err() != nil {
		return nil
	}
	if refused, ok := errors.AsType[*refusal](err); ok && refused.Code == "already_answered" {
		var first struct{ Value string }
		if err := json.Unmarshal(refused.Answer, &first); err != nil {
			return err
		}
		a.answered(id, first.Value)
		return nil
	}
	if err != nil {
		return err
	}
	a.answered(id, now.Answer.Value)
	a.mu.Lock()
	defer a.mu.Unlock()
	if other, ok := a.won[id]; ok || now.Answer.Value != value {
		return fmt.Errorf("two answers of %s were accepted: %q and %q", id, value, other)
	}
	a.won[id] = value
	return nil
}

// hearEnd handles an event of an asker's stream.
func (a *asking) hearEnd(ev sse.Event) {
	var q kept
	if ev.Name != "clarification.resolved" || json.Unmarshal(ev.Data, &q) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended[q.ID] = true
}

// follow reads the events of a subject until ctx ends, reconnecting as clients do.
func (a *asking) follow(ctx context.Context, name string, hear func(sse.Event)) {
	last := ""
	for ctx.Err() == nil {
		if url := a.world.viewed(); url != "" {
			header := as(name)
			if last != "" {
				header = append(header, "Last-Event-ID", last)
			}
			if resp, err := request(ctx, http.MethodGet, url+"/v1/events", "", header...); err == nil {
				for ev, err := range sse.Read(resp.Body) {
					if err != nil {
						break
					}
					if ev.ID != "" {
						last = ev.ID
					}
					if ev.Name != "" {
						hear(ev)
						a.world.tick(atEvent)
					}
				}
				resp.Body.Close()
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollEvery):
		}
	}
}

// notifiedAll waits until everyone has received everything.
func (a *asking) notifiedAll(ctx context.Context, questions int) error {
	a.mu.Lock()
	ids := slices.Clone(a.ids)
	a.mu.Unlock()
	if len(ids) != questions {
		return fmt.Errorf("%d questions, want %d", len(ids), questions)
	}
	return wait(ctx, "everyone was notified", func(context.Context) (bool, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, id := range ids {
			if !a.told[id] || !a.ended[id] {
				return false, fmt.Errorf("%s: delivered to its person: %t, to its asker: %t", id, a.told[id], a.ended[id])
			}
		}
		return true, nil
	})
}
