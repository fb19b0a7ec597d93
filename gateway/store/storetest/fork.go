package storetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// forkSource is a chat of two turns: in the second, a model asked, and then a call ran.
func forkSource(t *testing.T, s store.Store) {
	t.Helper()
	at := time.UnixMilli(1_750_000_000_000).UTC()
	picture := func(id string) []tools.Content {
		return []tools.Content{{Part: json.RawMessage(`{"type":"image"}`), Media: "image/png", Size: 3, ID: id, Bytes: []byte("png")}}
	}
	message := func(id, turn string, role chat.Role, text string, calls ...chat.ToolCall) chat.Message {
		return chat.Message{ID: id, TurnID: turn, Fence: 7, Role: role, Content: text, ToolCalls: calls, CreatedAt: at}
	}
	call := func(id string, started int64, result *chat.ToolResult) chat.ToolCall {
		return chat.ToolCall{ID: id, Name: "tool_" + id, Arguments: `{"of":"` + id + `"}`, Started: started, Result: result}
	}
	spoiled := call("next to it", 0, &chat.ToolResult{Error: &tools.Error{Code: "X", Message: "m", Reason: "r"}, Fence: 8})
	spoiled.Spoiled = true
	made := func(m chat.Message) chat.Message {
		m.Thinking, m.MadeBy, m.State = "hm", "maker", json.RawMessage(awkward)
		return m
	}
	program := message("msg_p", "", chat.RoleAssistant, "")
	program.AskedBy, program.ClarificationID = &tools.Asker{Kind: tools.AskerProgram, Name: "backup"}, "clr_p"
	asked := question("clr_q", 1, at)
	asked.TurnID, asked.ToolCallID = "turn_2", "call_ask"
	asked.State, asked.Answer = tools.StateAnswered, &tools.Answer{Value: json.RawMessage(`"fr"`)}
	programs := question("clr_p", 0, at)
	programs.TurnID, programs.Asker = "", "svc"
	update(t, s, ref("c"), func(tx store.Tx) error {
		head := tx.Conversation()
		head.Fence, head.Language = 9, "de"
		return all(
			func() error {
				return tx.BeginTurn(chat.Turn{ID: "turn_2", State: chat.TurnEnded, FinishReason: chat.FinishStop})
			},
			func() error { return tx.AppendMessage(message("msg_1", "turn_1", chat.RoleUser, "one")) },
			func() error {
				return tx.AppendMessage(made(message("msg_2", "turn_1", chat.RoleAssistant, "", call("early", 7, &chat.ToolResult{Content: "r", Fence: 7, Shown: picture("cnt_1")}))))
			},
			func() error { return tx.AppendMessage(program) },
			func() error { return tx.AddClarification(programs) },
			func() error { return tx.AppendMessage(message("msg_3", "turn_2", chat.RoleUser, "two")) },
			func() error {
				return tx.AppendMessage(made(message("msg_4", "turn_2", chat.RoleAssistant, "well",
					call("call_ask", 0, &chat.ToolResult{Content: "fr", Fence: 8}), spoiled)))
			},
			func() error { return tx.AddClarification(asked) },
			func() error {
				return tx.AppendMessage(message("msg_5", "turn_2", chat.RoleAssistant, "", call("late", 8, &chat.ToolResult{Content: "sent", Fence: 8, Shown: picture("cnt_2")})))
			},
		)
	})
}

// fork begins a chat as a copy, and returns the origin.
func fork(t *testing.T, s store.Store, to string, at chat.Fork) *store.Origin {
	t.Helper()
	var o *store.Origin
	update(t, s, ref(to), func(tx store.Tx) (err error) {
		if o, err = tx.Forks().Origin(at); err != nil {
			return err
		}
		head := tx.Conversation()
		head.Fence, head.Fork = 10, at
		head.Fork.TurnID = "turn_new"
		return all(
			func() error { return tx.Forks().Copy(o, "turn_new") },
			func() error {
				return tx.Forks().SaveRan([]chat.Ran{{Tool: "late", Digest: "d"}, {Tool: "late", Digest: "d"}})
			},
			func() error { return tx.BeginTurn(chat.Turn{ID: "turn_new", State: chat.TurnEnded}) },
		)
	})
	return o
}

