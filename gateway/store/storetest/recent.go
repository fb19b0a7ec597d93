package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// testRecent: of a long chat, a run reads the newest turns, whole, and whatever else it needs.
func testRecent(t *testing.T, s store.Store) {
	const turns = 300 // more messages than are read together
	read := func(span store.Span) *store.Recent {
		t.Helper()
		r, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return span })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	_, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return store.Span{} })
	wantError(t, "the newest part of no chat", err, store.ErrNotFound)
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	update(t, s, ref("c"), func(tx store.Tx) error {
		for i := range turns {
			turn := chat.Turn{ID: fmt.Sprint("trn_", i), State: chat.TurnEnded, StartedAt: at(i)}
			if err := tx.BeginTurn(turn); err != nil {
				return err
			}
			asked := chat.Message{ID: fmt.Sprint("u_", i), TurnID: turn.ID, Role: chat.RoleUser, Content: strings.Repeat("é", 50), CreatedAt: at(i)} // 100 bytes
			said := chat.Message{ID: fmt.Sprint("a_", i), TurnID: turn.ID, Role: chat.RoleAssistant, Content: strings.Repeat("x", 100), CreatedAt: at(i)}
			said.ToolCalls = []chat.ToolCall{{ID: fmt.Sprint("call_", i), Name: "t", Arguments: `{"a":1}`, Result: &chat.ToolResult{Content: strings.Repeat("x", 93)}}} // 100 bytes
			if i == turns-2 {
				said.ToolCalls[0].Result = nil // 7 bytes
			}
			for _, m := range []chat.Message{asked, said} {
				if err := tx.AppendMessage(m); err != nil {
					return err
				}
			}
		}
		return nil
	})
	whole := view(t, s, ref("c"))
	all := whole.Messages[1:] // begin has one of its own
	for _, c := range []struct {
		span store.Span
		want int // turns
	}{
		{store.Span{}, turns + 1},
		{store.Span{From: 1}, turns + 1},
		{store.Span{From: 2}, turns},
		{store.Span{From: 2 + 2*290}, 10},
		{store.Span{From: 2*turns + 1}, 2},
		{store.Span{Bytes: 1}, 2},
		{store.Span{Bytes: 300 + 207}, 2},
		{store.Span{Bytes: 300 + 207 + 299}, 2},
		{store.Span{Bytes: 300 + 207 + 300}, 3},
		{store.Span{Bytes: 280 * 300}, 280},
		{store.Span{Bytes: 280*300 - 93 - 1}, 279},
		{store.Span{Bytes: 1 << 40}, turns + 1},
		{store.Span{Bytes: 1 << 40, From: 500}, 51},
		{store.Span{Bytes: 3 * 300, PerMessage: 25}, 2},
	} {
		r := read(c.span)
		want := all[max(0, len(all)-2*c.want):]
		if c.want > turns {
			want = whole.Messages
		}
		equal(t, fmt.Sprintf("the messages of %+v", c.span), r.Messages, want)
		if first := int64(len(whole.Messages) - len(want) + 1); r.First != first || r.More != (first > 1) {
			t.Errorf("%+v: first %d, more %v, want %d", c.span, r.First, r.More, first)
		}
		equal(t, "the head", r.Conversation, whole.Conversation)
		equal(t, "the newest turn", r.Turn, whole.Turn)
	}

	known, err := s.KnownCalls(t.Context(), whole.Conversation.ID, []string{"call_0", "x", "call_299", "\x00"})
	if slices.Sort(known); err != nil || !slices.Equal(known, []string{"call_0", "call_299"}) {
		t.Errorf("calls that are known: %v, %v", known, err)
	}
	if known, err = s.KnownCalls(t.Context(), "other", []string{"call_0"}); err != nil || len(known) > 0 {
		t.Errorf("calls of no chat: %v, %v", known, err)
	}
	n, bytes, err := s.Extent(t.Context(), whole.Conversation.ID, 2, 2+2*10)
	if n != 10 || bytes != 3000 || err != nil {
		t.Errorf("ten turns are %d of %d bytes, %v", n, bytes, err)
	}
	if n, bytes, err = s.Extent(t.Context(), whole.Conversation.ID, 5, 5); n != 0 || bytes != 0 || err != nil {
		t.Errorf("nothing is %d turns of %d bytes, %v", n, bytes, err)
	}
}

