package weave

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/agui"
	"github.com/askgate/askgate/gateway/front/aisdk"
	"github.com/askgate/askgate/gateway/front/openai"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/approval"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tools/calculator"
)

// house is a gateway in this process, in front of a scripted model.
type house struct {
	url  string
	late chan func() // runs before the next command is submitted
	mu   sync.Mutex
	asks map[string]int // requests that the model got, by the seed
}

const key = "ag_weave"

func open(t *testing.T) *house {
	t.Helper()
	h := &house{asks: map[string]int{}, late: make(chan func(), 1)}
	sum := sha256.Sum256([]byte(key))
	dir := t.TempDir()
	configtest.Files{
		"gateway.json": `{"models": {"default": {"provider": "demo", "model": "scripted"}},
			"auth": {"mode": "apiKeys", "keys": [{"id": "all", "hash": "sha256:` + hex.EncodeToString(sum[:]) + `", "tenant": "t", "subject": "backend", "mayActAs": true}]},
			"clarifications": {"perConversation": 100, "perTurn": 100},
			"limits": {"requestsPerMinute": 0, "concurrentTurns": 1000}}`,
		"tools.json":     `[{"id": "ask_user", "type": "ask_user"}, {"id": "calculator", "type": "builtin", "needsApproval": true, "unfounded": "allow"}]`,
		"apps/work.json": `{"id": "work", "name": "Work", "tools": ["ask_user", "calculator"]}`,
	}.Write(t, dir)
	conf, err := config.Load(config.Options{Dir: dir, Tools: []config.ToolType{config.Builtin("calculator", calculator.Tool{})}})
	if err != nil {
		t.Fatal(err)
	}
	texts, err := locales.New()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(dir, "chats.db"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	words := func(language string) askuser.Words {
		list := func(id string) []string { return strings.Split(texts.Text(language, id, nil), ",") }
		return askuser.Words{Yes: "Yes", No: "No", YesWords: list("confirm.yes_words"), NoWords: list("confirm.no_words"), SkipWords: list("skip.words")}
	}
	user := func() *askuser.Tool { return askuser.New(askuser.Limits{}, words) }
	factories := toolexec.Factories{
		config.TypeAskUser: func(*config.App, *config.Tool) (tools.Tool, error) { return user(), nil },
		toolexec.Approval: func(*config.App, *config.Tool) (tools.Tool, error) {
			about := func(tools.Call) string { return "May it calculate?" }
			return approval.New(user(), about, about, func(string) (yes, no string) { return "Yes", "No" }), nil
		},
	}
	factories.Add(config.Builtin("calculator", calculator.Tool{}))
	g, err := gateway.New(t.Context(), gateway.Options{
		Config: conf, Store: db, Hub: stream.NewLocal(), Limiter: submits{limit.NewLocal(), h.late}, Texts: texts, Tools: factories,
		Providers: map[string]func(config.Model, *upstream.Notes) model.Model{config.ProviderDemo: func(config.Model, *upstream.Notes) model.Model { return h }},
		Fronts:    []front.Front{openai.Chat{}, openai.Responses{}, aisdk.Front{}, agui.Front{}},
		Registry:  prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); g.Shutdown(context.Background()) })
	go g.Run(ctx)
	server := httptest.NewServer(g.Handler())
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// mark is a word of the user's that occurs once.
var mark = regexp.MustCompile(`\bOwn\d+x\d+\b`)

var ofSeed = regexp.MustCompile(`\b(?:Own|S)(\d+)`)

// Stream implements model.Model. The first word of the newest message selects what the model does:
// ask, form and approve ask the user, and any other word is answered with what the model heard.
func (h *house) Stream(_ context.Context, r model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		word, results, seed := "", 0, ""
		var heard []string
		for _, m := range r.Messages {
			if of := ofSeed.FindStringSubmatch(m.Content); of != nil {
				seed = of[1]
			}
			switch m.Role {
			case model.RoleUser:
				word, _, _ = strings.Cut(m.Content, " ")
				results = 0
				heard = append(heard, mark.FindAllString(m.Content, -1)...)
			case model.RoleTool:
				results++
				heard = append(heard, answerIn(m.Content)...)
			}
		}
		h.mu.Lock()
		h.asks[seed]++
		h.mu.Unlock()
		if call, ok := calls[word]; ok && results == 0 {
			yield(model.Delta{ToolCalls: []model.ToolCall{{ID: "call_1", Name: call[0], Arguments: call[1]}}, Finish: model.FinishToolCalls}, nil)
			return
		}
		yield(model.Delta{Text: []byte(says(heard)), Finish: model.FinishStop}, nil)
	}
}

