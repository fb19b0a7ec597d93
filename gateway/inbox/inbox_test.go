package inbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/inbox"
	"github.com/askgate/askgate/gateway/prove/testdb"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

// node is a gateway's inbox with its store and hub.
type node struct {
	t     testing.TB
	store store.Store
	hub   stream.Hub
	inbox *inbox.Inbox
}

func newNode(t testing.TB, s store.Store, hub stream.Hub, shared bool) *node {
	return &node{t, s, hub, inbox.New(inbox.Options{Store: s, Hub: hub, Shared: shared, Log: slog.New(slog.DiscardHandler)})}
}

func newLocal(t testing.TB) *node { return newNode(t, testdb.Open(t), stream.NewLocal(), false) }

func refOf(subject string) chat.Ref {
	return chat.Ref{Tenant: "acme", Subject: subject, App: "helper", ChatID: "c"}
}

// update changes a chat, and nudges as the engine does.
func (n *node) update(ref chat.Ref, fn func(tx store.Tx) error) {
	n.t.Helper()
	if err := n.store.Update(context.WithoutCancel(n.t.Context()), ref, fn); err != nil {
		n.t.Error(err)
	}
	n.hub.Nudge()
}

func newsOf(c *chat.Clarification, what chat.EventType) chat.News {
	return chat.News{At: time.Now(), Type: what, ClarificationID: c.ID, Role: c.For, Asker: c.Asker}
}

// ask stores a question in a chat of the subject, with its news.
func (n *node) ask(ref chat.Ref, id string, change ...func(c *chat.Clarification)) {
	n.t.Helper()
	c := chat.Clarification{
		ID: id, ToolCallID: "call", ToolName: "ask_user", Arguments: "{}", State: tools.StatePending, AskedAt: time.Now(),
		Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{ID: "q1", Question: "Which?", InputType: tools.Text}}},
	}
	for _, f := range change {
		f(&c)
	}
	n.update(ref, func(tx store.Tx) error {
		if err := tx.AddClarification(c); err != nil {
			return err
		}
		return tx.AddNews(newsOf(&c, chat.EventClarification))
	})
}

// answer closes a question.
func (n *node) answer(ref chat.Ref, id string) {
	n.t.Helper()
	n.update(ref, func(tx store.Tx) error {
		c, err := tx.Clarifications().Find(id)
		if err != nil {
			return err
		}
		c.State, c.Answer, c.AnsweredAt = tools.StateAnswered, &tools.Answer{Note: "as you like"}, time.Now()
		c.AnsweredBy = &chat.By{Subject: "another user", Channel: chat.ChannelAPI}
		if err := tx.Clarifications().Save(c); err != nil {
			return err
		}
		return tx.AddNews(newsOf(&c, chat.EventClarificationResolved))
	})
}

func (n *node) done(ref chat.Ref, turn string) {
	n.t.Helper()
	n.update(ref, func(tx store.Tx) error {
		head := tx.Conversation()
		head.Fence++
		head.UpdatedAt = time.Now()
		return tx.SaveRun(chat.Run{Fence: head.Fence, TurnID: turn, FinishReason: chat.FinishStop, Usage: chat.Usage{InputTokens: 1}, EndedAt: head.UpdatedAt})
	})
}

// listener is an open stream.
type listener struct {
	t      testing.TB
	events chan sse.Event
	end    context.CancelFunc
	ended  chan struct{} // closed when the stream has ended
	last   string
}

func everything(string) bool { return true }

// listen opens a person's stream; roles follow the subject.
func (n *node) listen(after, subject string, roles ...string) *listener {
	n.t.Helper()
	return n.listenAs(after, whoIs(subject, roles...))
}

func whoIs(subject string, roles ...string) inbox.Who {
	return inbox.Who{Principal: chat.Principal{Tenant: "acme", Subject: subject, Roles: roles}, MayUse: everything}
}