// testRecentQuestions: the clarifications that come with the newest part of a chat.
func testRecentQuestions(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		for i, turn := range []string{"old", "before", "now"} {
			if err := tx.BeginTurn(chat.Turn{ID: turn, State: chat.TurnRunning, StartedAt: at(i)}); err != nil {
				return err
			}
			m := chat.Message{ID: "m_" + turn, TurnID: turn, Role: chat.RoleAssistant, CreatedAt: at(i), ToolCalls: []chat.ToolCall{{ID: "q_" + turn, Name: "t", Arguments: "{}"}}}
			if turn == "old" {
				m.ToolCalls[0].Result = &chat.ToolResult{Content: "done"}
			}
			if err := tx.AppendMessage(m); err != nil {
				return err
			}
			for _, kind := range []tools.Kind{tools.KindQuestion, tools.KindApproval} {
				c := question(string(kind)+"_"+turn, i+1, at(i))
				c.TurnID, c.Question.Kind, c.State = turn, kind, tools.StateAnswered
				if err := tx.AddClarification(c); err != nil {
					return err
				}
			}
		}
		kept := question("kept", 1, at(0))
		kept.TurnID, kept.Question.Kind, kept.State, kept.Remembered = "old", tools.KindApproval, tools.StateAnswered, true
		open := question("open", 4, at(4))
		open.TurnID = "now"
		if err := tx.AddClarification(kept); err != nil {
			return err
		}
		return tx.AddClarification(open)
	})
	r, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return store.Span{} })
	if err != nil {
		t.Fatal(err)
	}
	wantIDs(t, "of unfinished turns, or remembered", r.Clarifications, "kept", "approval_before", "question_before", "approval_now", "question_now", "open")
	wantIDs(t, "questions", r.Questions, "question_old", "question_before", "question_now", "open")
	update(t, s, ref("c"), func(tx store.Tx) error {
		pending, err := tx.Clarifications().Pending()
		wantIDs(t, "pending", pending, "open")
		if err != nil {
			return err
		}
		remembered, err := tx.Remembered()
		wantIDs(t, "remembered", remembered, "kept")
		return err
	})
}

func wantIDs(t *testing.T, what string, list []chat.Clarification, want ...string) {
	t.Helper()
	var ids []string
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids, want) {
		t.Errorf("%s: %v, want %v", what, ids, want)
	}
}

