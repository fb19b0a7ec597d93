package turn_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/follow"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// escalating has holders of finance approve the calls of clock, and those of two more roles from later on.
func (h *house) escalating(more string) {
	h.t.Helper()
	h.ownTools(`{"expiresIn": "3m"}`, `[{"id": "clock", "editable": true, "needsApproval": {"by": {"role": "finance"}`+more+`,
		"escalate": [{"after": "1m", "to": {"role": "lead"}}, {"after": "2m", "to": {"role": "board"}}]}}]`)
}

// holds reports which of these people may answer: each has the role of that name.
func holds(c *chat.Clarification) string {
	var list []string
	for _, role := range []string{"finance", "lead", "board", "other"} {
		if c.MayAnswer(chat.Principal{Tenant: "t", Subject: role, Roles: []string{role}}) {
			list = append(list, role)
		}
	}
	return strings.Join(list, " ")
}

func (h *house) storedAs(id string) *chat.Clarification {
	h.t.Helper()
	c, err := h.store.Clarification(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	return &c
}

// rolesOf returns the roles that are asked, too.
func rolesOf(all []chat.AlsoAsked) string {
	var list []string
	for _, a := range all {
		list = append(list, a.Role)
	}
	return strings.Join(list, " ")
}

// From each step on, and not before, the holders of its role may answer, and the snapshot, the stream and the
// lists say so. The model is told which roles were asked.
func TestAQuestionIsEscalatedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.escalating("")
		h.drive(h.message("what time is it?"))
		asked := h.snapshot()
		id := asked.Clarification.ClarificationID
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		watching := h.follow(t.Context(), asked.LastEventID)
		synctest.Wait()
		want := func(what, may, also string) {
			t.Helper()
			synctest.Wait()
			now := h.snapshot()
			if got := holds(h.storedAs(id)); got != may || rolesOf(now.Clarification.AlsoAsks) != also || now.Clarification.WaitsFor.Role != "finance" {
				t.Errorf("%s: %q may answer, the snapshot has %v", what, got, now.Clarification.AlsoAsks)
			}
			for _, role := range []string{"lead", "board"} {
				list, _, err := h.store.Clarifications(t.Context(), "t", role, store.Which{Status: store.StatusPending, Roles: []string{role}}, store.Page{Limit: 10})
				if err != nil || (len(list) == 1) != slices.Contains(strings.Fields(may), role) {
					t.Errorf("%s: the list of %s has %d, %v", what, role, len(list), err)
				}
			}
		}
		time.Sleep(time.Minute - time.Second)
		want("before the first step", "finance", "")
		time.Sleep(2 * time.Second)
		want("after the first step", "finance lead", "lead")
		if at := time.Time(h.snapshot().Clarification.AlsoAsks[0].At); at.Sub(h.storedAs(id).AskedAt).Round(2*time.Second) != time.Minute {
			t.Errorf("the first step happened at %v", at)
		}
		time.Sleep(time.Minute)
		want("after the second step", "finance lead board", "lead board")
		if _, err := h.engine.AnswerByID(t.Context(), nil, id, turn.Answer{Answer: tools.Answer{Value: json.RawMessage(`true`), Note: "go on"}}, actor("board"), chat.ChannelAPI); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if names := watching.names(t); names != "turn.start clarification.escalated done turn.start clarification.escalated done turn.start clarification.resolved tool.call.end chunk done" {
			t.Errorf("told %q", names)
		}
		if said := h.model.last(); !strings.Contains(said.Content, "A holder of the role finance or lead or board notes: go on") {
			t.Errorf("the model reads %q", said.Content)
		}
		if c := h.storedAs(id); len(c.Escalated) != 2 || c.Decision().By != "board" {
			t.Errorf("stored %+v, decided by %+v", c.Escalated, c.Decision())
		}
		stop()
		synctest.Wait()
	})
}

