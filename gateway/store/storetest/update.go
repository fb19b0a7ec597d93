package storetest

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

func testCreate(t *testing.T, s store.Store) {
	_, _, err := s.Conversation(t.Context(), ref("c1"))
	wantError(t, "Conversation before the first Update", err, store.ErrNotFound)
	_, err = s.View(t.Context(), ref("c1"))
	wantError(t, "View before the first Update", err, store.ErrNotFound)

	ids := make(map[string]bool)
	for _, id := range []string{"c1", "c2"} {
		update(t, s, ref(id), func(tx store.Tx) error {
			c := tx.Conversation()
			if c.Fence != 0 || c.ID == "" || c.Ref != ref(id) || c.CreatedAt.IsZero() || tx.Turn() != nil {
				t.Errorf("a new conversation is %+v with turn %v", c, tx.Turn())
			}
			ids[c.ID] = true
			return nil
		})
	}
	for _, id := range []string{"c1", "c2"} {
		c, turn, err := s.Conversation(t.Context(), ref(id))
		if err != nil || !ids[c.ID] || turn != nil {
			t.Errorf("Conversation(%s) = %+v, %v, %v; want one of the ids %v", id, c, turn, err, ids)
		}
	}
	if len(ids) != 2 {
		t.Errorf("two chats have %d ids", len(ids))
	}

	boom := errors.New("boom")
	err = s.Update(t.Context(), ref("c3"), func(tx store.Tx) error { return errors.Join(begin(tx, at(0)), boom) })
	wantError(t, "Update whose fn fails", err, boom)
	_, _, err = s.Conversation(t.Context(), ref("c3"))
	wantError(t, "Conversation after a failed first Update", err, store.ErrNotFound)
}

func testHeadAndTurn(t *testing.T, s store.Store) {
	var want chat.Conversation
	first := chat.Turn{
		ID: "trn_1", State: chat.TurnPaused, Language: "de", Interactive: true, Steps: 3, FinishReason: chat.FinishLength,
		Usage: chat.Usage{InputTokens: 11, OutputTokens: 1 << 40, CachedInputTokens: 9, ReasoningTokens: 1 << 39}, LeaseOwner: "node-1",
		StartedAt: at(2), EndedAt: at(3),
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		c := tx.Conversation()
		c.Language, c.Fence, c.LastEvent = "de-AT", 7, chat.EventID{Fence: 7, Seq: 12}
		c.Title, c.TitleBy = "Title", chat.TitleByModel
		c.CreatedAt, c.UpdatedAt = at(1), at(2)
		if err := tx.BeginTurn(first); err != nil {
			return err
		}
		first.ConversationID, want = c.ID, *c
		return nil
	})
	check := func(what string, wantTurn chat.Turn) {
		t.Helper()
		c, turn, err := s.Conversation(t.Context(), ref("c"))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, what+": head", *c, want)
		equal(t, what+": turn", *turn, wantTurn)
		v := view(t, s, ref("c"))
		equal(t, what+": view", *v, store.View{Conversation: want, Turn: &wantTurn})
		update(t, s, ref("c"), func(tx store.Tx) error {
			equal(t, what+": tx.Conversation", *tx.Conversation(), want)
			equal(t, what+": tx.Turn", *tx.Turn(), wantTurn)
			return nil
		})
	}
	check("created", first)

	update(t, s, ref("c"), func(tx store.Tx) error {
		*tx.Turn() = chat.Turn{ID: "trn_1", ConversationID: first.ConversationID, State: chat.TurnEnded}
		return nil
	})
	first = chat.Turn{ID: "trn_1", ConversationID: first.ConversationID, State: chat.TurnEnded}
	check("only the turn changed", first)

	update(t, s, ref("c"), func(tx store.Tx) error {
		c := tx.Conversation()
		c.Language, c.Fence, c.LastEvent, c.UpdatedAt = "", 8, chat.EventID{}, at(5)
		want = *c
		return nil
	})
	check("only the head changed", first)

	second := chat.Turn{ID: "trn_2", ConversationID: first.ConversationID, State: chat.TurnRunning, Steps: 1}
	update(t, s, ref("c"), func(tx store.Tx) error {
		tx.Turn().FinishReason = chat.FinishStop
		if err := tx.BeginTurn(chat.Turn{ID: "trn_2", State: chat.TurnRunning}); err != nil {
			return err
		}
		if got := tx.Turn(); got.ID != "trn_2" {
			t.Errorf("after BeginTurn the newest turn is %q", got.ID)
		}
		tx.Turn().Steps = 1 // in place, like any turn
		return nil
	})
	check("a second turn", second)

	update(t, s, ref("c"), func(tx store.Tx) error { // if one update begins several turns, the newest stays
		second = chat.Turn{ID: "trn_4", ConversationID: first.ConversationID, State: chat.TurnPaused}
		return errors.Join(tx.BeginTurn(chat.Turn{ID: "trn_3", State: chat.TurnEnded}), tx.BeginTurn(second))
	})
	check("the newest of several", second)
}

