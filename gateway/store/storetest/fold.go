package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools/textsearch"
)

// changed begins a chat of a family, or changes it, without writing to it.
func changed(t *testing.T, s store.Store, r chat.Ref, root string, minute int) {
	t.Helper()
	update(t, s, r, func(tx store.Tx) error {
		if tx.Conversation().Fence == 0 {
			tx.Conversation().Root, tx.Conversation().WrittenAt = root, at(minute)
		}
		return begin(tx, at(minute))
	})
}

// entry describes an entry of a list of families.
func entry(f *store.Folded) string {
	text := fmt.Sprintf("%s x%d", f.ChatID, f.Branches)
	if f.Pending > 0 {
		text += fmt.Sprintf(" asks %d: %s", f.Pending, strings.Join(f.Asked, " "))
	}
	return text
}

func folded(t *testing.T, s store.Store, limit int) []string {
	t.Helper()
	var last time.Time
	return pages(t, limit, func(p store.Page) ([]store.Folded, string, error) {
		return s.Folded(t.Context(), "acme", "alice", "translator", p)
	}, func(f store.Folded) string {
		if !last.IsZero() && f.Changed.After(last) {
			t.Errorf("%s changed at %s, after the entry above it", entry(&f), f.Changed)
		}
		last = f.Changed
		return entry(&f)
	})
}

// testForksAreNamed: clients of other wire formats do not see a fork that its owner made of their
// chat, but know it, and the branches that they make of it, by its own id. Its owner sees all.
func testForksAreNamed(t *testing.T, s store.Store) {
	known := func(id, as string, minute int) {
		branch(t, s, ref(id), "c", minute)
		update(t, s, ref(id+"x"), func(tx store.Tx) error {
			head := tx.Conversation()
			head.Root, head.Fork, head.WrittenAt = "c", chat.Fork{ChatID: id, Known: as}, at(minute+1)
			return begin(tx, at(minute))
		})
	}
	branch(t, s, ref("c"), "", 1)
	known("client", "", 2)  // and its branch clientx
	known("of", "ofx", 4)   // ofx is the owner's fork
	known("then", "ofx", 6) // thenx is a client's branch of that
	for name, want := range map[string]string{
		"c": "then of clientx client c", "client": "then of clientx client c", "ofx": "thenx ofx", "thenx": "thenx ofx", "gone": "",
	} {
		equal(t, "known as "+name, strings.Join(chats(t, s, ref(name)), " "), want)
		all, err := s.Family(t.Context(), ref(name))
		if err != nil || len(all) != 7 && name != "gone" || len(all) > 0 && name == "gone" || len(all) > 0 && all[0].ChatID != "thenx" {
			t.Errorf("the family of %s: %+v, %v", name, all, err)
		}
	}
	equal(t, "the family in a view", len(familyIn(t, s, "ofx")), 7)
	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Family(t.Context(), ref("c")); err != nil || len(all) != 6 {
		t.Errorf("without the first chat: %d, %v", len(all), err)
	}
	equal(t, "a fork without the first chat", strings.Join(chats(t, s, ref("ofx")), " "), "thenx ofx")
}