// What is no longer open when a step is due is not escalated; nor is it once it has expired.
func TestAClosedQuestionIsNotEscalated(t *testing.T) {
	for what, end := range map[string]func(h *house, id string){
		"answered":   func(h *house, id string) { _, _ = h.decides("carol", id, false, "") },
		"superseded": func(h *house, id string) { h.drive(h.message("never mind")) },
		"expired":    func(*house, string) { time.Sleep(4 * time.Minute) },
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := build(t, `{}`, nil, asks("guard_1"), says("done"), says("more"))
				h.escalating("")
				h.drive(h.message("what time is it?"))
				id := h.snapshot().Clarification.ClarificationID
				end(h, id)
				ctx, stop := context.WithCancel(t.Context())
				go h.engine.Sweep(ctx)
				time.Sleep(5 * time.Minute)
				stop()
				synctest.Wait()
				if c := h.storedAs(id); c.State == tools.StatePending || len(c.Escalated) != 0 {
					t.Errorf("%s, with the steps %+v", c.State, c.Escalated)
				}
			})
		})
	}
}

// Decisions of the holders of all roles count for a quorum; those of one person with two roles count once.
func TestDecisionsOfAllRolesCountForAQuorum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.escalating(`, "quorum": 2`)
		h.drive(h.message("what time is it?"))
		id := h.snapshot().Clarification.ClarificationID
		if _, err := h.decides("carol", id, true, ""); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(time.Minute + 2*time.Second)
		stop()
		synctest.Wait()
		if now := h.snapshot().Clarification; rolesOf(now.AlsoAsks) != "lead" || people(now.Decisions) != "+carol" {
			t.Fatalf("%+v", now)
		}
		if _, err := h.decides("carol", id, true, ""); chat.CodeOf(err) != chat.CodeAlreadyDecided { // also a lead
			t.Errorf("the same person again: %v", err)
		}
		if c, err := h.decides("leo", id, true, ""); err != nil || c.State != tools.StateAnswered {
			t.Errorf("%+v, %v", c.State, err)
		}
		synctest.Wait()
		if h.calls.Load() != 1 {
			t.Errorf("the call ran %d times", h.calls.Load())
		}
	})
}

// A viewer who comes back, to a node that was restarted, gets of each step what was sent live.
func TestAViewerWhoComesBackBetweenStepsMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.escalating(`, "quorum": 2`)
		live := h.follow(t.Context(), "")
		synctest.Wait() // it gets all events, and not a later snapshot
		h.drive(h.message("what time is it?"))
		id := h.snapshot().Clarification.ClarificationID
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(time.Minute + 2*time.Second)
		for _, who := range []string{"carol", "board"} {
			if _, err := h.decides(who, id, true, ""); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
		stop()
		synctest.Wait()
		print := func(list []sse.Event) string {
			var b strings.Builder
			for _, ev := range list {
				if ev.Name != "" {
					b.WriteString(ev.Name + " " + ev.ID + " " + string(ev.Data) + "\n")
				}
			}
			return b.String()
		}
		all := slices.DeleteFunc(live.events(t), func(ev sse.Event) bool { return ev.Name == "" || ev.Name == "snapshot" })
		if n := strings.Count(print(all), "clarification.escalated"); n != 2 {
			t.Fatalf("%d steps in\n%s", n, print(all))
		}
		for i := range all {
			restarted := follow.Reader{Store: h.store, Hub: stream.NewLocal(), Shared: true}
			f, err := restarted.Follow(t.Context(), h.ref, 7, all[i].ID)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			var back collector
			if err := f.Begin(&back); err != nil {
				t.Fatal(err)
			}
			_ = f.Stream(ctx, &back)
			cancel()
			f.Close()
			if got, want := print(back.events(t)), print(all[i+1:]); got != want {
				t.Errorf("behind %s: \n%s, want\n%s", all[i].ID, got, want)
			}
		}
	})
}

// Of two nodes whose sweepers find the same step, one makes it happen: there is one event, one record and one
// piece of news for each role.
func TestAStepHappensOnceOnAllNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.escalating("")
		h.drive(h.message("what time is it?"))
		id := h.snapshot().Clarification.ClarificationID
		other := h.node(stream.NewLocal())
		ctx, stop := context.WithCancel(t.Context())
		for _, e := range []*turn.Engine{h.engine, other.engine} {
			go e.Sweep(ctx)
		}
		time.Sleep(2*time.Minute + 2*time.Second)
		stop()
		synctest.Wait()
		if c := h.storedAs(id); len(c.Escalated) != 2 || c.Escalated[0].Fence == c.Escalated[1].Fence {
			t.Errorf("%+v", c.Escalated)
		}
		news, _, err := h.store.Feed().AllNews(t.Context(), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range news {
			if n := &news[i]; strings.HasPrefix(string(n.Type), "clarification") {
				got = append(got, string(n.Type)+":"+n.Role)
			}
		}
		want := "clarification:finance clarification.escalated:finance clarification:lead clarification.escalated:finance clarification.escalated:lead clarification:board"
		if strings.Join(got, " ") != want {
			t.Errorf("told %v, want %s", got, want)
		}
	})
}