func testRuns(t *testing.T, s store.Store) {
	run := chat.Run{
		Fence: 1, TurnID: "trn_1", Resumed: true, FinishReason: chat.FinishClarification,
		Failure: &chat.Failure{ChatID: "c", Code: "model_error", Message: "<&>", Retryable: true, RetryAfter: new(int)},
		Usage:   chat.Usage{InputTokens: 5, OutputTokens: 6, CachedInputTokens: 4, ReasoningTokens: 3}, LastSeq: 99_999_999, StartedAt: at(0), EndedAt: at(1),
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		run.ConversationID = tx.Conversation().ID
		if _, err := tx.Run(1); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Run before SaveRun: error %v", err)
		}
		return all(
			func() error { return tx.SaveRun(chat.Run{Fence: 1, TurnID: "trn_1", StartedAt: at(0)}) },
			func() error { return tx.SaveRun(chat.Run{Fence: 2, TurnID: "trn_2"}) },
			func() error { return tx.SaveRun(run) },
		)
	})
	update(t, s, ref("c"), func(tx store.Tx) error {
		got, err := tx.Run(1)
		equal(t, "tx.Run", got, run)
		return err
	})
	got, err := s.Run(t.Context(), run.ConversationID, 1)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Run", got, run)
	got, err = s.Run(t.Context(), run.ConversationID, 2)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "Run that still runs", got, chat.Run{ConversationID: run.ConversationID, Fence: 2, TurnID: "trn_2"})

	_, err = s.Run(t.Context(), run.ConversationID, 3)
	wantError(t, "Run of another fence", err, store.ErrNotFound)
	_, err = s.Run(t.Context(), "cnv_other", 1)
	wantError(t, "Run of another conversation", err, store.ErrNotFound)
	update(t, s, ref("other"), func(tx store.Tx) error {
		_, err := tx.Run(1)
		wantError(t, "tx.Run in another conversation", err, store.ErrNotFound)
		return nil
	})
}

func testMessages(t *testing.T, s store.Store) {
	var want []chat.Message
	for i := range 12 { // more than nine: the order is of numbers, not of texts
		m := chat.Message{
			ID: fmt.Sprintf("msg_%d", 100-i), TurnID: "trn_1", Fence: int64(i), Role: chat.RoleUser,
			Content: fmt.Sprint("text ", i), CreatedAt: at(-i),
		}
		if i%3 == 1 {
			m.Role = chat.RoleAssistant
			for j := range 11 {
				call := chat.ToolCall{ID: fmt.Sprintf("call_%d_%d", i, 20-j), Name: "glossary", Arguments: `{"term": "x"}`}
				switch j {
				case 1:
					call.Result = &chat.ToolResult{Content: "", Fence: 4}
				case 2:
					call.Result = &chat.ToolResult{Content: `{"error":{}}`, Fence: 5,
						Error: &tools.Error{Code: tools.CodeToolFailed, Message: "m", Reason: "status"}}
				}
				m.ToolCalls = append(m.ToolCalls, call)
			}
		}
		want = append(want, m)
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return errors.Join(tx.AppendMessage(want[0]), tx.AppendMessage(want[1])) })
	for _, m := range want[2:] {
		update(t, s, ref("c"), func(tx store.Tx) error { return tx.AppendMessage(m) })
	}
	update(t, s, ref("other"), func(tx store.Tx) error { return tx.AppendMessage(want[1]) })
	equal(t, "messages", view(t, s, ref("c")).Messages, want)
	equal(t, "messages of another chat", view(t, s, ref("other")).Messages, want[1:2])
}

