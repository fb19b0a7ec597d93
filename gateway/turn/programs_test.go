package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// reload gives the house another configuration, with its own catalogue.
func (h *house) reload(snap *config.Snapshot) {
	h.t.Helper()
	catalog, err := toolexec.NewCatalog(snap, h.factories)
	if err != nil {
		h.t.Fatal(err)
	}
	setup := h.engine.Setup()
	setup.Config, setup.Catalog = snap, catalog
	h.app, _ = snap.App("helper")
}

// asking is a question of ci to the owner of the chat.
func (h *house) asking(key string) turn.Asking {
	h.t.Helper()
	tool, out := h.engine.Executor.Ask(h.t.Context(), h.engine.Setup().Catalog, h.app, tools.Call{
		ID: "call", Arguments: `{"question": "Deploy?", "input_type": "choice", "options": ["yes", "no"]}`, Language: "en",
	})
	if out.Question == nil {
		h.t.Fatal(out.Error)
	}
	return turn.Asking{
		Ref: h.ref, Asker: chat.Principal{Tenant: "t", Subject: "ci"}, By: tools.Asker{Kind: tools.AskerProgram, Name: "deploy", Title: "CI #1"},
		Tool: tool, Question: *out.Question, Key: key, Hash: "hash of " + key, Actor: chat.Actor{Tenant: "t", Subject: "ci"},
	}
}

func (h *house) ask(a turn.Asking) chat.Clarification {
	h.t.Helper()
	c, _, err := h.engine.Ask(h.t.Context(), a)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *house) named(id, value string) turn.Command {
	raw, _ := json.Marshal(value)
	return turn.Command{Ref: h.ref, Answer: &turn.Answer{ClarificationID: id, Answer: tools.Answer{Value: raw}}}
}

// want compares what a client was shown: names of events, each once, in their order.
func (c *collector) want(t *testing.T, want string) {
	t.Helper()
	if got := c.names(t); got != want {
		t.Errorf("shown %q, want %q", got, want)
	}
}

// A program's question is a run of its own: its answer, in any of the ways, is another run, and the
// model learns of neither.
func TestAProgramsQuestionIsAskedAndAnsweredWithoutATurn(t *testing.T) {
	for way, send := range map[string]func(t *testing.T, h *house, id string) (string, chat.Channel){
		"an answer": func(t *testing.T, h *house, id string) (string, chat.Channel) {
			return h.drive(h.named(id, "yes")).names(t), chat.ChannelAPI
		},
		"an answer that does not name a question": func(t *testing.T, h *house, _ string) (string, chat.Channel) {
			return h.drive(h.named("", "yes")).names(t), chat.ChannelAPI
		},
		"a plain message": func(t *testing.T, h *house, _ string) (string, chat.Channel) {
			return h.drive(h.message("yes")).names(t), chat.ChannelMessage
		},
		"by its id": func(t *testing.T, h *house, id string) (string, chat.Channel) {
			if _, err := h.engine.AnswerByID(h.t.Context(), nil, id, turn.Answer{Answer: tools.Answer{Value: json.RawMessage(`"yes"`)}}, actor("s"), "link"); err != nil {
				h.t.Fatal(err)
			}
			return "clarification.resolved done", "link"
		},
	} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, `{}`, nil)
				asked := h.ask(h.asking(""))
				s := h.snapshot()
				if s.Status != chat.StatusAwaitingInput || len(s.Pending) != 1 || s.Clarifications.Used != 0 || s.Pending[0].ClarificationNumber != 0 {
					t.Fatalf("the snapshot: %+v", s)
				}
				if m := s.Messages[0]; len(s.Messages) != 1 || m.AskedBy == nil || m.AskedBy.Title != "CI #1" || m.ToolCalls[0].ToolCallID != asked.ToolCallID ||
					m.ToolCalls[0].Clarification.ClarificationID != asked.ID || m.Role != chat.RoleAssistant {
					t.Errorf("its message: %+v", s.Messages)
				}
				watching := h.follow(t.Context(), s.LastEventID)
				names, channel := send(t, h, asked.ID)
				if names != "clarification.resolved done" {
					t.Errorf("the sender is shown %q", names)
				}
				synctest.Wait()
				watching.want(t, "clarification.resolved done")
				end := watching.events(t)
				if strings.Contains(string(end[1].Data), "turnId") || !strings.Contains(string(end[1].Data), `"finishReason":"stop"`) {
					t.Errorf("done: %s", end[1].Data)
				}
				s = h.snapshot()
				kept := s.Messages[0].ToolCalls[0].Clarification
				if s.Status != chat.StatusIdle || len(s.Pending) != 0 || kept.State != tools.StateAnswered || kept.AnsweredBy.Channel != channel || s.LastEventID != end[1].ID {
					t.Errorf("afterwards: %+v, %+v", s, kept)
				}
				if len(h.model.sent) != 0 {
					t.Error("the model was asked")
				}
				_, err := h.engine.Submit(t.Context(), h.named(asked.ID, "no"))
				wantCode(t, err, chat.CodeAlreadyAnswered)
			})
		})
	}
}