// testFits: the part of a chat that a model is sent is stored with the chat.
func testFits(t *testing.T, s store.Store) {
	fits := func() (list []chat.Fit) {
		t.Helper()
		if _, err := s.Recent(t.Context(), ref("c"), func(w []chat.Fit) store.Span { list = w; return store.Span{} }); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(list, func(a, b chat.Fit) int { return strings.Compare(a.Model, b.Model) })
		return list
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	if list := fits(); len(list) > 0 {
		t.Errorf("a new chat has %v", list)
	}
	a, b := chat.Fit{Model: "a", Settings: "\x00", From: 3, MaxBytes: 1 << 40, PerMille: 300, StateFrom: 5, Prefix: "\x00p"}, chat.Fit{Model: "b"}
	save := func(list ...chat.Fit) {
		update(t, s, ref("c"), func(tx store.Tx) error {
			for _, w := range list {
				if err := tx.SaveFit(w); err != nil {
					return err
				}
			}
			return nil
		})
	}
	save(a, b)
	equal(t, "the fits", fits(), []chat.Fit{a, b})
	a = chat.Fit{Model: "a", Settings: "other", From: 7, StateFrom: 8, Prefix: "q"}
	save(a)
	equal(t, "the fits, later", fits(), []chat.Fit{a, b})
	if err := s.Delete(t.Context(), ref("c"), at(1<<20)); err != nil {
		t.Fatal(err)
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	if list := fits(); len(list) > 0 {
		t.Errorf("an erased chat left %v", list)
	}
}

// testClientTools: the tools of a turn's client are kept with its chat, and read only for that
// turn, on request.
func testClientTools(t *testing.T, s store.Store) {
	brought := func(ask bool) []tools.Definition {
		t.Helper()
		recent, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return store.Span{ClientTools: ask} })
		if err != nil {
			t.Fatal(err)
		}
		return recent.ClientTools
	}
	save := func(c *chat.ClientTools) {
		update(t, s, ref("c"), func(tx store.Tx) error { return tx.SaveClientTools(c) })
	}
	want := []tools.Definition{{Name: "a", Description: "\u2028<&>", Parameters: json.RawMessage(`{"type":"object","title":"<&>"}`)}, {Name: "b", Parameters: json.RawMessage(`{}`)}}
	var turn string
	update(t, s, ref("c"), func(tx store.Tx) error { // with the message that begins the chat
		if err := begin(tx, at(0)); err != nil {
			return err
		}
		turn = tx.Turn().ID
		return tx.SaveClientTools(&chat.ClientTools{TurnID: turn, Tools: want})
	})
	equal(t, "what was brought", brought(true), want)
	if got := brought(false); got != nil {
		t.Errorf("%+v was read without a request", got)
	}
	save(&chat.ClientTools{TurnID: turn, Tools: want[:1]})
	equal(t, "tools brought later", brought(true), want[:1])
	save(&chat.ClientTools{TurnID: "turn_other", Tools: want})
	if got := brought(true); got != nil {
		t.Errorf("of another turn: %+v", got)
	}
	save(&chat.ClientTools{TurnID: turn, Tools: want})
	save(nil)
	if got := brought(true); got != nil {
		t.Errorf("once they are removed: %+v", got)
	}
	save(&chat.ClientTools{TurnID: turn, Tools: want})
	if err := s.Delete(t.Context(), ref("c"), at(1<<20)); err != nil {
		t.Fatal(err)
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	if got := brought(true); got != nil {
		t.Errorf("an erased chat left %+v", got)
	}
}

// testInstructions: a client program's instructions with a message are read only with the
// message's turn, wait with a queued message, and are deleted with the chat.
func testInstructions(t *testing.T, s store.Store) {
	const text = "\u2028<&> Answer briefly."
	read := func(r chat.Ref) (said []string) {
		t.Helper()
		recent, err := s.Recent(t.Context(), r, func([]chat.Fit) store.Span { return store.Span{} })
		if err != nil {
			t.Fatal(err)
		}
		for i := range recent.Messages {
			said = append(said, recent.Messages[i].Instructions)
		}
		return said
	}
	// say begins a turn with a message, which brings text unless it is "".
	say := func(r chat.Ref, id, text string) {
		t.Helper()
		update(t, s, r, func(tx store.Tx) error {
			tx.Conversation().Fence++
			list := []func() error{
				func() error { return tx.BeginTurn(chat.Turn{ID: "trn_" + id, State: chat.TurnEnded, StartedAt: at(0)}) },
				func() error {
					return tx.AppendMessage(chat.Message{ID: id, TurnID: "trn_" + id, Fence: 1, Role: chat.RoleUser, Content: "hello", CreatedAt: at(0), Instructions: "not from here"})
				},
				func() error { return tx.DropInstructions(id) },
			}
			if text != "" {
				list = append(list, func() error { return tx.Instruct(id, text) })
			}
			return all(list...)
		})
	}
	say(ref("c"), "m1", text)
	say(ref("other"), "m1", "of another chat")
	equal(t, "with the first message", read(ref("c")), []string{text})
	for _, m := range view(t, s, ref("c")).Messages {
		equal(t, "the view that people see", m.Instructions, "")
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return tx.AppendMessage(chat.Message{ID: "re", TurnID: "trn_m1", Fence: 1, Role: chat.RoleAssistant, Content: "hi", CreatedAt: at(0)})
	})
	equal(t, "behind an answer", read(ref("c")), []string{text, ""})

	failed := errors.New("no")
	if err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.DropInstructions(""), failed)
	}); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	equal(t, "rolled back", read(ref("c")), []string{text, ""})

	update(t, s, ref("c"), func(tx store.Tx) error {
		return all(
			func() error { return tx.Enqueue(chat.Queued{ID: "m3", Content: "later", CreatedAt: at(1)}) },
			func() error { return tx.Instruct("m3", "later, "+text) },
		)
	})
	equal(t, "while another waits", read(ref("c")), []string{text, ""})
	say(ref("c"), "m2", "")
	equal(t, "with a message that brings none", read(ref("c")), []string{"", "", ""})
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.Dequeue("m3") })
	say(ref("c"), "m3", "")
	equal(t, "with what waited", read(ref("c")), []string{"", "", "", "later, " + text})
	say(ref("c"), "m4", "new")
	equal(t, "with the next", read(ref("c")), []string{"", "", "", "", "new"})
	equal(t, "of another chat", read(ref("other")), []string{"of another chat"})

	if err := s.Delete(t.Context(), ref("c"), at(1<<20)); err != nil {
		t.Fatal(err)
	}
	say(ref("c"), "m1", "")
	equal(t, "once the chat was erased", read(ref("c")), []string{""})
}