func testSetResult(t *testing.T, s store.Store) {
	m := chat.Message{ID: "msg_1", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{
		{ID: "call_1", Name: "n", Arguments: "{}"}, {ID: "call_2", Name: "n", Arguments: "{}"},
		{ID: "call_3", Name: "n", Arguments: "{}", Result: &chat.ToolResult{Content: "kept", Fence: 1}},
	}}
	for _, id := range []string{"c", "other"} {
		update(t, s, ref(id), func(tx store.Tx) error { return tx.AppendMessage(m) })
	}
	result := chat.ToolResult{Content: "", Fence: 2}
	failure := chat.ToolResult{Content: "x", Fence: 3, Error: &tools.Error{Code: tools.CodeInterrupted, Message: "m"}}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.SetResult("call_1", result), tx.SetResult("call_2", failure))
	})
	for _, id := range []string{"call_1", "call_2", "call_3", "call_4"} {
		if err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			return tx.SetResult(id, chat.ToolResult{Content: "second", Fence: 9})
		}); err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("SetResult(%s), which has its result or is not a call: error %v, want a refusal", id, err)
		}
	}
	update(t, s, ref("c"), func(tx store.Tx) error { // a refusal may be handled, and changes nothing
		if tx.SetResult("call_1", failure) == nil {
			t.Error("a second result was accepted")
		}
		return tx.AppendMessage(chat.Message{ID: "msg_2", Role: chat.RoleUser})
	})
	want := m
	want.ToolCalls = []chat.ToolCall{m.ToolCalls[0], m.ToolCalls[1], m.ToolCalls[2]}
	want.ToolCalls[0].Result, want.ToolCalls[1].Result = &result, &failure
	equal(t, "messages", view(t, s, ref("c")).Messages, []chat.Message{want, {ID: "msg_2", Role: chat.RoleUser}})
	equal(t, "messages of another chat", view(t, s, ref("other")).Messages, []chat.Message{m})
}

func testIdempotency(t *testing.T, s store.Store) {
	want := chat.Key{Key: "k", Hash: "h", Fence: 3, CreatedAt: at(0)}
	find := func(r chat.Ref, key string, notBefore time.Time) (got chat.Key, err error) {
		update(t, s, r, func(tx store.Tx) error {
			got, err = tx.Keys().Find(key, notBefore)
			return nil
		})
		return got, err
	}
	save := func(i chat.Key) {
		t.Helper()
		update(t, s, ref("c"), func(tx store.Tx) error { return tx.Keys().Save(i) })
	}
	_, err := find(ref("c"), "k", at(-60))
	wantError(t, "an unknown key", err, store.ErrNotFound)
	save(want)
	for _, notBefore := range []time.Time{at(-60), at(0), {}} {
		got, err := find(ref("c"), "k", notBefore)
		if err != nil {
			t.Errorf("a key of %v, not before %v: %v", want.CreatedAt, notBefore, err)
		}
		equal(t, "the record", got, want)
	}
	_, err = find(ref("c"), "k", at(1))
	wantError(t, "a key that is over", err, store.ErrNotFound)
	_, err = find(ref("other"), "k", at(-60))
	wantError(t, "a key of another chat", err, store.ErrNotFound)
	_, err = find(ref("c"), "K", at(-60))
	wantError(t, "a key in other case", err, store.ErrNotFound)

	newer := chat.Key{Key: "k", Hash: "h2", Of: "msg_2", CreatedAt: at(2)}
	save(newer)
	got, err := find(ref("c"), "k", at(1))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the newer record", got, newer)

	save(chat.Key{Key: "within a day", CreatedAt: at(2 + 24*60)})
	if _, err := find(ref("c"), "k", at(2)); err != nil {
		t.Errorf("a key a day old, to the millisecond: %v", err)
	}

	err = s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.Keys().Save(chat.Key{Key: "burnt", CreatedAt: at(3)}), errors.New("refused"))
	})
	if err == nil {
		t.Error("the error of fn got lost")
	}
	_, err = find(ref("c"), "burnt", at(0))
	wantError(t, "the key of a refused request", err, store.ErrNotFound)

	update(t, s, ref("new"), func(tx store.Tx) error {
		_, err := tx.Keys().Find("k", time.Time{})
		wantError(t, "any key of a chat that is made now", err, store.ErrNotFound)
		if err := tx.Keys().Save(want); err != nil {
			return err
		}
		got, err := tx.Keys().Find("k", time.Time{})
		equal(t, "the record that the same update stored", got, want)
		return err
	})
}