// calls returns the model's calls.
var calls = map[string][2]string{
	"ask":     {"ask_user", `{"questions":[{"id":"city","question":"Which city?","input_type":"select","options":[{"label":"Berlin, Germany","value":"ber"},{"label":"Paris, France","value":"par"}],"allow_other":true}]}`},
	"form":    {"ask_user", `{"questions":[{"id":"name","question":"Your name?","input_type":"text"},{"id":"age","question":"Your age?","input_type":"number","validation":{"min":1,"max":150}}]}`},
	"approve": {"calculator", `{"expression":"20+3"}`},
}

// says returns the model's text when it has heard that.
func says(heard []string) string { return "Heard " + strings.Join(append(heard, "."), " ") }

// given returns the user's part of a result: their own words, an option, an age; 23 is the result
// of an approved call.
var given = regexp.MustCompile(`\b(Own\d+x\d+|ber|par|\d{1,3})\b`)

func answerIn(result string) []string {
	switch {
	case strings.Contains(result, `"declined":true`):
		return []string{"no"}
	case strings.TrimSpace(result) == "23":
		return []string{"yes"}
	}
	return given.FindAllString(result, -1)
}

type object = map[string]any

// did is a response.
type did struct {
	status int
	header http.Header
	body   []byte
}

// send sends a request of a user's.
func (h *house) send(t *testing.T, who, method, path string, body any, headers ...string) did {
	t.Helper()
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, h.url+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]string{"Authorization": "Bearer " + key, "X-Askgate-User": who, "Content-Type": "application/json"} {
		req.Header.Set(name, v)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return did{resp.StatusCode, resp.Header, all}
}

// snapshot is a chat as the native API returns it.
type snapshot struct {
	Status   string
	Messages []struct {
		ID, Role, Content string
		ToolCalls         []struct {
			ToolCallID, ToolName string
			Arguments            json.RawMessage
			Result               *json.RawMessage
		}
	}
	Pending []struct{ ClarificationID, ToolCallID, Kind string }
}

func (h *house) snapshot(t *testing.T, who, chat string) (s snapshot, ok bool) {
	t.Helper()
	got := h.send(t, who, http.MethodGet, "/v1/apps/work/chats/"+chat, nil)
	if got.status != http.StatusOK {
		return s, false
	}
	if err := json.Unmarshal(got.body, &s); err != nil {
		t.Fatal(err)
	}
	return s, true
}

// lines returns the content of a chat, in the form of the truth.
func (s *snapshot) lines() (all lines) {
	for _, m := range s.Messages {
		if m.Role == "user" {
			all = append(all, "said "+m.Content)
		}
		for _, c := range m.ToolCalls {
			switch {
			case c.Result == nil:
				all = append(all, "waits")
			default:
				var text string
				if json.Unmarshal(*c.Result, &text) != nil {
					text = string(*c.Result)
				}
				if got := answerIn(text); len(got) > 0 {
					all = append(all, "answered "+strings.Join(got, " "))
				} else {
					all = append(all, "closed")
				}
			}
		}
	}
	return all
}

func (h *house) asked(seed int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asks[fmt.Sprint(seed)]
}

// chats returns the ids of all chats of a user's.
func (h *house) chats(t *testing.T, who string) (ids []string) {
	t.Helper()
	var list struct {
		Items []struct{ ChatID string }
	}
	got := h.send(t, who, http.MethodGet, "/v1/apps/work/chats?limit=100", nil)
	if err := json.Unmarshal(got.body, &list); err != nil || got.status != http.StatusOK {
		t.Fatal(fmt.Errorf("%d %s %w", got.status, got.body, err))
	}
	for _, c := range list.Items {
		ids = append(ids, c.ChatID)
	}
	return ids
}