// testKnown: a run that knows the beginning of what it reads gets the whole, unless that may have
// changed since.
func testKnown(t *testing.T, s store.Store) {
	say := func(first, last int) {
		t.Helper()
		update(t, s, ref("c"), func(tx store.Tx) error {
			tx.Conversation().Fence++
			tx.Conversation().LastEvent = chat.EventID{Fence: tx.Conversation().Fence, Seq: 1}
			for i := first; i <= last; i++ {
				turn := chat.Turn{ID: fmt.Sprint("trn_", i), State: chat.TurnEnded, StartedAt: at(i)}
				if err := tx.BeginTurn(turn); err != nil {
					return err
				}
				m := chat.Message{ID: fmt.Sprint("a_", i), TurnID: turn.ID, Role: chat.RoleAssistant, Content: fmt.Sprint(i), CreatedAt: at(i)}
				m.ToolCalls = []chat.ToolCall{{ID: fmt.Sprint("call_", i), Name: "t", Arguments: "{}", Result: &chat.ToolResult{Content: fmt.Sprint("result ", i)}}}
				if err := tx.AppendMessage(m); err != nil {
					return err
				}
			}
			return nil
		})
	}
	read := func(span store.Span) *store.Recent {
		t.Helper()
		r, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return span })
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	say(1, 6)
	before := read(store.Span{})
	known := func(first, n int64) *store.Known { // as a copy, to which may be appended
		return &store.Known{At: before.Conversation.LastEvent, First: first, Messages: slices.Clone(before.Messages[first-1 : first-1+n])}
	}
	for name, span := range map[string]store.Span{
		"all":              {Known: known(1, 6)},
		"a beginning":      {Known: known(1, 3)},
		"none":             {Known: known(1, 0)},
		"a middle":         {Known: known(3, 2)},
		"more than is due": {From: 4, Known: known(1, 5)},
		"what is not due":  {From: 4, Known: known(1, 2)},
	} {
		whole := span
		whole.Known = nil
		got, want := read(span), read(whole)
		equal(t, name, got.Messages, want.Messages)
		equal(t, name+": first", []any{got.First, got.More}, []any{want.First, want.More})
	}
	said := func(r *store.Recent) (all []string) {
		for i := range r.Messages {
			all = append(all, r.Messages[i].Content)
		}
		return all
	}
	other := known(1, 6)
	other.Messages[0].Content = "known"
	equal(t, "what is known is not read", said(read(store.Span{Known: other})), []string{"known", "2", "3", "4", "5", "6"})
	update(t, s, ref("c"), func(tx store.Tx) error { tx.Conversation().Unpublished = true; return nil })
	other = known(1, 6)
	other.Messages[0].Content = "known"
	equal(t, "an answer was deleted", said(read(store.Span{Known: other})), []string{"1", "2", "3", "4", "5", "6"})
	update(t, s, ref("c"), func(tx store.Tx) error { tx.Conversation().Unpublished = false; return nil })
	say(7, 7)
	equal(t, "the chat went on", said(read(store.Span{Known: other})), []string{"1", "2", "3", "4", "5", "6", "7"})
	add := func(m chat.Message) {
		t.Helper()
		m.Role, m.Content, m.Fence, m.CreatedAt = chat.RoleAssistant, m.ID, 99, at(8)
		update(t, s, ref("c"), func(tx store.Tx) error { return tx.AppendMessage(m) })
	}
	before = read(store.Span{})
	equal(t, "the last position", []int64{before.Last, read(store.Span{Known: known(1, 7)}).Last}, []int64{7, 7})
	add(chat.Message{ID: "dropped", TurnID: "trn_7"})
	add(chat.Message{ID: "a program's", AskedBy: &tools.Asker{Name: "deploy"}})
	update(t, s, ref("c"), func(tx store.Tx) error { _, err := tx.DropText(99); return err })
	r := read(store.Span{})
	equal(t, "the last position of eight, one of which is free", []any{r.Last, len(r.Messages)}, []any{int64(9), 8})
}