// testFork: a chat begins with the content of another before a message or an answer, and nothing
// after it; the other chat does not change.
func testFork(t *testing.T, s store.Store) {
	forkSource(t, s)
	source := view(t, s, ref("c"))

	at := chat.Fork{ChatID: "c", MessageID: "msg_3"}
	o := fork(t, s, "edited", at)
	equal(t, "the message at the point", o.Message.Content, "two")
	var behind []string
	for _, c := range o.Behind {
		behind = append(behind, c.ID)
	}
	equal(t, "the number of calls after it", len(behind), 3)
	v := view(t, s, ref("edited"))
	want := source.Messages[:2]
	equal(t, "the content before a message", v.Messages, want)
	at.TurnID = "turn_new"
	equal(t, "where it was forked", v.Conversation.Fork, at)
	listed, _, err := s.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 10})
	if err != nil || len(listed) != 2 || listed[0].Fork != at && listed[1].Fork != at {
		t.Errorf("the list: %+v, %v", listed, err)
	}

	o = fork(t, s, "changed", chat.Fork{ChatID: "c", ClarificationID: "clr_q"})
	if o.Language != "de" || o.Fence != 9 || o.Turn.ID != "turn_2" || len(o.Asked) != 1 || len(o.Message.ToolCalls) != 2 {
		t.Errorf("the origin: %+v", o)
	}
	equal(t, "the content after the question", o.Behind, []chat.ToolCall{{ID: "late", Name: "tool_late", Arguments: `{"of":"late"}`, Started: 8}})
	v = view(t, s, ref("changed"))
	step := source.Messages[4] // the program's question is left out, and the turn is a different one
	step.ToolCalls = append([]chat.ToolCall(nil), step.ToolCalls...)
	step.TurnID, step.ToolCalls[0].Result = "turn_new", nil
	two := source.Messages[3]
	two.TurnID = "turn_new"
	equal(t, "the content before an answer", v.Messages, []chat.Message{source.Messages[0], source.Messages[1], two, step})
	found, err := s.Contents(t.Context(), ref("changed"), []string{"cnt_1", "cnt_2"})
	if err != nil || len(found) != 1 || string(found["cnt_1"].Bytes) != "png" {
		t.Errorf("the contents of results: %v, %v", found, err)
	}
	recent, err := s.Recent(t.Context(), ref("changed"), func([]chat.Fit) store.Span { return store.Span{} })
	if err != nil || recent.First != 1 {
		t.Fatalf("%+v, %v", recent, err)
	}
	equal(t, "the calls that ran after the point", recent.Ran, []chat.Ran{{Tool: "late", Digest: "d"}})

	o = fork(t, s, "again", chat.Fork{ChatID: "changed", MessageID: "msg_3"})
	equal(t, "the calls that ran, in a fork of a fork", o.Ran, []chat.Ran{{Tool: "late", Digest: "d"}})
	equal(t, "the chat that was forked", view(t, s, ref("c")), source)
	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "the copy, without the original", view(t, s, ref("changed")).Messages, v.Messages)
}

// testCopiedCounts: a fork knows the copied questions, which count where they were asked.
func testCopiedCounts(t *testing.T, s store.Store) {
	asked := time.UnixMilli(1_750_000_000_000).UTC()
	add := func(chatID string, c chat.Clarification) {
		update(t, s, ref(chatID), func(tx store.Tx) error { return tx.AddClarification(c) })
	}
	add("c", question("clr_1", 1, asked))
	copied := question("clr_2", 1, asked)
	copied.Copied = true
	add("fork", copied)
	copied.State, copied.AnsweredAt, copied.Answer = tools.StateAnswered, asked.Add(time.Minute), &tools.Answer{Value: json.RawMessage(`"fr"`)}
	update(t, s, ref("fork"), func(tx store.Tx) error { return tx.Clarifications().Save(copied) })
	for id, want := range map[string]bool{"clr_1": false, "clr_2": true} {
		if c, err := s.Clarification(t.Context(), id); err != nil || c.Copied != want {
			t.Errorf("%s: copied %v, %v", id, c.Copied, err)
		}
	}
	tallies, err := s.Overview().Tallies(t.Context(), asked, time.Hour)
	if err != nil || len(tallies) != 1 || tallies[0].Waits.Count != 0 {
		t.Fatalf("%+v, %v", tallies, err)
	}
	equal(t, "the tally", tallies[0].States, map[tools.State]int{tools.StatePending: 1})
	report, err := s.Overview().Questions(t.Context(), asked, "", 10)
	if err != nil || len(report.Rows) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	equal(t, "the counts of the report", report.Rows[0].Asked, 1)
}