func (n *node) listenAs(after string, who inbox.Who) *listener {
	n.t.Helper()
	s, err := n.inbox.Follow(n.t.Context(), who, after)
	if err != nil {
		n.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(n.t.Context())
	l := &listener{t: n.t, events: make(chan sse.Event), end: cancel, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		defer s.Close()
		sink := sinkFunc(func(events stream.Events) error {
			for ev, err := range sse.Read(strings.NewReader(string(events.Frames))) {
				if err != nil {
					return err
				}
				ev.Data = []byte(string(ev.Data))
				select {
				case l.events <- ev:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
		if err := s.Begin(sink); err == nil {
			_ = s.Stream(ctx, sink)
		}
	}()
	n.t.Cleanup(l.close)
	return l
}

func (l *listener) close() {
	l.end()
	<-l.ended
}

type sinkFunc func(events stream.Events) error

func (f sinkFunc) Write(events stream.Events) error { return f(events) }

// next returns the next event; ids must grow.
func (l *listener) next() sse.Event {
	l.t.Helper()
	select {
	case ev := <-l.events:
		if ev.ID <= l.last {
			l.t.Errorf("id %s after %s", ev.ID, l.last)
		}
		l.last = ev.ID
		return ev
	case <-time.After(30 * time.Second):
		l.t.Fatal("nothing came")
		return sse.Event{}
	}
}

// data holds the members of events that the tests look at.
type data struct {
	App, ChatID, ClarificationID, TurnID, MessageID, Outcome, FinishReason string
	Pending                                                                []data
	HasMore                                                                bool
	LastEventID                                                            string
}

// word is an event in short form: its name, and the object it is about.
func word(t testing.TB, ev sse.Event) string {
	t.Helper()
	var d data
	if err := json.Unmarshal(ev.Data, &d); err != nil {
		t.Fatal(err)
	}
	if ev.Name == "snapshot" {
		var ids []string
		for _, p := range d.Pending {
			ids = append(ids, p.ClarificationID)
		}
		if d.LastEventID != ev.ID {
			t.Errorf("the snapshot %s has the id %s", ev.Data, ev.ID)
		}
		return fmt.Sprintf("snapshot%v", ids)
	}
	if d.App != "helper" || d.ChatID == "" {
		t.Errorf("%s: %s", ev.Name, ev.Data)
	}
	return ev.Name + ":" + d.ClarificationID + d.TurnID + d.MessageID
}

// expect reads the events that must arrive, and no others before them.
func (l *listener) expect(want ...string) {
	l.t.Helper()
	for _, w := range want {
		if got := word(l.t, l.next()); got != w {
			l.t.Fatalf("%s arrived, want %s", got, w)
		}
	}
}

func TestAStreamBeginsWithWhatWaitsAndGoesOn(t *testing.T) {
	n := newLocal(t)
	n.ask(refOf("alice"), "clr_1")
	n.ask(refOf("alice"), "clr_2")
	n.answer(refOf("alice"), "clr_1")
	n.done(refOf("alice"), "turn_0")
	l := n.listen("", "alice")
	l.expect("snapshot[clr_2]")
	n.ask(refOf("alice"), "clr_3")
	n.done(refOf("alice"), "turn_1")
	n.answer(refOf("alice"), "clr_2")
	l.expect("clarification:clr_3", "done:turn_1", "clarification.resolved:clr_2")
	// News from before the viewer came back is shown with the rows as they are now.
	l.close()
	n.answer(refOf("alice"), "clr_3")
	n.ask(refOf("alice"), "clr_4")
	n.answer(refOf("alice"), "clr_4")
	l = n.listen(l.last, "alice")
	l.expect("clarification.resolved:clr_3", "clarification:clr_4", "clarification.resolved:clr_4")
	n.done(refOf("alice"), "turn_2")
	l.expect("done:turn_2")
}

func TestEventsHaveTheDataOfTheChatsOwn(t *testing.T) {
	n := newLocal(t)
	l := n.listen("", "alice")
	l.next()
	n.ask(refOf("alice"), "clr_1")
	n.answer(refOf("alice"), "clr_1")
	n.done(refOf("alice"), "turn_1")
	c, err := n.store.Clarification(t.Context(), "clr_1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []any{chat.NewAsked(&c), chat.NewResolved(&c), chat.Done{ChatID: "c", TurnID: "turn_1", FinishReason: chat.FinishStop, Usage: chat.Usage{InputTokens: 1}}} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(l.next().Data), `{"app":"helper",`+string(text[1:]); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestEachIsToldWhatConcernsThem(t *testing.T) {
	n := newLocal(t)
	alice, bob := n.listen("", "alice"), n.listen("", "bob", "oncall")
	carol, ci := n.listen("", "carol", "oncall", "dba"), n.listen("", "ci", "oncall")
	for _, l := range []*listener{alice, bob, carol, ci} {
		l.expect("snapshot[]")
	}
	forRole := func(c *chat.Clarification) { c.For, c.Asker = "oncall", "ci" }
	byCI := func(c *chat.Clarification) { c.Asker = "ci" }
	oncall := refOf(chat.RoleSubject("oncall"))

	n.ask(oncall, "clr_role", forRole)
	n.ask(refOf("alice"), "clr_ci", byCI)
	n.ask(refOf("bob"), "clr_approval", func(c *chat.Clarification) { c.For = "dba" }) // of bob's own call
	n.answer(oncall, "clr_role")
	n.answer(refOf("alice"), "clr_ci")
	n.answer(refOf("bob"), "clr_approval")
	n.done(oncall, "turn_role")
	for _, name := range []string{"alice", "bob", "carol", "ci"} {
		n.done(refOf(name), "turn_"+name)
	}
	alice.expect("clarification:clr_ci", "clarification.resolved:clr_ci", "done:turn_alice")
	bob.expect("clarification:clr_role", "clarification:clr_approval", "clarification.resolved:clr_role", "clarification.resolved:clr_approval", "done:turn_bob")
	carol.expect("clarification:clr_role", "clarification:clr_approval", "clarification.resolved:clr_role", "clarification.resolved:clr_approval", "done:turn_carol")
	ci.expect("clarification.resolved:clr_role", "clarification.resolved:clr_ci", "done:turn_ci")
}

// The owner of the chat and the holders hear of each decision that leaves the question open; others do not.
func TestADecisionOfOneOfSeveralIsTold(t *testing.T) {
	n := newLocal(t)
	alice, bob, eve := n.listen("", "alice"), n.listen("", "bob", "finance"), n.listen("", "eve", "oncall")
	for _, l := range []*listener{alice, bob, eve} {
		l.expect("snapshot[]")
	}
	n.ask(refOf("alice"), "clr_pay", func(c *chat.Clarification) {
		c.For, c.Question.Kind, c.Question.Quorum = "finance", tools.KindApproval, 3
	})
	began := time.Now()
	for i, who := range []string{"bob", "carol"} {
		n.update(refOf("alice"), func(tx store.Tx) error {
			c, err := tx.Clarifications().Find("clr_pay")
			if err != nil {
				return err
			}
			at := began.Add(time.Duration(i) * time.Second)
			c.Decide(chat.Decision{By: chat.By{Subject: who, Channel: chat.ChannelAPI}, At: at, Fence: int64(i + 2), Answer: tools.Answer{Value: json.RawMessage(`"yes"`)}})
			if err := tx.Clarifications().Save(c); err != nil {
				return err
			}
			news := newsOf(&c, chat.EventClarificationDecided)
			news.At = at
			return tx.AddNews(news)
		})
	}
	n.answer(refOf("alice"), "clr_pay")
	n.done(refOf("eve"), "turn_eve")
	for _, l := range []*listener{alice, bob} {
		l.expect("clarification:clr_pay", "clarification.decided:clr_pay", "clarification.decided:clr_pay", "clarification.resolved:clr_pay")
	}
	eve.expect("done:turn_eve")
}

func TestALineOfAnAskerIsToldWhereItsQuestionIs(t *testing.T) {
	n := newLocal(t)
	alice, bob := n.listen("", "alice"), n.listen("", "bob", "oncall")
	ci := n.listen("", "ci")
	for _, l := range []*listener{alice, bob, ci} {
		l.expect("snapshot[]")
	}
	say := func(ref chat.Ref, id, role string, while bool) {
		m := chat.Message{ID: id, Role: chat.RoleAssistant, Content: "still here", CreatedAt: time.Now(), AskedBy: &tools.Asker{Kind: tools.AskerProgram, Name: "ci"}}
		n.update(ref, func(tx store.Tx) error {
			put := tx.AppendMessage
			if while { // a turn is running
				put = tx.Defer
			}
			if err := put(m); err != nil {
				return err
			}
			return tx.AddNews(chat.News{At: time.Now(), Type: chat.EventAskerMessage, MessageID: id, Role: role, Asker: "ci"})
		})
	}
	say(refOf("alice"), "msg_1", "", false)
	say(refOf("alice"), "msg_2", "", true)
	say(refOf(chat.RoleSubject("oncall")), "msg_3", "oncall", false)
	for _, name := range []string{"alice", "bob", "ci"} {
		n.done(refOf(name), "turn_"+name)
	}
	alice.expect("asker.message:msg_1", "asker.message:msg_2", "done:turn_alice")
	bob.expect("asker.message:msg_3", "done:turn_bob")
	ci.expect("done:turn_ci")
}

func TestWhatWaitsForARoleIsInItsHoldersSnapshots(t *testing.T) {
	n := newLocal(t)
	n.ask(refOf(chat.RoleSubject("oncall")), "clr_role", func(c *chat.Clarification) { c.For, c.Asker = "oncall", "ci" })
	n.listen("", "bob", "oncall").expect("snapshot[clr_role]")
	for _, l := range []*listener{n.listen("", "bob"), n.listen("", "ci", "oncall"), n.listen("", "carol", "dba")} {
		l.expect("snapshot[]")
	}
	l := n.listenAs("", inbox.Who{Principal: chat.Principal{Tenant: "other", Subject: "bob", Roles: []string{"oncall"}}, MayUse: everything})
	l.expect("snapshot[]")
}

func TestAnAppThatIsTakenAwayIsNotTold(t *testing.T) {
	n := newLocal(t)
	apps := map[string]bool{"helper": true, "other": true}
	who := inbox.Who{Principal: chat.Principal{Tenant: "acme", Subject: "alice"}, MayUse: func(app string) bool { return apps[app] }}
	other := refOf("alice")
	other.App = "other"
	n.ask(refOf("alice"), "clr_1")
	n.ask(other, "clr_2")
	apps["other"] = false
	l := n.listenAs("", who)
	l.expect("snapshot[clr_1]")
	n.answer(other, "clr_2")
	n.done(refOf("alice"), "turn_1")
	l.expect("done:turn_1")
}

func TestOfADeletedChatOnlyTheEndIsTold(t *testing.T) {
	n := newLocal(t)
	l, ci := n.listen("", "alice"), n.listen("", "ci")
	l.expect("snapshot[]")
	ci.expect("snapshot[]")
	l.close()
	gone := refOf("alice")
	gone.ChatID = "gone"
	n.ask(gone, "clr_1")
	n.ask(gone, "clr_2", func(c *chat.Clarification) { c.Asker = "ci" })
	n.answer(gone, "clr_1")
	if err := n.store.Delete(t.Context(), gone, time.Time{}); err != nil {
		t.Fatal(err)
	}
	n.done(refOf("alice"), "turn_1")
	l = n.listen(l.last, "alice")
	for _, l := range []*listener{l, ci} {
		ev := l.next()
		if got := word(t, ev); got != "clarification.resolved:clr_2" || !strings.Contains(string(ev.Data), `"toolCallId":"call","outcome":"cancelled","answer":null,`) {
			t.Errorf("%s %s", got, ev.Data)
		}
	}
	l.expect("done:turn_1")
}

func TestAnIdThatSaysNothingBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLocal(t)
		n.ask(refOf("alice"), "clr_1")
		l := n.listen("", "alice")
		l.expect("snapshot[clr_1]")
		l.close()
		for _, id := range []string{"x", l.last + "0", strings.Repeat("9", len(l.last)), "17952212424450000000001", strings.Repeat("-", len(l.last))} {
			other := n.listen(id, "alice")
			other.expect("snapshot[clr_1]")
			other.close()
		}
		time.Sleep(22 * time.Hour)
		n.done(refOf("alice"), "turn_1")
		early := n.listen(l.last, "alice")
		early.expect("done:turn_1")
		early.close()
		time.Sleep(2 * time.Hour)
		late := n.listen(l.last, "alice")
		late.expect("snapshot[clr_1]")
		late.close()
	})
}

// A viewer that accepts nothing for a long time misses nothing.
func TestASlowViewerGetsAllInOrder(t *testing.T) {
	n := newLocal(t)
	slow, quick := n.listen("", "alice"), n.listen("", "alice")
	slow.expect("snapshot[]")
	quick.expect("snapshot[]")
	const events = 700
	for i := range events {
		n.done(refOf("alice"), fmt.Sprint(i))
		quick.expect(fmt.Sprint("done:", i))
	}
	for i := range events {
		slow.expect(fmt.Sprint("done:", i))
	}
}

func TestASnapshotSaysThatThereAreMore(t *testing.T) {
	n := newLocal(t)
	n.update(refOf("alice"), func(tx store.Tx) error {
		for i := range 201 {
			c := chat.Clarification{ID: fmt.Sprintf("clr_%03d", i), Arguments: "{}", State: tools.StatePending, AskedAt: time.Now(), Question: tools.Question{Kind: tools.KindQuestion}}
			if err := tx.AddClarification(c); err != nil {
				return err
			}
		}
		return nil
	})
	var d data
	if err := json.Unmarshal(n.listen("", "alice").next().Data, &d); err != nil || len(d.Pending) != 200 || !d.HasMore {
		t.Errorf("%d of 201, more: %v, %v", len(d.Pending), d.HasMore, err)
	}
}