func testRollback(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		return all(
			func() error { return begin(tx, at(0)) },
			func() error {
				return tx.AppendMessage(chat.Message{ID: "msg_2", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "n"}}})
			},
			func() error { return tx.AddClarification(question("clr_1", 1, at(0))) },
		)
	})
	before := view(t, s, ref("c"))
	everything := func(tx store.Tx) error {
		c := question("clr_1", 1, at(0))
		c.State = tools.StateExpired
		tx.Turn().Steps = 77
		return all(
			func() error { return begin(tx, at(9)) },
			func() error { return tx.SaveRun(chat.Run{Fence: 1, TurnID: "changed"}) },
			func() error { return tx.SetResult("call_1", chat.ToolResult{Content: "x"}) },
			func() error { return tx.Clarifications().Save(c) },
			func() error { return tx.AddClarification(question("clr_2", 2, at(0))) },
			func() error { return tx.Keys().Save(chat.Key{Key: "k", CreatedAt: at(0)}) },
		)
	}
	boom := errors.New("boom")
	exits := map[string]func(tx store.Tx) error{
		"an error": func(tx store.Tx) error { return errors.Join(everything(tx), boom) },
		"a panic":  func(tx store.Tx) error { panic(errors.Join(everything(tx), boom)) },
		"Goexit": func(tx store.Tx) error {
			if err := everything(tx); err != nil {
				return err
			}
			runtime.Goexit()
			return nil
		},
	}
	for how, fn := range exits {
		done := make(chan any, 1)
		go func() {
			defer func() { done <- recover() }()
			if err := s.Update(t.Context(), ref("c"), fn); err != nil {
				panic(err)
			}
		}()
		got := <-done
		if err, _ := got.(error); how != "Goexit" && !errors.Is(err, boom) {
			t.Errorf("%s came back as %v", how, got)
		}
		equal(t, "after "+how, view(t, s, ref("c")), before)
		run, err := s.Run(t.Context(), before.Conversation.ID, 1)
		if err != nil || run.TurnID != "trn_1" {
			t.Errorf("after %s: run %+v, %v", how, run, err)
		}
		if _, err := s.Run(t.Context(), before.Conversation.ID, 2); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after %s there is a second run: %v", how, err)
		}
		update(t, s, ref("c"), func(tx store.Tx) error {
			_, err := tx.Keys().Find("k", time.Time{})
			wantError(t, "the key after "+how, err, store.ErrNotFound)
			return nil
		})
	}

	//nolint:errorlint // the claim is that it comes unwrapped
	if err := s.Update(t.Context(), ref("c"), func(store.Tx) error { return boom }); err != boom {
		t.Errorf("Update returned %v, want the very error of fn", err)
	}
}

// testSpoiled: an update with a write that the database refuses is not committed in part.
func testSpoiled(t *testing.T, s store.Store) {
	m := chat.Message{ID: "msg_1", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{{ID: "call_1", Name: "n"}}}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return errors.Join(tx.AppendMessage(m), tx.AddClarification(question("clr_1", 1, at(0))))
	})
	before := view(t, s, ref("c"))
	for what, fn := range map[string]func(tx store.Tx) error{
		"a call id that the chat has":     func(tx store.Tx) error { m.ID = "msg_2"; return tx.AppendMessage(m) },
		"a clarification id that is used": func(tx store.Tx) error { return tx.AddClarification(question("clr_1", 2, at(1))) },
	} {
		err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error {
			tx.Conversation().Language = "fr"
			_ = fn(tx) // refused here, or with the commit; fn ignores it
			return nil
		})
		if err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: Update returned %v, want a refusal", what, err)
		}
		equal(t, "after "+what, view(t, s, ref("c")), before)
	}
}
