package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/textsearch"
)

// awkward is state as a client may write it: white space, escapes and bytes that are not UTF-8 come
// back unchanged.
const awkward = "{ \"b\":1,\"a\" : \"\\u00e9 é \x00\xff\"}\n"

// recent returns the part of a chat that runs read.
func recent(t *testing.T, s store.Store, r chat.Ref, span store.Span) *store.Recent {
	t.Helper()
	found, err := s.Recent(t.Context(), r, func([]chat.Fit) store.Span { return span })
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// states returns those of messages, with their makers.
func states(messages []chat.Message) (list []string) {
	for _, m := range messages {
		list = append(list, m.MadeBy+":"+string(m.State))
	}
	return list
}

// testState: only runs read the maker of a message and its state; all others read the thinking,
// which runs do not.
func testState(t *testing.T, s store.Store) {
	add := func(r chat.Ref, list ...chat.Message) {
		t.Helper()
		update(t, s, r, func(tx store.Tx) error {
			for i, m := range list {
				m.ID, m.Role, m.CreatedAt = fmt.Sprint("m_", m.TurnID, "_", i), chat.RoleAssistant, at(i)
				if err := tx.AppendMessage(m); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, r := range []chat.Ref{ref("c"), ref("other")} {
		add(r,
			chat.Message{TurnID: "one", Content: "a", Thinking: "pondering é", Seq: 17, Spans: []int{3, 1, 9}, MadeBy: "x", State: json.RawMessage(awkward)},
			chat.Message{TurnID: "one", Content: "b", MadeBy: "x"},
			chat.Message{TurnID: "one", Content: "c"})
		add(r, chat.Message{TurnID: "two", Content: "d", MadeBy: "y", State: json.RawMessage(`"secret"`)})
	}
	add(ref("c"), chat.Message{TurnID: "three", Content: "e", MadeBy: "x", State: json.RawMessage(`[3]`)})

	read := recent(t, s, ref("c"), store.Span{})
	equal(t, "what runs read", states(read.Messages), []string{"x:" + awkward, "x:", ":", `y:"secret"`, "x:[3]"})
	if read.Messages[1].State != nil || read.Messages[0].Thinking != "" || read.Messages[0].Spans != nil || read.StateBefore != 0 {
		t.Errorf("runs read %+v, and %d bytes before", read.Messages, read.StateBefore)
	}
	part := recent(t, s, ref("c"), store.Span{From: 5})
	if part.First != 4 || part.StateBefore != int64(len(awkward)) {
		t.Errorf("from message %d on, with %d bytes of state before it", part.First, part.StateBefore)
	}

	whole := view(t, s, ref("c"))
	newest, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 10, Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	said, err := s.Message(t.Context(), whole.Conversation.ID, "m_one_0")
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]chat.Message{"a view": whole.Messages, "a part": newest.Messages, "one message": {said}} {
		for _, m := range list {
			if m.State != nil || m.MadeBy != "" {
				t.Errorf("%s has %+v", name, m)
			}
		}
	}
	equal(t, "the thinking in a view", whole.Messages[0].Thinking, "pondering é")
	equal(t, "the thinking in a part", newest.Messages[0].Thinking, "pondering é")
	equal(t, "how the texts came", []any{whole.Messages[0].Seq, whole.Messages[0].Spans, newest.Messages[0].Seq}, []any{int64(17), []int{3, 1, 9}, int64(17)})
	for _, word := range []string{"secret", "pondering"} {
		found, _, err := s.Search(t.Context(), "acme", "alice", "translator", textsearch.NewWords(word), store.Page{Limit: 10})
		if err != nil || len(found) > 0 {
			t.Errorf("%q is found: %v, %v", word, found, err)
		}
	}

	update(t, s, ref("c"), func(tx store.Tx) error { return tx.DropState("three") })
	equal(t, "without the state of all turns but one", states(recent(t, s, ref("c"), store.Span{}).Messages), []string{"x:", "x:", ":", "y:", "x:[3]"})
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.DropState("") })
	equal(t, "without any", states(recent(t, s, ref("c"), store.Span{}).Messages), []string{"x:", "x:", ":", "y:", "x:"})
	equal(t, "the thinking then", view(t, s, ref("c")).Messages[0].Thinking, "pondering é")
	equal(t, "that of another chat", states(recent(t, s, ref("other"), store.Span{}).Messages), []string{"x:" + awkward, "x:", ":", `y:"secret"`})
}

// testThinkingSize: thinking counts where a part of a chat is limited in bytes.
func testThinkingSize(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error {
		for i := range 4 {
			m := chat.Message{ID: fmt.Sprint("m", i), Role: chat.RoleAssistant, Content: "text", Thinking: strings.Repeat("é", 48), CreatedAt: at(i)}
			if err := tx.AppendMessage(m); err != nil {
				return err
			}
		}
		return nil
	})
	v, err := s.ViewPart(t.Context(), ref("c"), store.Part{Limit: 10, Bytes: 250})
	if err != nil || len(v.Messages) != 2 || v.Size() != 200 || !v.More {
		t.Errorf("%d messages of %d bytes, %v", len(v.Messages), v.Size(), err)
	}
}

// testForkState: a copy has the thinking, makers and state of the copied messages, and does not
// send state that the chat no longer sent.
func testForkState(t *testing.T, s store.Store) {
	forkSource(t, s) // the third message represents a program's question, and is left out
	fits := []chat.Fit{
		{Model: "all", Prefix: "p"}, {Model: "behind", StateFrom: 6, Prefix: "p"}, {Model: "of before", StateFrom: 2, Prefix: "p"},
		{Model: "later", StateFrom: 5, From: 4, MaxBytes: 9, PerMille: 300, Prefix: "p"}, {Model: "no state", From: 4},
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		for _, w := range fits {
			w.Settings = "s"
			if err := tx.SaveFit(w); err != nil {
				return err
			}
		}
		return nil
	})
	source := recent(t, s, ref("c"), store.Span{})
	fork(t, s, "edited", chat.Fork{ChatID: "c", MessageID: "msg_3"})
	fork(t, s, "changed", chat.Fork{ChatID: "c", ClarificationID: "clr_q"})
	for chatID, want := range map[string]map[string]int64{
		"edited":  {"all": 0, "behind": 3, "of before": 2, "later": 3}, // the next message is the third
		"changed": {"all": 0, "behind": 5, "of before": 2, "later": 4},
	} {
		var got map[string]int64
		copied, err := s.Recent(t.Context(), ref(chatID), func(list []chat.Fit) store.Span {
			got = map[string]int64{}
			for _, w := range list {
				if got[w.Model] = w.StateFrom; w.Settings != "s" || w.Prefix != "p" || w.From != 0 || w.MaxBytes != 0 || w.PerMille != 0 {
					t.Errorf("%s: %+v", chatID, w)
				}
			}
			return store.Span{}
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, chatID+": from where state is sent", got, want)
		equal(t, chatID+": the first step's state", states(copied.Messages[1:2]), states(source.Messages[1:2]))
	}
	last := recent(t, s, ref("changed"), store.Span{}).Messages[3]
	if string(last.State) != awkward || last.MadeBy != "maker" || view(t, s, ref("changed")).Messages[3].Thinking != "hm" {
		t.Errorf("the step at the point: %+v", last)
	}
}