// testFolded: the chats of a family are one entry, where the newest change places it. It leads to the
// chat that was written to last, or to one that asks its owner.
func testFolded(t *testing.T, s store.Store) {
	equal(t, "no chats", folded(t, s, 9), []string(nil))
	branch(t, s, ref("c"), "", 3)
	branch(t, s, ref("b1"), "c", 2)
	branch(t, s, ref("b2"), "c", 4)
	changed(t, s, ref("alone"), "", 7)
	changed(t, s, ref("b1"), "", 8)
	equal(t, "a family that changed last", folded(t, s, 9), []string{"b2 x3", "alone x1"})
	changed(t, s, ref("alone"), "", 9)
	equal(t, "another that changed", folded(t, s, 9), []string{"alone x1", "b2 x3"})
	for _, r := range []chat.Ref{
		{Tenant: "acme", Subject: "bob", App: "translator", ChatID: "b3"}, {Tenant: "acme", Subject: "alice", App: "other", ChatID: "b3"},
		{Tenant: "other", Subject: "alice", App: "translator", ChatID: "b3"},
	} {
		branch(t, s, r, "c", 50)
	}
	update(t, s, ref("lasting"), func(tx store.Tx) error {
		tx.Conversation().Root, tx.Conversation().Lasting, tx.Conversation().Ephemeral = "c", true, true
		return begin(tx, at(51))
	})
	equal(t, "others' chats, and one in no list", folded(t, s, 9), []string{"alone x1", "b2 x3"})

	ask := func(chatID, id, role string, number int) {
		t.Helper()
		update(t, s, ref(chatID), func(tx store.Tx) error {
			c := question(id, number, at(10))
			c.For = role
			return tx.AddClarification(c)
		})
	}
	ask("b2", "clr_role", "approver", 1)
	equal(t, "what others decide", folded(t, s, 9), []string{"alone x1", "b2 x3"})
	ask("b1", "clr_2", "", 2)
	ask("b1", "clr_1", "", 1)
	equal(t, "a branch that asks", folded(t, s, 9), []string{"alone x1", "b1 x3 asks 2: clr_1 clr_2"})
	ask("c", "clr_c", "", 1)
	equal(t, "the first chat asks as well", folded(t, s, 9), []string{"alone x1", "c x3 asks 3: clr_c clr_1 clr_2"})
	list, _, err := s.Folded(t.Context(), "acme", "alice", "translator", store.Page{Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the head", list[1].Conversation, view(t, s, ref("c")).Conversation)
	equal(t, "how it begins", list[1].Beginning, "hello")
	equal(t, "when it changed", list[1].Changed, at(8))

	if err := s.Delete(t.Context(), ref("c"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	equal(t, "without the first chat", folded(t, s, 9), []string{"alone x1", "b1 x2 asks 2: clr_1 clr_2"})
	for i := range 2 * store.MaxBranches {
		branch(t, s, ref(fmt.Sprint("more", i)), "c", 10+i)
	}
	for i := range store.MaxAsked {
		ask("more3", fmt.Sprintf("clr_more%d", i), "", i)
	}
	list, _, err = s.Folded(t.Context(), "acme", "alice", "translator", store.Page{Limit: 9})
	if err != nil || len(list) != 2 || list[1].Branches != 2+2*store.MaxBranches || list[1].Pending != 2+store.MaxAsked || len(list[1].Asked) != store.MaxAsked || list[1].ChatID != "more3" {
		t.Errorf("many branches: %s, %s, %v", entry(&list[0]), entry(&list[1]), err)
	}
}

// testFoldedPages: however many entries a page has, each family is on one page; while chats change,
// those whose families changed move to the front, and each of the others is seen once.
func testFoldedPages(t *testing.T, s store.Store) {
	rng := rand.New(rand.NewPCG(1, 2))
	const families = 15
	all := map[string]string{} // chat -> family
	for i := range 3 * families {
		root := fmt.Sprintf("f%02d", i%families)
		id := fmt.Sprintf("%s_%d", root, i/families)
		if all[id] = root; i < families {
			all[root], id = root, root
			changed(t, s, ref(id), "", rng.IntN(30))
			continue
		}
		changed(t, s, ref(id), root, rng.IntN(30))
	}
	familyOf := func(f store.Folded) string { return cmp.Or(f.Root, f.ChatID) }
	list := func(p store.Page) ([]store.Folded, string, error) {
		return s.Folded(t.Context(), "acme", "alice", "translator", p)
	}
	want := pages(t, 100, list, familyOf)
	if distinct := slices.Compact(slices.Sorted(slices.Values(want))); len(want) != families || len(distinct) != families {
		t.Errorf("%d entries of %d families: %v", len(want), len(distinct), want)
	}
	for limit := 1; limit <= families; limit++ {
		equal(t, fmt.Sprint("families, limit ", limit), pages(t, limit, list, familyOf), want)
	}

	seen := map[string]bool{}
	moved := map[string]bool{}
	for cursor, n := "", 0; ; n++ {
		items, next, err := list(store.Page{Limit: 2, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range items {
			if seen[familyOf(f)] {
				t.Errorf("%s is on two pages", familyOf(f))
			}
			seen[familyOf(f)] = true
		}
		if cursor = next; cursor == "" {
			break
		}
		for _, root := range []string{familyOf(items[0]), want[len(want)-1]} { // one that was seen, and one from the end
			changed(t, s, ref(fmt.Sprint(root, "_", 1+rng.IntN(2))), root, 100+n)
			moved[root] = true
		}
	}
	for _, root := range want {
		if !seen[root] && !moved[root] {
			t.Errorf("%s was lost", root)
		}
	}

	_, chats, err := s.Conversations(t.Context(), "acme", "alice", "translator", store.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = list(store.Page{Limit: 1, Cursor: chats})
	wantError(t, "a cursor of the list of chats", err, store.ErrCursor)
	_, _, err = list(store.Page{Limit: 1, Cursor: "garbage!"})
	wantError(t, "a cursor of no list", err, store.ErrCursor)
}

// testFoldedSearch: a family is found once, where the list has it, by the words of one of its chats.
func testFoldedSearch(t *testing.T, s store.Store) {
	member := func(id, root string, minute int, texts ...string) {
		t.Helper()
		update(t, s, ref(id), func(tx store.Tx) error { tx.Conversation().Root = root; tx.Conversation().Fence++; return nil })
		say(t, s, ref(id), at(minute), texts...)
	}
	member("c", "", 1, "plan a trip", "to Lisbon")
	member("b1", "c", 2, "plan a trip", "to Rome")
	member("b2", "c", 9, "plan a weekend", "in Lisbon")
	member("alone", "", 5, "a trip to Rome")
	member("gone", "lost", 6, "a trip to Oslo") // of a family whose first chat is gone
	for query, want := range map[string]string{
		"trip": "b1 gone alone", "rome": "b1 alone", "lisbon": "b2", "weekend rome": "", "plan": "b2", "trip lisbon": "c", "oslo": "gone",
	} {
		for limit := 1; limit <= 4; limit++ {
			got := pages(t, limit, func(p store.Page) ([]store.Folded, string, error) {
				list, next, err := s.SearchFolded(t.Context(), "acme", "alice", "translator", textsearch.NewWords(query), p)
				if len(list) == 0 && next != "" {
					t.Errorf("%q: an empty page, followed by others", query)
				}
				return list, next, err
			}, func(f store.Folded) string { return f.ChatID })
			if strings.Join(got, " ") != want {
				t.Errorf("%q, %d at a time: %q, want %q", query, limit, got, want)
			}
		}
	}
	list, _, err := s.SearchFolded(t.Context(), "acme", "alice", "translator", textsearch.NewWords("trip lisbon"), store.Page{Limit: 9})
	if err != nil || len(list) != 1 || list[0].Branches != 3 || !list[0].Changed.Equal(at(9)) || list[0].Snippet == nil {
		t.Errorf("%+v, %v", list, err)
	}
	hay := strings.Repeat("hay ", 1<<19) // 2 MiB
	for i := range 5 {
		member(fmt.Sprint("large", i), "c", 20+i, hay, fmt.Sprint("needle", i))
	}
	for query, want := range map[string]int{"needle4": 1, "needle2": 1, "needle0": 0} { // the newest, up to the limit of one chat
		list, _, err := s.SearchFolded(t.Context(), "acme", "alice", "translator", textsearch.NewWords(query), store.Page{Limit: 9})
		if err != nil || len(list) != want {
			t.Errorf("%s: %d, %v", query, len(list), err)
		}
	}
}