// Waiting questions of programs neither stop a chat nor answer it: a message begins a turn, which
// pauses and continues independently, and its prompt contains nothing of them.
func TestATurnGoesOnWhileProgramsQuestionsArePending(t *testing.T) {
	h := build(t, `{}`, nil, asks("ask_1"), says("French it is"), says("and so on"))
	first := h.ask(h.asking("1"))
	h.drive(h.message("Translate this please")).want(t, "turn.start user.message tool.call.start clarification done")
	second := h.ask(h.asking("2"))
	if _, err := h.engine.PostMessage(t.Context(), nil, h.ref, "ci", tools.Asker{Kind: tools.AskerProgram, Name: "deploy"}, "Building"); err != nil {
		t.Fatal(err)
	}
	if s := h.snapshot(); len(s.Pending) != 3 || s.Clarifications.Used != 1 {
		t.Fatalf("%+v", s)
	}
	h.drive(h.named(first.ID, "no")).want(t, "clarification.resolved done")
	if s := h.snapshot(); s.Status != chat.StatusAwaitingInput {
		t.Errorf("status %s", s.Status)
	}
	h.drive(h.answer("ask_1", "fr")).want(t, "turn.start clarification.resolved tool.call.end chunk done")
	if s := h.snapshot(); s.Status != chat.StatusAwaitingInput || s.FinishReason != chat.FinishStop {
		t.Errorf("with a waiting question: %s, %s", s.Status, s.FinishReason)
	}
	h.drive(h.message("Go on, please")).want(t, "turn.start user.message chunk done")
	for _, m := range h.model.sent[len(h.model.sent)-1].Messages {
		if strings.Contains(m.Content, "Deploy") || strings.Contains(m.Content, "Building") || m.Content == "" && len(m.ToolCalls) == 0 {
			t.Errorf("the model was sent %+v", m)
		}
	}
	h.drive(h.named(second.ID, "yes")).want(t, "clarification.resolved done")
	if s := h.snapshot(); s.Status != chat.StatusIdle {
		t.Errorf("status %s", s.Status)
	}
}

// While a turn runs, questions and messages of programs are stored at once, can be answered, and
// are announced when the turn is over, each once.
func TestWhileATurnRunsProgramsAreHeardAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, hangs("Well", reached))
		_, ran, ended := h.start(h.message("hello"))
		<-reached
		answered, open := h.ask(h.asking("1")), h.ask(h.asking("2"))
		if _, err := h.engine.PostMessage(t.Context(), nil, h.ref, "ci", tools.Asker{Kind: tools.AskerProgram, Name: "deploy"}, "Building"); err != nil {
			t.Fatal(err)
		}
		h.drive(h.named(answered.ID, "no")).want(t, "clarification.resolved done")
		if s := h.snapshot(); s.Status != chat.StatusRunning || len(s.Pending) != 1 || s.Pending[0].ClarificationID != open.ID {
			t.Fatalf("meanwhile: %+v", s)
		}
		after := h.snapshot().LastEventID
		watching := h.follow(t.Context(), after)
		if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		ran.want(t, "turn.start user.message chunk done")
		synctest.Wait()
		const all = "clarification clarification asker.message clarification.resolved done"
		if got := watching.names(t); !strings.HasSuffix(got, all) {
			t.Errorf("told %q", got)
		}
		// A viewer who comes back gets the same, with the same ids.
		again := h.follow(t.Context(), ran.events(t)[3].ID)
		synctest.Wait()
		again.want(t, all)
		live := watching.events(t)
		for i, ev := range again.events(t) {
			if want := live[len(live)-5+i]; ev.ID != want.ID || string(ev.Data) != string(want.Data) {
				t.Errorf("again %s %s, live %s %s", ev.ID, ev.Data, want.ID, want.Data)
			}
		}
		s := h.snapshot()
		if len(s.Messages) != 5 || s.Messages[4].Content != "Building" || s.Status != chat.StatusAwaitingInput || s.LastEventID != live[len(live)-1].ID {
			t.Errorf("the snapshot: %+v", s)
		}
	})
}

