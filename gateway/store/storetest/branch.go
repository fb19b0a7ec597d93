package storetest

import (
	"fmt"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// branch begins a chat of a family, or writes to it.
func branch(t *testing.T, s store.Store, r chat.Ref, root string, minute int) {
	t.Helper()
	update(t, s, r, func(tx store.Tx) error {
		head := tx.Conversation()
		head.WrittenAt = at(minute)
		if head.Fence == 0 {
			head.Root = root
		}
		return begin(tx, at(0))
	})
}

// chats returns the ids of a family, in order.
func chats(t *testing.T, s store.Store, r chat.Ref) (ids []string) {
	t.Helper()
	all, err := s.Branches(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		ids = append(ids, all[i].ChatID)
		if all[i].Turn == nil || all[i].Lines != nil {
			t.Errorf("%+v", all[i])
		}
	}
	return ids
}

// testBranches: a name covers its chat and that chat's branches, the one written to last first; a
// branch's own name covers the same chats; those of others are not among them.
func testBranches(t *testing.T, s store.Store) {
	equal(t, "the chats of no name", chats(t, s, ref("c")), []string(nil))
	branch(t, s, ref("c"), "", 1)
	branch(t, s, ref("fork"), "", 9) // made natively
	equal(t, "a chat without branches", chats(t, s, ref("c")), []string{"c"})
	branch(t, s, ref("b1"), "c", 2)
	branch(t, s, ref("b2"), "c", 3)
	for _, name := range []string{"c", "b1", "b2"} {
		equal(t, "the chats of "+name, chats(t, s, ref(name)), []string{"b2", "b1", "c"})
	}
	branch(t, s, ref("b1"), "c", 4)
	equal(t, "written to", chats(t, s, ref("c")), []string{"b1", "b2", "c"})
	update(t, s, ref("c"), func(tx store.Tx) error { tx.Conversation().UpdatedAt = at(50); return nil })
	equal(t, "changed, and not written to", chats(t, s, ref("c")), []string{"b1", "b2", "c"})
	bob, other, foreign := ref("c"), ref("c"), ref("c")
	bob.Subject, other.App, foreign.Tenant = "bob", "other", "beta"
	for _, r := range []chat.Ref{bob, other, foreign} {
		equal(t, "the chats of another", chats(t, s, r), []string(nil))
		branch(t, s, r, "", 7)
		equal(t, "the chats of another, with one", chats(t, s, r), []string{"c"})
		r.ChatID = "b1"
		equal(t, "a branch, as another", chats(t, s, r), []string(nil))
	}
	if err := s.Delete(t.Context(), ref("c"), at(99)); err != nil {
		t.Fatal(err)
	}
	equal(t, "without the root", chats(t, s, ref("c")), []string{"b1", "b2"})
	equal(t, "without the root, of a branch", chats(t, s, ref("b2")), []string{"b1", "b2"})
	equal(t, "what is stored", view(t, s, ref("b1")).Conversation.Root, "c")
	equal(t, "the family in a view", familyIn(t, s, "b2"), []string{"b1", "b2"})
	for i := range store.MaxBranches + 5 {
		branch(t, s, ref(fmt.Sprint("more", i)), "c", 10+i)
	}
	if all := chats(t, s, ref("c")); len(all) != store.MaxBranches || all[0] != fmt.Sprint("more", store.MaxBranches+4) {
		t.Errorf("many: %d, %v", len(all), all[:2])
	}
	if all := familyIn(t, s, "b1"); len(all) != store.MaxBranches+1 || all[store.MaxBranches] != "b1" {
		t.Errorf("a view of one that is too old: %d, %v", len(all), all[:2])
	}
}

// familyIn returns the ids of the family in a view of a chat.
func familyIn(t *testing.T, s store.Store, chatID string) (ids []string) {
	t.Helper()
	v, err := s.ViewPart(t.Context(), ref(chatID), store.Part{Limit: 1, Family: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Family {
		ids = append(ids, v.Family[i].ChatID)
	}
	return ids
}

// testLines: lines of a client's history are found in all chats of a family, and in copies.
func testLines(t *testing.T, s store.Store) {
	said := func(id, turn, text string) func(tx store.Tx) error {
		return func(tx store.Tx) error {
			tx.Conversation().Fence++
			return all(
				func() error { return tx.BeginTurn(chat.Turn{ID: turn, State: chat.TurnEnded}) },
				func() error {
					return tx.AppendMessage(chat.Message{ID: "msg_" + turn, TurnID: turn, Fence: 7, Role: chat.RoleUser, Content: text, ClientID: chat.ClientID(id), CreatedAt: at(0)})
				},
				func() error {
					return tx.AppendMessage(chat.Message{ID: "re_" + turn, TurnID: turn, Fence: 7, Role: chat.RoleAssistant, Content: "re " + text, CreatedAt: at(0)})
				},
			)
		}
	}
	for i, text := range []string{"one", "two", "three"} {
		update(t, s, ref("c"), said(fmt.Sprint("u", i+1), fmt.Sprint("turn_", i+1), text))
	}
	update(t, s, ref("b"), func(tx store.Tx) error {
		at := chat.Fork{ChatID: "c", MessageID: "msg_turn_2", Own: "msg_turn_b"}
		o, err := tx.Forks().Origin(at)
		if err != nil {
			return err
		}
		tx.Conversation().Fence, tx.Conversation().Fork, tx.Conversation().Root = 10, at, "c"
		return all(func() error { return tx.Forks().Copy(o, "turn_b") }, func() error { return said("u2", "turn_b", "2nd")(tx) })
	})
	queued := chat.Queued{ID: "msg_q", Content: "later", ClientID: chat.ClientID("u9"), CreatedAt: at(0)}
	update(t, s, ref("b"), func(tx store.Tx) error { return tx.Enqueue(queued) })
	equal(t, "the queue", view(t, s, ref("b")).Queue, []chat.Queued{queued})

	lines := []store.Line{
		{ClientID: chat.ClientID("u2"), Text: "two"}, {ClientID: chat.ClientID("u1"), Text: "one"}, {TurnID: "turn_2"},
		{TurnID: "turn_3"}, {ClientID: chat.ClientID("u7")}, {}, {ClientID: chat.ClientID("u9")},
	}
	found, err := s.Branches(t.Context(), ref("c"), lines)
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	one := store.Place{MessageID: "msg_turn_1", TurnID: "turn_1", Same: true, Next: "msg_turn_2"}
	for i := range found {
		want := []store.Place{
			{MessageID: "msg_turn_2", TurnID: "turn_2", Same: true, Next: "msg_turn_3"}, one,
			{MessageID: "msg_turn_2", TurnID: "turn_2", Next: "msg_turn_3"}, {MessageID: "msg_turn_3", TurnID: "turn_3"}, {}, {}, {},
		}
		if found[i].ChatID == "b" {
			one.Next = "msg_turn_b"
			want = []store.Place{{MessageID: "msg_turn_b", TurnID: "turn_b"}, one, {}, {}, {}, {}, {}}
			one.Next = "msg_turn_2"
		}
		equal(t, "the lines in "+found[i].ChatID, found[i].Lines, want)
		equal(t, "where it parts", found[i].Fork.Own, map[string]string{"b": "msg_turn_b"}[found[i].ChatID])
	}
	found, err = s.Branches(t.Context(), ref("c"), make([]store.Line, store.MaxLines+1))
	if err != nil || len(found[0].Lines) != store.MaxLines {
		t.Errorf("too many: %+v, %v", found, err)
	}
}

// testAnswers: a message that answered a question is found by its client's id, also in copies, unless
// the chat has a message with that id.
func testAnswers(t *testing.T, s store.Store) {
	id := chat.ClientID("u2")
	c := question("clr_1", 1, at(0))
	c.State, c.Answer, c.AnsweredAt, c.DoneFence = tools.StateAnswered, &tools.Answer{Skipped: true}, at(1), 1
	c.AnsweredBy = &chat.By{Subject: "alice", Channel: chat.ChannelMessage, ClientID: id}
	message := func(tx store.Tx, id, client string) error {
		return tx.AppendMessage(chat.Message{ID: id, TurnID: "trn_1", Fence: 1, Role: chat.RoleUser, Content: "ask", ClientID: client, CreatedAt: at(0)})
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		tx.Conversation().Fence++
		return all(
			func() error { return tx.BeginTurn(chat.Turn{ID: "trn_1", State: chat.TurnEnded}) },
			func() error { return message(tx, "msg_1", chat.ClientID("u1")) },
			func() error { return tx.AddClarification(c) },
		)
	})
	place := func(answers bool) store.Place {
		found, err := s.Branches(t.Context(), ref("c"), []store.Line{{ClientID: id, Text: "x", Answers: answers}})
		if err != nil || len(found) != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		return found[0].Lines[0]
	}
	p := place(true)
	if p.Answered == nil || p.Answered.ID != c.ID || p.MessageID != "msg_1" || p.TurnID != "trn_1" || !p.Last || p.Same || p.Next != "" {
		t.Errorf("the answer: %+v", p)
	}
	equal(t, "of an unknown line", place(false), store.Place{})
	later := question("clr_2", 2, at(2))
	later.State, later.DoneFence = tools.StateSuperseded, 2
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.AddClarification(later) })
	if p := place(true); p.Answered == nil || p.Last {
		t.Errorf("after it, another was closed: %+v", p)
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return message(tx, "msg_2", id) })
	if p := place(true); p.Answered != nil || p.MessageID != "msg_2" {
		t.Errorf("a message with that id: %+v", p)
	}
}

// testDelivered: the fact that a response reached its client is stored with its run, whatever is
// stored later.
func testDelivered(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	v := view(t, s, ref("c"))
	last := func() chat.Run {
		t.Helper()
		r, err := s.LastRun(t.Context(), v.Conversation.ID, v.Turn.ID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	other := ref("c")
	other.Subject = "bob"
	for _, r := range []chat.Ref{other, ref("nowhere")} {
		if err := s.SaveDelivered(t.Context(), r, v.Conversation.Fence); err != nil {
			t.Errorf("of no chat: %v", err)
		}
	}
	if err := s.SaveDelivered(t.Context(), ref("c"), v.Conversation.Fence+1); err != nil || last().Delivered {
		t.Errorf("of no run: %v, %+v", err, last())
	}
	if err := s.SaveDelivered(t.Context(), ref("c"), v.Conversation.Fence); err != nil || !last().Delivered {
		t.Errorf("%v, %+v", err, last())
	}
	r := last()
	r.Delivered, r.LastSeq = false, 7
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.SaveRun(r) })
	if r := last(); !r.Delivered || r.LastSeq != 7 {
		t.Errorf("stored again: %+v", r)
	}
}