// testBasis: the beginning of a turn's prompts is kept with its chat, and read only for that
// turn.
func testBasis(t *testing.T, s store.Store) {
	basis := func() *chat.Basis {
		t.Helper()
		recent, err := s.Recent(t.Context(), ref("c"), func([]chat.Fit) store.Span { return store.Span{} })
		if err != nil {
			t.Fatal(err)
		}
		return recent.Basis
	}
	save := func(b *chat.Basis) {
		update(t, s, ref("c"), func(tx store.Tx) error { return tx.SaveBasis(b) })
	}
	var turn string
	update(t, s, ref("c"), func(tx store.Tx) error {
		if err := begin(tx, at(0)); err != nil {
			return err
		}
		turn = tx.Turn().ID
		return nil
	})
	if b := basis(); b != nil {
		t.Errorf("a new chat has %+v", b)
	}
	want := chat.Basis{
		TurnID: turn, Language: "de", Interactive: true, Words: "\u2028<&>", Keys: []string{"k"}, Values: map[string]string{"a": "b"},
		Families: []string{"s"}, Tools: []tools.Definition{{Name: "s__a", Description: "<b>", Parameters: json.RawMessage(`{"type":"object","title":"<&>"}`)}},
	}
	save(&want)
	equal(t, "the basis", *basis(), want)
	want.Words, want.Tools = "other", nil
	save(&want)
	equal(t, "the basis, later", *basis(), want)
	save(&chat.Basis{TurnID: "turn_other"})
	if b := basis(); b != nil {
		t.Errorf("of another turn: %+v", b)
	}
	save(&want)
	save(nil)
	if b := basis(); b != nil {
		t.Errorf("once it is removed: %+v", b)
	}
	err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return tx.SaveBasis(&chat.Basis{TurnID: turn, Words: strings.Repeat("x", chat.MaxBasis)})
	})
	if err == nil {
		t.Error("one over the limit is kept")
	}
	save(&want)
	if err := s.Delete(t.Context(), ref("c"), at(1<<20)); err != nil {
		t.Fatal(err)
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	if b := basis(); b != nil {
		t.Errorf("an erased chat left %+v", b)
	}
}