// If a node dies before it announces the questions of programs, the sweeper of another node does.
func TestTheSweeperTellsWhatADeadNodeDidNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reached := make(chan struct{})
		h := build(t, `{}`, nil, hangs("Well", reached), says("Hello"))
		_, _, ended := h.start(h.message("hello"))
		<-reached
		other := h.node(stream.NewLocal()) // receives nothing from the first
		asked := other.ask(other.asking("1"))
		if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
			t.Fatal(err)
		}
		<-ended
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go other.engine.Sweep(ctx)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		c, err := h.store.Clarification(t.Context(), asked.ID)
		if err != nil || c.AskedFence == 0 {
			t.Errorf("%+v, %v", c, err)
		}
		if s := other.snapshot(); s.Messages[len(s.Messages)-1].ToolCalls[0].Clarification.ClarificationID != asked.ID {
			t.Errorf("%+v", s.Messages)
		}
	})
}

// Of many callers that use a key at once, one asks; the others get its question, even after its
// end, and in whatever chat.
func TestAnAskersKeyAsksOnce(t *testing.T) {
	h := build(t, `{"perAskerPerDay": 1}`, nil)
	var ids sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		a := h.asking("k")
		a.Ref.ChatID = fmt.Sprint("c", i%3)
		all.Go(func() {
			c, _, err := h.engine.Ask(t.Context(), a)
			if err != nil {
				t.Error(err)
			}
			ids.Store(c.ID, c.Ref)
		})
	}
	all.Wait()
	n := 0
	ids.Range(func(id, ref any) bool {
		n++
		if err := h.engine.Withdraw(t.Context(), id.(string), chat.Actor{Tenant: "t", Subject: "ci"}); err != nil {
			t.Error(err)
		}
		return true
	})
	if n != 1 {
		t.Fatalf("%d questions", n)
	}
	c, again, err := h.engine.Ask(t.Context(), h.asking("k"))
	if err != nil || !again || c.State != tools.StateCancelled || c.AnsweredBy.Subject != "ci" {
		t.Errorf("after its end: %+v, %v, %v", c, again, err)
	}
	changed := h.asking("k")
	changed.Hash = "another"
	_, _, err = h.engine.Ask(t.Context(), changed)
	wantCode(t, err, chat.CodeIdempotencyConflict)
	_, _, err = h.engine.Ask(t.Context(), h.asking("other"))
	if e := wantCode(t, err, chat.CodeClarificationLimit); e.RetryAfter <= 0 || e.RetryAfter > 24*time.Hour {
		t.Errorf("retry after %v", e.RetryAfter)
	}
}

// The caps of the asker and of the person asked count programs' questions; that of the chat does
// not.
func TestCapsOfProgramsQuestions(t *testing.T) {
	h := build(t, `{"perConversation": 1, "perPrincipalPerDay": 2}`, nil)
	h.ask(h.asking(""))
	h.ask(h.asking(""))
	before := h.snapshot().LastEventID
	_, _, err := h.engine.Ask(t.Context(), h.asking(""))
	wantCode(t, err, chat.CodeClarificationLimit)
	if s := h.snapshot(); len(s.Pending) != 2 || s.LastEventID != before {
		t.Error("something was stored")
	}
	role := h.asking("")
	role.Role, role.Ref.Subject = "oncall", chat.RoleSubject("oncall")
	h.ask(role) // for a role, it counts for no person
}

// A question to a role is in a chat without an owner, and its first valid answer wins.
func TestOneOfARoleAnswers(t *testing.T) {
	h := build(t, `{}`, nil)
	a := h.asking("")
	a.Role, a.Ref = "oncall", chat.Ref{Tenant: "t", Subject: chat.RoleSubject("oncall"), App: "helper", ChatID: "ask-1"}
	c := h.ask(a)
	if !c.MayAnswer(chat.Principal{Tenant: "t", Subject: "bob", Roles: []string{"oncall"}}) || c.MayAnswer(chat.Principal{Tenant: "t", Subject: "bob"}) ||
		c.MayAnswer(chat.Principal{Tenant: "t", Subject: "ci", Roles: []string{"oncall"}}) || c.MayAnswer(chat.Principal{Tenant: "u", Subject: "bob", Roles: []string{"oncall"}}) {
		t.Error("people without the role may answer")
	}
	value := func(v string) turn.Answer {
		return turn.Answer{Answer: tools.Answer{Value: json.RawMessage(v)}}
	}
	_, err := h.engine.AnswerByID(t.Context(), nil, c.ID, value(`"yes"`), actor("ci"), chat.ChannelAPI)
	wantCode(t, err, chat.CodeForbidden)
	var invalid *tools.AnswerError
	if _, err := h.engine.AnswerByID(t.Context(), nil, c.ID, value(`"perhaps"`), actor("bob"), chat.ChannelAPI); !errors.As(err, &invalid) {
		t.Errorf("an invalid answer: %v", err)
	}
	var won sync.Map
	var all sync.WaitGroup
	for _, who := range []string{"bob", "carol", "dave"} {
		all.Go(func() {
			closed, err := h.engine.AnswerByID(t.Context(), nil, c.ID, value(`"yes"`), actor(who), chat.ChannelAPI)
			if err == nil {
				won.Store(who, closed.AnsweredBy.Subject)
			} else if chat.CodeOf(err) != chat.CodeAlreadyAnswered {
				t.Error(err)
			}
		})
	}
	all.Wait()
	n := 0
	won.Range(func(who, by any) bool {
		n++
		if who != by {
			t.Errorf("%v won, and it contains %v", who, by)
		}
		return true
	})
	if n != 1 {
		t.Errorf("%d won", n)
	}
}

