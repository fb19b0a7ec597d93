package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// stormOptions are the options of the storm command.
type stormOptions struct {
	common
	seed    int64
	nodes   int
	answers int // per node
	rounds  int
	chats   int // of the storm on the caps
}

const (
	maxPause = time.Second      // of a node, at most
	longStop = 10 * time.Second // longer than a lease: the node has lost its turns
)

// storm makes many clients answer one question at the same time on several nodes, some of which are
// paused meanwhile, and then makes many ask for more questions than allowed.
func storm(ctx context.Context, o stormOptions, out io.Writer) error {
	if o.store == sqlite {
		o.nodes = 1
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	w, err := p.world(ctx, o.nodes, nil)
	if err != nil {
		return err
	}
	defer w.close()
	luck := rand.New(rand.NewPCG(uint64(o.seed), 0))
	started := time.Now()
	var total tally
	for round := range o.rounds {
		if err := o.round(ctx, w, luck, round, &total); err != nil {
			return fmt.Errorf("storm: seed %d, round %d: %w", o.seed, round, err)
		}
	}
	t := newTable(out, "store", "nodes", "questions", "answers tried", "streams of the winner", "refused with its answer", "pauses", "503, tried again", "time")
	t.row(o.store, o.nodes, o.rounds, total.tried, total.won, total.refused, total.pauses, total.unavailable, time.Since(started).Round(100*time.Millisecond))
	t.end()
	return o.caps(ctx, w, out)
}

// tally counts answers by result.
type tally struct{ tried, won, refused, pauses, unavailable int }

// attempt is one answer of the storm.
type attempt struct {
	value, key string
	stream     answered
	refused    *refusal
	later      int // how often the response asked to retry later
	err        error
}

// round is one question.
func (o *stormOptions) round(ctx context.Context, w *world, luck *rand.Rand, round int, total *tally) error {
	talk := w.talk(ctx, appTalk, fmt.Sprintf("storm%d", round))
	defer talk.end()
	if err := talk.begins("compute", "awaiting_input", 1); err != nil {
		return err
	}
	attempts := make([]attempt, o.nodes*o.answers)
	for i := range attempts {
		attempts[i].value = fmt.Sprintf("answer %d", i)
		if luck.IntN(4) == 0 { // several send the same one, with its key
			group := luck.IntN(max(1, len(attempts)/10))
			attempts[i].value, attempts[i].key = fmt.Sprintf("group %d", group), fmt.Sprintf("key%d", group)
		}
	}
	var all, pauses sync.WaitGroup
	begin := make(chan struct{})
	var paused []string
	for i := range attempts {
		url := w.nodes[luck.IntN(o.nodes)].url()
		all.Go(func() {
			<-begin
			attempts[i].send(ctx, chatURL(url, talk.app, talk.chat), talk.call(1, 0, 1))
		})
	}
	for range luck.IntN(o.nodes + 1) { // one node at least continues, or all do
		n, late, length := w.nodes[luck.IntN(o.nodes)], luck.Int64N(int64(maxPause/4)), luck.Int64N(int64(maxPause))
		if luck.IntN(5) == 0 {
			length = int64(longStop)
		}
		total.pauses++
		paused = append(paused, fmt.Sprintf("%s for %s", n.name, time.Duration(length).Round(time.Millisecond)))
		pauses.Go(func() {
			<-begin
			time.Sleep(time.Duration(late))
			n.signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(length))
			n.signal(syscall.SIGCONT)
		})
	}
	close(begin)
	pauses.Wait()
	all.Wait()
	if err := judge(attempts, total); err != nil {
		return fmt.Errorf("%w; paused: %q", err, paused)
	}
	if err := talk.settle("idle", 0); err != nil {
		return err
	}
	return w.audit()
}

// send repeats the answer until it is accepted or refused: where a paused node holds the chat for
// long, others respond 503.
func (a *attempt) send(ctx context.Context, chat, call string) {
	answer := object{"answer": object{"toolCallId": call, "value": a.value}}
	if a.key != "" {
		answer["idempotencyKey"] = a.key
	}
	body, err := json.Marshal(answer)
	if err != nil {
		a.err = err
		return
	}
	a.err = wait(ctx, "an answer is taken or refused", func(ctx context.Context) (bool, error) {
		resp, err := request(ctx, "POST", chat+"/messages", string(body))
		switch {
		case err == nil:
			a.stream, err = read(resp.Body, nil)
			return err == nil, err
		case errors.As(err, &a.refused) && !unavailable(err):
			return true, nil
		case a.refused == nil: // nothing here breaks connections
			return false, &broken{err}
		}
		a.refused = nil
		a.later++
		return false, err
	})
}

// moved reports that the node lost the turn while it streamed, and set a retry time.
func (a *attempt) moved() bool { return a.stream.finish == "" && a.stream.retry }

// judge checks that one answer won, that every client that sent it saw the same stream, and that
// all others got the winner's answer.
func judge(attempts []attempt, total *tally) error {
	var winner *attempt
	for i := range attempts {
		a := &attempts[i]
		switch {
		case a.err != nil:
			return fmt.Errorf("answer %q: %w", a.value, a.err)
		case a.refused != nil:
			continue
		case winner == nil:
			winner = a
		case a.key == "" || a.key != winner.key:
			return fmt.Errorf("two answers won: %q and %q", winner.value, a.value)
		case a.stream.first != winner.stream.first || a.stream.turn != winner.stream.turn ||
			!a.moved() && !winner.moved() && (a.stream.text != winner.stream.text || a.stream.finish != winner.stream.finish):
			return fmt.Errorf("the same key shows %+v and %+v", winner.stream, a.stream)
		}
	}
	if winner == nil {
		return fmt.Errorf("no answer won; the first one: %w", attempts[0].refused)
	}
	if winner.stream.finish != "stop" && !winner.moved() {
		return fmt.Errorf("the winner's stream ended with %q, with a retry time: %t", winner.stream.finish, winner.stream.retry)
	}
	total.tried += len(attempts)
	for i := range attempts {
		a := &attempts[i]
		total.unavailable += a.later
		if a.refused == nil {
			total.won++
			continue
		}
		total.refused++
		var told struct {
			Value string `json:"value"`
		}
		_ = json.Unmarshal(a.refused.Answer, &told) // otherwise it differs
		switch {
		case a.key != "" && a.key == winner.key:
			return fmt.Errorf("the winner's own key was refused: %w", a.refused)
		case a.refused.Status != http.StatusConflict || a.refused.Code != "already_answered" || a.refused.Outcome != "answered" || told.Value != winner.value:
			return fmt.Errorf("%q was refused with %d %s, outcome %q, answer %s; the winner is %q",
				a.value, a.refused.Status, a.refused.Code, a.refused.Outcome, a.refused.Answer, winner.value)
		}
	}
	return nil
}