// A program's question to a role is escalated without a turn.
func TestAProgramsQuestionIsEscalated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil)
		a := h.asking("")
		a.Ref.Subject, a.Role = chat.RoleSubject("oncall"), "oncall"
		a.Question.Escalate = []tools.Escalation{{After: time.Minute, Role: "lead"}, {After: time.Minute + time.Millisecond, Role: "board"}}
		id := h.ask(a).ID
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(59 * time.Second)
		synctest.Wait()
		if got := holds(h.storedAs(id)); got != "" {
			t.Errorf("before: %q may answer", got)
		}
		time.Sleep(3 * time.Second)
		stop()
		synctest.Wait()
		if c := h.storedAs(id); holds(c) != "lead board" || len(c.Escalated) != 2 {
			t.Errorf("after: %q may answer, %+v", holds(c), c.Escalated)
		}
		if _, err := h.engine.AnswerByID(t.Context(), nil, id, turn.Answer{Answer: tools.Answer{Value: json.RawMessage(`"yes"`)}}, actor("lead"), chat.ChannelAPI); err != nil {
			t.Error(err)
		}
	})
}

// The audit says who was asked, too, and when: a record for each step, by the gateway.
func TestTheAuditTellsOfEachStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("guard_1"), says("done"))
		h.escalating("")
		h.audited(true)
		h.drive(h.message("what time is it?"))
		id := h.snapshot().Clarification.ClarificationID
		time.Sleep(2*time.Minute + time.Second) // no node is there
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(2 * time.Second)
		stop()
		synctest.Wait()
		if _, err := h.decides("lea", id, true, ""); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var got []string
		for _, r := range h.audit() {
			got = append(got, strings.TrimSpace(string(r.What)+" by "+string(r.By.Kind)+" of "+r.Role+", also "+rolesOf(r.AlsoAsks)))
			if r.What == chat.AuditEscalated && (len(r.Questions) > 0 || len(r.Arguments) > 0 || r.ClarificationID != id || r.AlsoAsks[len(r.AlsoAsks)-1].At != r.At) {
				t.Errorf("%+v", r)
			}
		}
		want := []string{"asked by model of finance, also", "escalated by gateway of finance, also lead", "escalated by gateway of finance, also lead board", "resolved by caller of finance, also lead board"}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// A copy of the chat asks the first role again, and escalates from then on.
func TestAForkOfAnEscalatedQuestionBeginsWithTheFirstRole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := build(t, `{}`, nil, asks("call_1", "guard_1"), says("done"))
		h.escalating("")
		h.drive(h.message("what time is it?"))
		pending := h.snapshot().Pending
		h.drive(h.answer("call_1", "Rome"))
		ctx, stop := context.WithCancel(t.Context())
		go h.engine.Sweep(ctx)
		time.Sleep(time.Minute + 2*time.Second)
		h.drive(h.fork(chat.Fork{ClarificationID: pending[0].ClarificationID}, nil, "Paris"))
		if here := h.snapshot().Pending; len(here) != 1 || rolesOf(here[0].AlsoAsks) != "lead" {
			t.Errorf("in the first chat: %+v", here)
		}
		h.ref.ChatID = "c2"
		there := h.snapshot().Pending
		if len(there) != 1 || len(there[0].AlsoAsks) != 0 || holds(h.storedAs(there[0].ClarificationID)) != "finance" {
			t.Fatalf("in the copy: %+v", there)
		}
		time.Sleep(time.Minute + 2*time.Second)
		if got := holds(h.storedAs(there[0].ClarificationID)); got != "finance lead" {
			t.Errorf("a minute later, %q may answer", got)
		}
		stop()
		synctest.Wait()
	})
}