// Programs' questions expire like others, in time, and nothing continues after them.
func TestAProgramsQuestionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{"expiresIn": "1h"}`, nil)
		a := h.asking("")
		a.ExpiresAt = time.Now().Add(30 * time.Minute)
		soon := h.ask(a)
		a.ExpiresAt = time.Now().Add(48 * time.Hour) // the app's is the latest
		h.ask(a)
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(30*time.Minute + 5*time.Second)
		c, err := h.store.Clarification(t.Context(), soon.ID)
		if err != nil || c.State != tools.StateExpired || c.AnsweredBy != nil {
			t.Errorf("%+v, %v", c, err)
		}
		_, err = h.engine.Submit(t.Context(), h.named(soon.ID, "yes"))
		wantCode(t, err, chat.CodeClarificationClosed)
		if len(h.snapshot().Pending) != 1 {
			t.Error("the other one is gone as well")
		}
		time.Sleep(30 * time.Minute)
		if s := h.snapshot(); len(s.Pending) != 0 || s.Status != chat.StatusIdle {
			t.Errorf("%+v", s)
		}
		stop()
		synctest.Wait()
	})
}

// A failed turn can be resumed, whatever programs have asked since.
func TestAFailedTurnResumesBehindProgramsQuestions(t *testing.T) {
	reached := make(chan struct{})
	h := build(t, `{}`, nil, hangs("half a sen", reached), says("The whole sentence."))
	_, _, ended := h.start(h.message("hello"))
	<-reached
	if err := h.engine.Cancel(t.Context(), h.ref); err != nil {
		t.Fatal(err)
	}
	<-ended
	asked := h.ask(h.asking(""))
	h.drive(turn.Command{Ref: h.ref, Resume: true, Interactive: true}).want(t, "turn.start step.restart chunk done")
	s := h.snapshot()
	if len(s.Messages) != 3 || s.Messages[2].Content != "The whole sentence." || s.Pending[0].ClarificationID != asked.ID {
		t.Errorf("%+v", s.Messages)
	}
}

// Waiting questions are in the order in which they were asked, regardless of the asker; a chat
// without a turn has none to resume.
func TestQuestionsWaitInTheOrderInWhichTheyWereAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("count_1"), says("Done."))
		h.tool = curious{&atomic.Int64{}}
		var want []string
		first := h.ask(h.asking(""))
		if _, err := h.engine.Submit(t.Context(), turn.Command{Ref: h.ref, Resume: true, Interactive: true}); chat.CodeOf(err) != chat.CodeNothingToResume {
			t.Errorf("resumed without a turn: %v", err)
		}
		h.drive(h.message("something else"))
		want = append(want, first.ID, h.snapshot().Pending[1].ClarificationID)
		for range 6 {
			time.Sleep(time.Millisecond)
			want = append(want, h.ask(h.asking("")).ID)
		}
		var got []string
		for _, c := range h.snapshot().Pending {
			got = append(got, c.ClarificationID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("they wait as %v, asked as %v", got, want)
		}
	})
}

// A plain yes that may be meant for a program's question approves no call.
func TestAYesThatMayBeForAProgramAllowsNothing(t *testing.T) {
	h := build(t, `{}`, nil, asks("guard_1"), says("Done."))
	h.drive(h.message("hi"))
	asked := h.ask(h.asking(""))
	yes := h.message("yes")
	yes.LastEventID = h.snapshot().LastEventID
	if _, err := h.engine.Submit(t.Context(), yes); chat.CodeOf(err) != chat.CodeClarificationPending {
		t.Errorf("a yes while two wait: %v", err)
	}
	if s := h.snapshot(); len(s.Pending) != 2 {
		t.Errorf("%d wait", len(s.Pending))
	}
	h.drive(h.named(asked.ID, "yes"))
	h.drive(yes).want(t, "turn.start clarification.resolved tool.call.end chunk done")
}
