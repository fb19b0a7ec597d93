package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
)

// entry is an entry of a list of chats that is folded.
type entry struct {
	ChatID, Root, Title string
	UpdatedAt           string
	Branches, Pending   int
	ClarificationIDs    []string
	Snippet             []struct{ Text string }
}

// folded reads all pages of a folded list, one entry at a time.
func (s *server) folded(c schemas, query string) []entry {
	s.t.Helper()
	var all []entry
	for cursor := ""; ; {
		r := s.call("GET", "/v1/apps/plain/chats?fold=branches&limit=1"+query+cursor, "")
		c.check("ChatList", r.body)
		var list struct {
			Items      []entry
			NextCursor *string
		}
		if err := json.Unmarshal(r.body, &list); err != nil || r.StatusCode != 200 || len(all) > 20 {
			s.t.Fatalf("%d %s, %v", r.StatusCode, r.body, err)
		}
		if all = append(all, list.Items...); list.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *list.NextCursor
	}
}

func describe(list []entry) string {
	var texts []string
	for _, e := range list {
		texts = append(texts, fmt.Sprintf("%s of %s: %d, %d wait", e.ChatID, e.Root, e.Branches, e.Pending))
	}
	return strings.Join(texts, "; ")
}

// forks forks a chat at its first message, which it replaces unless the text is "".
func (s *server) forks(c schemas, of, to, text string) {
	s.t.Helper()
	body := map[string]any{"messageId": s.snapshot(c, of).Messages[0].ID, "newChatId": to, "interactive": text == "select"}
	if text != "" {
		body["message"] = text
	}
	data, _ := json.Marshal(body)
	if r := s.call("POST", "/v1/apps/plain/chats/"+of+"/fork", string(data)); r.StatusCode != 200 {
		s.t.Fatalf("%d %s", r.StatusCode, r.body)
	}
}

// TestForksAreFolded: a chat with its forks, of forks as well, is one entry, which leads to where a
// question waits, counts what waits in all, and is there as long as one of them is.
func TestForksAreFolded(t *testing.T) {
	t.Parallel()
	s, c := realServer(t, nil, nil), loadSchemas(t)
	is := func(what, want string) {
		t.Helper()
		if got := describe(s.folded(c, "")); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	is("nothing", "")
	s.run(c, "c1", `{"message":"hello","interactive":false}`)
	s.run(c, "alone", `{"message":"good morning","interactive":false}`)
	is("no forks", "alone of : 1, 0 wait; c1 of : 1, 0 wait")
	s.forks(c, "c1", "edited", "select")
	is("a fork that asks", "edited of c1: 2, 1 wait; alone of : 1, 0 wait")
	s.forks(c, "edited", "nested", "hello again")
	is("a fork of the fork", "edited of c1: 3, 1 wait; alone of : 1, 0 wait")
	asked := s.folded(c, "")[0]
	if len(asked.ClarificationIDs) != 1 || !strings.HasPrefix(asked.ClarificationIDs[0], "clr_") {
		t.Errorf("what waits: %+v", asked)
	}
	s.run(c, "c1", `{"message":"number"}`)
	if of := s.folded(c, "")[0]; of.ChatID != "c1" || of.Pending != 2 || len(of.ClarificationIDs) != 2 || of.ClarificationIDs[1] != asked.ClarificationIDs[0] {
		t.Errorf("what waits in two: %+v", of)
	}
	s.run(c, "c1", `{"answer":{"value":7}}`)
	s.run(c, "edited", `{"answer":{"value":"fr"}}`)
	is("nothing waits", "edited of c1: 3, 0 wait; alone of : 1, 0 wait")

	if got := describe(s.folded(c, "&q=hello")); got != "c1 of : 3, 0 wait" && got != "nested of c1: 3, 0 wait" {
		t.Errorf("a search: %s", got)
	}
	if list := s.folded(c, "&q=again"); describe(list) != "nested of c1: 3, 0 wait" || len(list[0].Snippet) == 0 {
		t.Errorf("a search for what one branch has: %+v", list)
	}
	if list := s.listed(c, ""); len(list) != 4 {
		t.Errorf("the list without fold: %+v", list)
	}
	for _, bad := range []string{"?fold=all", "?fold=", "?fold=branches&limit=0", "?fold=branches&cursor=x", "?fold=branches&q="} {
		s.call("GET", "/v1/apps/plain/chats"+bad, "").wantProblem(t, 400, "invalid_request")
	}

	for _, b := range s.snapshot(c, "nested").Branches {
		want := map[string]*chat.Fork{"c1": nil, "edited": {ChatID: "c1"}, "nested": {ChatID: "edited"}}[b.ChatID]
		if (want == nil) != (b.ForkedFrom == nil) || want != nil && (want.ChatID != b.ForkedFrom.ChatID || b.BranchPoint == "") {
			t.Errorf("a branch in the snapshot: %+v", b)
		}
	}
	erase := func(chatID, query string) {
		t.Helper()
		if r := s.call("DELETE", "/v1/apps/plain/chats/"+chatID+query, ""); r.StatusCode != 204 {
			t.Errorf("%d %s", r.StatusCode, r.body)
		}
	}
	erase("edited", "")
	is("without the one in the middle", "c1 of : 2, 0 wait; alone of : 1, 0 wait")
	erase("c1", "")
	if got := describe(s.folded(c, "")); got != "nested of c1: 1, 0 wait; alone of : 1, 0 wait" && got != "alone of : 1, 0 wait; nested of c1: 1, 0 wait" {
		t.Errorf("without the first: %s", got)
	}
	s.forks(c, "nested", "last", "")
	erase("nested", "?branches=true")
	is("without all of them", "alone of : 1, 0 wait")
}
