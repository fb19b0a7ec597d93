package weave

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/limit"
)

// submits is a limiter that makes something happen between what a request reads and what it
// submits.
type submits struct {
	limit.Limiter
	before <-chan func()
}

func (l submits) Acquire(ctx context.Context, scope, key string, places int) (func(), limit.Decision) {
	select {
	case happen := <-l.before:
		happen()
	default:
	}
	return l.Limiter.Acquire(ctx, scope, key, places)
}

// An answer that is typed while another screen answers is refused as too late, and does not become
// another message; sent again, when it is known that nothing waits, it is a message.
func TestATypedAnswerComesTooLate(t *testing.T) {
	h := open(t)
	for i, over := range []over{chat, responses, behind, uiMessage, agUI} {
		t.Run(string(over), func(t *testing.T) {
			w := newWeave(t, h, 100_000+i)
			w.begins = fmt.Sprint("ask trip S", w.seed)
			th := &thread{over: over, name: fmt.Sprint("late-", i), calls: true}
			w.begin(th)
			th.push("par", typed)
			w.late(th)
		})
		t.Run(string(over)+", asked in words", func(t *testing.T) {
			w := newWeave(t, h, 200_000+i)
			w.begins = fmt.Sprint("ask trip S", w.seed)
			th := &thread{over: over, name: fmt.Sprint("words-", i), calls: true}
			w.begin(th)
			w.failing(th)
			th.push("par", typed)
			w.late(th)
		})
	}
}

// late sends a thread, and has the question answered elsewhere between what the gateway reads and
// what it submits.
func (w *weave) late(th *thread) {
	w.t.Helper()
	s, _ := w.h.snapshot(w.t, w.who, th.chat)
	elsewhere := object{"answer": object{"clarificationId": s.Pending[0].ClarificationID, "value": "ber"}}
	w.h.late <- func() {
		w.h.send(w.t, w.who, http.MethodPost, "/v1/apps/work/chats/"+th.chat+"/messages", elsewhere, "Accept", "application/json")
	}
	r := w.sendsLate(th)
	if len(w.h.late) > 0 {
		w.fail("nothing was submitted")
	}
	s, _ = w.h.snapshot(w.t, w.who, th.chat)
	if want := th.view.answered("ber"); r.status != http.StatusConflict || r.code != "already_answered" || !slices.Equal(s.lines(), want) {
		w.fail("it is %d %s %s; the chat has %q, not %q", r.status, r.code, r.body, s.lines(), want)
	}
	asked := w.h.asked(w.seed)
	if r = w.sendsLate(th); r.status != http.StatusOK || w.h.asked(w.seed) != asked+1 {
		w.fail("sent again: %d %s", r.status, r.body)
	}
	s, _ = w.h.snapshot(w.t, w.who, r.chat)
	want := th.view.answered("ber").said("par")
	if th.over == behind { // of a response that is not the newest
		want = th.view.answered("par")
	}
	if !slices.Equal(s.lines(), want) {
		w.fail("sent again, the chat has %q, not %q", s.lines(), want)
	}
}

// A question is answered by the id that went out with it. Its other id, which a client can know
// from elsewhere, is accepted over no front.
func TestOnlyTheIDThatWentOutIsAnswered(t *testing.T) {
	h := open(t)
	for i, over := range []over{chat, responses, uiMessage, agUI} {
		for j, word := range []string{"ask", "approve"} {
			t.Run(string(over)+", "+word, func(t *testing.T) {
				w := newWeave(t, h, 300_000+10*i+j)
				w.begins = fmt.Sprint(word, " trip S", w.seed)
				th := &thread{over: over, name: fmt.Sprint("ids-", word, i), calls: true}
				w.begin(th)
				s, _ := h.snapshot(t, w.who, th.chat)
				wrong := th.pending()[0]
				ids := []string{s.Pending[0].ClarificationID, s.Pending[0].ToolCallID}
				other := slices.IndexFunc(ids, func(id string) bool { return id != wrong.id })
				if slices.Equal(ids, []string{wrong.id, wrong.id}) || !slices.Contains(ids, wrong.id) {
					t.Fatalf("it goes out as %s, of %s", wrong.id, ids)
				}
				wrong.id = ids[other]
				asked, shows := h.asked(w.seed), slices.Clone(th.shows)
				_, output, _ := w.answers(word)
				th.result(wrong, output)
				if r := w.sendsLate(th); r.status < http.StatusBadRequest || h.asked(w.seed) != asked {
					w.fail("its id %s is accepted: %d %s", wrong.id, r.status, r.body)
				}
				w.same(th.chat)
				th.shows = shows
				w.answer(th)
			})
		}
	}
}
