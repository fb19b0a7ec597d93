package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// TestAPersonReadsEditsAndDeletesWhatIsKept, page by page, and as the schema describes.
func TestAPersonReadsEditsAndDeletesWhatIsKept(t *testing.T) {
	t.Parallel()
	var db store.Store
	s := realServer(t, nil, func(o *turn.Options) { db = o.Store })
	c := loadSchemas(t)
	me := chat.Ref{Tenant: "default", Subject: "anonymous", App: "plain", ChatID: "c"}
	for i, key := range []string{"tone", "units"} {
		if err := db.Memory().SaveMemory(t.Context(), chat.Memory{ID: "mem_" + key, Tenant: me.Tenant, Subject: me.Subject, App: "plain", Key: key, Text: "my " + key, UpdatedAt: time.UnixMilli(int64(i))}, 9); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Update(t.Context(), me, func(tx store.Tx) error {
		return tx.Remember(chat.Memory{ID: "mem_pdf", Key: "format", Of: "x", Text: "PDF", Answer: &chat.RememberedAnswer{Answer: tools.Answer{Value: json.RawMessage(`"pdf"`)}}, Silent: true,
			UpdatedAt: time.UnixMilli(5), ExpiresAt: time.Now().Add(time.Hour)})
	}); err != nil {
		t.Fatal(err)
	}

	var list struct {
		Items      []map[string]any
		NextCursor *string
	}
	r := s.call("GET", "/v1/memory?limit=1", "")
	c.check("MemoryList", r.body)
	r.decode(t, 200, &list)
	if len(list.Items) != 1 || list.NextCursor == nil {
		t.Fatalf("the first page: %s", r.body)
	}
	first := list.Items[0]
	if first["id"] != "mem_pdf" || first["value"] != "pdf" || first["label"] != "PDF" || first["dontAskAgain"] != true || first["key"] != "format" || first["app"] != "plain" || first["text"] != nil || first["expiresAt"] == nil {
		t.Errorf("an answer is %v", first)
	}
	r = s.call("GET", "/v1/memory?app=plain&cursor="+*list.NextCursor, "")
	if r.StatusCode != 400 { // a cursor of another list
		t.Errorf("%d: %s", r.StatusCode, r.body)
	}
	r = s.call("GET", "/v1/memory?cursor="+*list.NextCursor, "")
	list.NextCursor = nil
	r.decode(t, 200, &list)
	if len(list.Items) != 2 || list.Items[0]["text"] != "my units" || list.Items[1]["text"] != "my tone" || list.NextCursor != nil {
		t.Errorf("the second page: %s", r.body)
	}

	r = s.call("PUT", "/v1/memory/mem_tone", `{"text": "informal"}`)
	c.check("Memory", r.body)
	if r.StatusCode != 200 || !strings.Contains(string(r.body), `"text":"informal"`) {
		t.Errorf("%d: %s", r.StatusCode, r.body)
	}
	if got := string(s.call("GET", "/v1/memory?limit=1", "").body); !strings.Contains(got, "informal") {
		t.Errorf("the edited entry is not the newest: %s", got)
	}
	for body, status := range map[string]int{
		`{}`: 400, `{"text": ""}`: 400, `{"text": " \u200b"}`: 400, `{"text": 3}`: 400, `{"text": "x", "key": "y"}`: 400, `[]`: 400,
		fmt.Sprintf(`{"text": %q}`, strings.Repeat("é", chat.MaxMemoryText+1)): 400,
		fmt.Sprintf(`{"text": %q}`, strings.Repeat("é", chat.MaxMemoryText)):   200,
	} {
		if r := s.call("PUT", "/v1/memory/mem_units", body); r.StatusCode != status {
			t.Errorf("%.60s: %d, want %d: %s", body, r.StatusCode, status, r.body)
		}
	}
	if r := s.call("PUT", "/v1/memory/mem_pdf", `{"text": "x"}`); r.StatusCode != 404 {
		t.Errorf("editing an answer: %d", r.StatusCode)
	}
	for _, query := range []string{"app=%2F", "limit=0", "limit=101", "cursor=x"} {
		if r := s.call("GET", "/v1/memory?"+query, ""); r.StatusCode != 400 {
			t.Errorf("%s: %d", query, r.StatusCode)
		}
	}

	for i, status := range []int{204, 404} {
		if r := s.call("DELETE", "/v1/memory/mem_tone", ""); r.StatusCode != status {
			t.Errorf("deleting for the %dth time: %d", i+1, r.StatusCode)
		}
	}
	if r := s.call("DELETE", "/v1/memory?app=other", ""); r.StatusCode != 204 {
		t.Errorf("%d: %s", r.StatusCode, r.body)
	}
	if left, err := db.Memory().Memories(t.Context(), me.Tenant, me.Subject, "plain"); len(left) != 2 || err != nil {
		t.Errorf("%v, %v", left, err)
	}
	if r := s.call("DELETE", "/v1/memory", ""); r.StatusCode != 204 {
		t.Errorf("%d: %s", r.StatusCode, r.body)
	}
	if got := string(s.call("GET", "/v1/memory", "").body); !strings.Contains(got, `"items":[]`) {
		t.Errorf("%s", got)
	}
}

// editedStore records the words that were stored.
type editedStore struct {
	fakeStore
	words *string
}

func (s editedStore) EditMemory(_ context.Context, _, _, id, text string, at time.Time) (chat.Memory, error) {
	*s.words = text
	return chat.Memory{ID: id, Text: text, UpdatedAt: at}, nil
}

// Whatever is sent is refused with 400 or 413, or stored as words that are visible and within the
// limit.
func FuzzMemory(f *testing.F) {
	for _, seed := range []string{`{"text":"formal"}`, `{"text":""}`, `{"text":"a","text":"b"}`, `{"text":null}`, `{}`, `[`, "\xff", `{"text":"\ud800"}`, `{"text":"\u0000"}`, `{"text":"\u202e"}`} {
		f.Add([]byte(seed))
	}
	var words string
	a, _, _ := newAPI(f, nil, func(o *api.Options) { o.Store = editedStore{words: &words} })
	handler := a.Handler()
	f.Fuzz(func(t *testing.T, body []byte) {
		words = ""
		r := httptest.NewRequest(http.MethodPut, "/v1/memory/mem_1", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if kept := w.Code == http.StatusOK; kept && (tools.Blank(words) || utf8.RuneCountInString(words) > chat.MaxMemoryText) || !kept && (words != "" || w.Code != 400 && w.Code != 413) {
			t.Errorf("%q: %d %s, kept %q", body, w.Code, w.Body, words)
		}
	})
}
