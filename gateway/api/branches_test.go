package api_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
)

// says sends a message as the AI SDK does, after the message asked, unless that is "". It returns
// the chat that took the message, and the message that asks. The same id with another text is an
// edit.
func (s *server) says(chatID, asked, id, text string) (took, asks string) {
	s.t.Helper()
	r := s.call("POST", "/v1/apps/plain/ai-sdk", fmt.Sprintf(`{"id":%q,"messages":[%s{"id":%q,"role":"user","parts":[{"type":"text","text":%q}]}],"messageId":%q}`, chatID, asked, id, text, id))
	if r.StatusCode != 200 {
		s.t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if of, call := messageID.FindSubmatch(r.body), callID.FindSubmatch(r.body); of != nil && call != nil {
		asks = fmt.Sprintf(`{"id":%q,"role":"assistant","parts":[{"type":"tool-ask_user","toolCallId":%q,"state":"input-available","input":{}}]},`, of[1], call[1])
	}
	return r.Header.Get("X-Chat-Id"), asks
}

var (
	messageID = regexp.MustCompile(`"messageId":"([^"]+)"`)
	callID    = regexp.MustCompile(`"toolCallId":"([^"]+)"`)
)

// told holds what lists and snapshots show of a chat and its branches.
type told struct {
	ChatID, Title, Root string
	ForkedFrom          *chat.Fork
	Branches            branchesTold
	Messages            []struct {
		ID        string
		ToolCalls []struct{ ToolCallID string }
	}
}

// branchesTold are those of a snapshot; an entry of a folded list only counts them.
type branchesTold []struct {
	ChatID, BranchPoint string
	WrittenAt           *string
	ForkedFrom          *chat.Fork
}

// listed holds the chats of a list or of a search.
func (s *server) listed(c schemas, query string) map[string]told {
	s.t.Helper()
	r := s.call("GET", "/v1/apps/plain/chats"+query, "")
	c.check("ChatList", r.body)
	var list struct{ Items []told }
	if err := json.Unmarshal(r.body, &list); err != nil {
		s.t.Fatal(err)
	}
	all := map[string]told{}
	for _, of := range list.Items {
		all[of.ChatID] = of
	}
	return all
}

func (s *server) snapshot(c schemas, chatID string) (of told) {
	s.t.Helper()
	r := s.call("GET", "/v1/apps/plain/chats/"+chatID, "")
	c.check("Snapshot", r.body)
	if err := json.Unmarshal(r.body, &of); err != nil {
		s.t.Fatal(err)
	}
	return of
}

// TestBranchesAreTold: lists and snapshots show which chats clients branched off a chat, and what
// each says where it departs from the others. A fork made through the native API is one of them, but
// not for the clients that know the chat by its name.
func TestBranchesAreTold(t *testing.T) {
	t.Parallel()
	s, c := realServer(t, nil, nil), loadSchemas(t)
	_, asked := s.says("c1", "", "u1", "select")
	if alone := s.snapshot(c, "c1"); alone.Root != "" || alone.Branches != nil {
		t.Errorf("a chat without branches: %+v", alone)
	}
	s.says("c1", asked, "u2", "French")                // the answer
	changed, _ := s.says("c1", asked, "u2", "Spanish") // another
	edited, _ := s.says("c1", "", "u1", "number")      // another message, in any of the branches
	first := s.snapshot(c, "c1").Messages[0]           // which all of them have had
	call := s.snapshot(c, "c1").Messages[1].ToolCalls[0].ToolCallID
	if r := s.call("POST", forkPath, `{"messageId": "`+first.ID+`", "newChatId": "own"}`); r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}

	list := s.listed(c, "")
	for id, root := range map[string]string{"c1": "", changed: "c1", edited: "c1", "own": "c1"} {
		if of, ok := list[id]; !ok || of.Root != root {
			t.Errorf("%s in the list: %+v", id, of)
		}
	}
	if took, _ := s.says("c1", "", "u9", "hello"); took == "own" {
		t.Error("a client's message without a history went to the native fork")
	}
	for _, id := range []string{"c1", changed, edited, "own"} {
		of := s.snapshot(c, id)
		if len(of.Branches) != 4 || of.Branches[0].ChatID != "c1" || of.Root != list[id].Root {
			t.Fatalf("%s: %q, %+v", id, of.Root, of.Branches)
		}
		for _, b := range of.Branches {
			want := map[string]string{"c1": "", changed: call, edited: s.snapshot(c, edited).Messages[0].ID, "own": s.snapshot(c, "own").Messages[0].ID}
			if b.BranchPoint != want[b.ChatID] || b.WrittenAt == nil || (b.ForkedFrom == nil) != (b.ChatID == "c1") {
				t.Errorf("%s: %+v, want %q", id, b, want[b.ChatID])
			}
			if (b.ChatID == edited || b.ChatID == "own") && b.ForkedFrom.MessageID != first.ID {
				t.Errorf("%s: forked from %+v, not at %s", id, b.ForkedFrom, first.ID)
			}
		}
	}
}

// TestBranchesAreNamedAndErased one at a time, or with branches=true all branches of a chat:
// whichever of them the request names, even by the id of a chat that is gone; and nothing else.
func TestBranchesAreNamedAndErased(t *testing.T) {
	t.Parallel()
	s, c := realServer(t, nil, nil), loadSchemas(t)
	family := func(name string) []string {
		list := make([]string, 3)
		for i, text := range []string{"select", "number", "text"} {
			list[i], _ = s.says(name, "", "u1", text)
		}
		return list
	}
	want := func(what, method, chatID, query string, status int) {
		t.Helper()
		if r := s.call(method, "/v1/apps/plain/chats/"+chatID+query, map[string]string{"PATCH": `{"title": "` + what + `"}`}[method]); r.StatusCode != status {
			t.Errorf("%s: %d %s", what, r.StatusCode, r.body)
		}
	}
	left := func(what string, ids ...string) {
		t.Helper()
		for _, query := range []string{"", "?q=e"} { // all of the branches contain it
			list := s.listed(c, query)
			for _, id := range ids {
				if _, ok := list[id]; !ok {
					t.Errorf("%s: %s is gone from %q", what, id, query)
				}
			}
			if len(list) != len(ids) {
				t.Errorf("%s: %d in %q, want %q", what, len(list), query, ids)
			}
		}
	}
	one, other := family("c1"), family("c2")
	want("wish", "PATCH", one[1], "?branches=maybe", 400)
	want("wish", "DELETE", one[1], "?branches=maybe", 400)
	want("all", "PATCH", one[1], "?branches=true", 200)
	want("alone", "PATCH", one[2], "", 200)
	for id, of := range s.listed(c, "") {
		title := map[string]string{one[0]: "all", one[1]: "all", one[2]: "alone"}[id]
		if title != "" && of.Title != title || title == "" && (of.Title == "all" || of.Title == "alone") {
			t.Errorf("%s is called %q", id, of.Title)
		}
	}
	want("a branch", "DELETE", one[1], "", 204)
	left("a branch", slices.Concat(one[:1], one[2:], other)...)
	want("all of one, by a branch", "DELETE", one[2], "?branches=true", 204)
	left("all of one", other...)
	want("again", "DELETE", one[2], "?branches=true", 404)
	want("the chat", "DELETE", "c2", "", 204)
	left("the chat", other[1:]...)
	if b := s.snapshot(c, other[1]).Branches; len(b) != 2 || strings.Contains(fmt.Sprint(b), "{c2 ") {
		t.Errorf("without the chat: %+v", b)
	}
	want("all of one that is gone", "DELETE", "c2", "?branches=true", 204)
	left("all")
}