// testForkFiles: a fork has the files of the answers that it copies, under their ids.
func testForkFiles(t *testing.T, s store.Store) {
	forkSource(t, s)
	update(t, s, ref("c"), func(tx store.Tx) error {
		for id, of := range map[string]string{"file_1": "clr_q", "file_2": "", "file_3": "clr_other"} {
			f := chat.File{ID: id, UsedBy: of, CreatedAt: time.UnixMilli(1_750_000_000_000).UTC()}
			f.Name, f.Type, f.Size = "a.txt", "text/plain", 3
			if err := all(func() error { return tx.Files().Add(f) }, func() error { return tx.Files().Save(f) }); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, s, ref("fork"), func(tx store.Tx) error {
		o, err := tx.Forks().Origin(chat.Fork{ChatID: "c", ClarificationID: "clr_q"})
		if err != nil {
			return err
		}
		return all(
			func() error { return tx.Forks().Copy(o, "turn_new") },
			func() error { return tx.Forks().CopyFiles(o, "clr_q", "clr_new") },
			func() error { return tx.Forks().CopyFiles(o, "", "") },
		)
	})
	for id, want := range map[string]string{"file_1": "clr_new", "file_2": "", "file_3": "none"} {
		f, err := s.Files().File(t.Context(), ref("fork"), id)
		if want == "none" {
			wantError(t, "a file of another question", err, store.ErrNotFound)
		} else if err != nil || f.UsedBy != want || f.Size != 3 {
			t.Errorf("%s: %+v, %v", id, f, err)
		}
	}
	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	gone, err := s.Files().GoneFiles(t.Context(), at(9), 10)
	if err != nil || len(gone) != 3 {
		t.Fatalf("%+v, %v", gone, err)
	}
	for _, f := range gone {
		if f.Kept != (f.ID != "file_3") {
			t.Errorf("%+v", f)
		}
	}
}

// testForkOfNothing: a chat that does not exist, or belongs to others, cannot be forked, and a chat
// that has begun cannot become a copy.
func testForkOfNothing(t *testing.T, s store.Store) {
	forkSource(t, s)
	other := ref("theirs")
	other.Subject = "bob"
	update(t, s, other, func(tx store.Tx) error { return begin(tx, time.UnixMilli(1_750_000_000_000)) })
	for name, at := range map[string]chat.Fork{
		"no chat": {ChatID: "nowhere", MessageID: "msg_1"}, "itself": {ChatID: "new", MessageID: "msg_1"},
		"another's chat": {ChatID: "theirs", MessageID: "msg_" + view(t, s, other).Conversation.ID + "_1"},
		"no message":     {ChatID: "c", MessageID: "msg_9"}, "no question": {ChatID: "c", ClarificationID: "clr_9"},
		"a program's question": {ChatID: "c", ClarificationID: "clr_p"},
	} {
		err := s.Update(t.Context(), ref("new"), func(tx store.Tx) error {
			_, err := tx.Forks().Origin(at)
			return err
		})
		wantError(t, name, err, store.ErrNotFound)
	}
	err := s.Update(t.Context(), ref("c"), func(tx store.Tx) error { return tx.Forks().Copy(&store.Origin{}, "turn") })
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("copying into an existing chat: got %v", err)
	}
}
