package storetest

import (
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// soon is a lease that lapses during the test; long is one that does not.
const (
	soon = time.Millisecond
	long = time.Hour
)

// beat fails the test unless the heartbeat reports wantLapsed.
func beat(t *testing.T, s store.Store, node string, ttl time.Duration, wantLapsed bool) {
	t.Helper()
	lease, err := s.Heartbeat(t.Context(), node, ttl)
	if err != nil || lease.Lapsed != wantLapsed {
		t.Errorf("Heartbeat(%s, %v) = %v, %v; want lapsed: %v", node, ttl, lease, err, wantLapsed)
	}
}

// others fails the test unless the node's heartbeat counts so many other nodes.
func others(t *testing.T, s store.Store, node string, want int) {
	t.Helper()
	if lease, err := s.Heartbeat(t.Context(), node, long); err != nil || lease.Others != want {
		t.Errorf("Heartbeat(%s) = %v, %v; want %d others", node, lease, err, want)
	}
}

// observer returns a node that has just got its lease.
func observer(t *testing.T, s store.Store) string {
	t.Helper()
	if _, err := s.Heartbeat(t.Context(), "observer", long); err != nil {
		t.Fatal(err)
	}
	return "observer"
}

// abandoned returns the chat ids that Abandoned lists.
func abandoned(t *testing.T, s store.Store, limit int) map[string]bool {
	t.Helper()
	refs, err := s.Due().Abandoned(t.Context(), observer(t, s), 0, limit)
	if err != nil {
		t.Fatal(err)
	}
	ids := make(map[string]bool)
	for _, r := range refs {
		if r != ref(r.ChatID) || ids[r.ChatID] {
			t.Errorf("Abandoned lists %+v, which is another chat's, or twice", r)
		}
		ids[r.ChatID] = true
	}
	if len(refs) > limit {
		t.Errorf("Abandoned lists %d chats, limit %d", len(refs), limit)
	}
	return ids
}

// untilAbandoned waits for leases that are about to lapse, by the store's clock.
func untilAbandoned(t *testing.T, s store.Store, n int) map[string]bool {
	t.Helper()
	for {
		if ids := abandoned(t, s, 100); len(ids) >= n || t.Context().Err() != nil {
			return ids
		}
	}
}

// run makes chats that a node runs, "" for no node.
func run(t *testing.T, s store.Store, node string, chatIDs ...string) {
	t.Helper()
	for _, id := range chatIDs {
		update(t, s, ref(id), func(tx store.Tx) error {
			return tx.BeginTurn(chat.Turn{ID: "trn_" + id, State: chat.TurnRunning, LeaseOwner: node})
		})
	}
}

func testHeartbeat(t *testing.T, s store.Store) {
	beat(t, s, "a", long, true) // there was no lease before the first
	beat(t, s, "a", long, false)
	beat(t, s, "b", soon, true)
	run(t, s, "a", "a1")
	run(t, s, "b", "b1")
	equal(t, "abandoned once b has lapsed", untilAbandoned(t, s, 1), map[string]bool{"b1": true})
	others(t, s, "a", 1) // the observer
	beat(t, s, "b", long, true)
	others(t, s, "a", 2)
	others(t, s, "c", 3)
	beat(t, s, "c", 0, false)
	others(t, s, "a", 2)
	equal(t, "abandoned after b came back", abandoned(t, s, 10), map[string]bool{})
	beat(t, s, "b", long, false)
	beat(t, s, "b", 0, false)
	equal(t, "abandoned after b gave up", abandoned(t, s, 10), map[string]bool{"b1": true})
	beat(t, s, "b", 0, true) // there was no lease any more
	beat(t, s, "b", long, true)
	beat(t, s, "A", long, true) // a node other than a
	beat(t, s, "a", 0, false)
	equal(t, "abandoned after a gave up", abandoned(t, s, 10), map[string]bool{"a1": true})
	if _, err := s.Heartbeat(t.Context(), "", long); err == nil {
		t.Error("a node without an id was accepted")
	}
}

func testAbandoned(t *testing.T, s store.Store) {
	beat(t, s, "alive", long, true)
	beat(t, s, "dead", soon, true)
	run(t, s, "alive", "alive")
	run(t, s, "dead", "dead", "paused", "ended", "renewed", "taken over")
	run(t, s, "never seen", "unknown")
	run(t, s, "", "no node")
	owned, err := s.Due().Owned(t.Context(), "alive", 10)
	if err != nil || len(owned) != 1 || owned[0] != ref("alive") {
		t.Errorf("Owned: %v, %v", owned, err)
	}
	update(t, s, ref("paused"), func(tx store.Tx) error { return tx.Turn().Move(chat.TurnPaused) })
	update(t, s, ref("ended"), func(tx store.Tx) error { return tx.Turn().Move(chat.TurnEnded) })
	update(t, s, ref("renewed"), func(tx store.Tx) error { // a newer turn that waits hides the older one
		return tx.BeginTurn(chat.Turn{ID: "trn_2", State: chat.TurnPaused, LeaseOwner: "dead"})
	})
	update(t, s, ref("taken over"), func(tx store.Tx) error { tx.Turn().LeaseOwner = "alive"; return nil })

	want := map[string]bool{"dead": true, "unknown": true, "no node": true}
	equal(t, "Abandoned", untilAbandoned(t, s, len(want)), want)
	for limit := 1; limit <= 3; limit++ {
		if got := abandoned(t, s, limit); len(got) != limit {
			t.Errorf("Abandoned with limit %d lists %v", limit, got)
		}
	}
	if err := s.Delete(t.Context(), ref("dead"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	run(t, s, "alive", "unknown")
	equal(t, "Abandoned, after some were handled", abandoned(t, s, 10), map[string]bool{"no node": true})
}

// testLapsed: no lease counts as lapsed for a node that has not held its own for long enough.
func testLapsed(t *testing.T, s store.Store) {
	beat(t, s, "dead", soon, true)
	beat(t, s, "alive", long, true)
	beat(t, s, "gone", long, true)
	run(t, s, "dead", "dead")
	run(t, s, "alive", "alive")
	run(t, s, "gone", "given up")
	run(t, s, "", "no node")
	run(t, s, "observer", "own")
	untilAbandoned(t, s, 2)
	beat(t, s, "gone", 0, false)
	for _, test := range []struct {
		what, node string
		held       time.Duration
		want       map[string]bool
	}{
		{"a node that holds its lease", "observer", 0, map[string]bool{"dead": true, "given up": true, "no node": true}},
		{"one that has not held it for that long", "observer", long, map[string]bool{"given up": true, "no node": true}},
		{"one whose own has lapsed", "dead", 0, map[string]bool{"given up": true, "no node": true}},
		{"one without any", "new", 0, map[string]bool{"given up": true, "no node": true}},
	} {
		refs, err := s.Due().Abandoned(t.Context(), test.node, test.held, 10)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, r := range refs {
			got[r.ChatID] = true
		}
		equal(t, "Abandoned by "+test.what, got, test.want)
		for _, id := range []string{"dead", "alive", "given up", "no node", "own"} {
			update(t, s, ref(id), func(tx store.Tx) error {
				is, err := tx.Abandoned(test.node, test.held)
				if is != test.want[id] {
					t.Errorf("%s: %s is abandoned: %v", test.what, id, is)
				}
				return err
			})
		}
	}
	update(t, s, ref("no node"), func(tx store.Tx) error { return tx.Turn().Move(chat.TurnEnded) })
	update(t, s, ref("no node"), func(tx store.Tx) error {
		if is, err := tx.Abandoned("observer", 0); is || err != nil {
			t.Errorf("a turn that has ended is abandoned: %v, %v", is, err)
		}
		return nil
	})
}

func testStartCall(t *testing.T, s store.Store) {
	m := chat.Message{ID: "msg_1", Role: chat.RoleAssistant, ToolCalls: []chat.ToolCall{
		{ID: "call_1", Name: "n"}, {ID: "call_2", Name: "n"}, {ID: "call_3", Name: "n", Started: 5, Spoiled: true},
	}}
	for _, id := range []string{"c", "other"} {
		update(t, s, ref(id), func(tx store.Tx) error { return tx.AppendMessage(m) })
	}
	update(t, s, ref("c"), func(tx store.Tx) error { return tx.StartCall("call_1", 6) })
	update(t, s, ref("c"), func(tx store.Tx) error {
		wantError(t, "StartCall of no call", tx.StartCall("call_9", 6), store.ErrNotFound)
		return all( // begun by another run; its result does not mention the beginning
			func() error { return tx.StartCall("call_1", 7) },
			func() error { return tx.SetResult("call_1", chat.ToolResult{Content: "x", Fence: 7, Seq: 9}) },
			func() error { return tx.StartCall("call_3", 0) }, // taken back
		)
	})
	equal(t, "another chat", view(t, s, ref("other")).Messages, []chat.Message{m})
	m.ToolCalls[0].Started, m.ToolCalls[0].Result = 7, &chat.ToolResult{Content: "x", Fence: 7, Seq: 9}
	m.ToolCalls[2].Started = 0
	equal(t, "the calls", view(t, s, ref("c")).Messages, []chat.Message{m})
}
