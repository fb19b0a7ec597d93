package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/store/sqldb"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
	"github.com/askgate/askgate/tooltypes/httptool"
)

// script is a model: the arguments of its next calls, none where it is done.
type script func(r model.Request) []string

// house is a gateway in front of a scripted model.
type house struct {
	url     string
	chats   int
	calling string       // the tool that the model calls
	calls   atomic.Int64 // of the model, for their ids
	close   func()
}

// entry is one of tools.json.
type entry map[string]any

// ran is a tool of an entry: it does nothing.
type ran struct{}

func (ran) Run(context.Context, tools.Call) (tools.Outcome, error) {
	return tools.Outcome{Result: "ran"}, nil
}

// build opens a gateway on an empty SQLite store. clarifications are the app's settings, more
// are HTTP tools that it has in addition to ask_user.
func build(ctx context.Context, clarifications string, asks script, more ...entry) (h *house, err error) {
	h = &house{calling: "ask_user"}
	var closers []func()
	h.close = func() {
		for i := len(closers) - 1; i >= 0; i-- {
			closers[i]()
		}
	}
	defer func() {
		if err != nil {
			h.close()
		}
	}()
	dir, err := os.MkdirTemp("", "askbench")
	if err != nil {
		return nil, err
	}
	closers = append(closers, func() { _ = os.RemoveAll(dir) })
	entries, ids := append([]entry{{"id": "ask_user", "type": "ask_user"}}, more...), []any{}
	for _, e := range entries {
		ids = append(ids, e["id"])
	}
	all, err := json.Marshal(entries)
	if err != nil {
		return nil, err
	}
	listed, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		"tools.json": string(all),
		"apps/a.json": `{"id": "a", "name": "A", "tools": ` + string(listed) + `, "maxSteps": 100, "clarifications": ` + clarifications +
			`, "limits": {"requestsPerMinute": 0}}`,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return nil, err
		}
	}
	conf, err := config.Load(config.Options{Dir: dir, Tools: []config.ToolType{httptool.Type()}})
	if err != nil {
		return nil, err
	}
	texts, err := locales.New()
	if err != nil {
		return nil, err
	}
	db, err := sqldb.Open(ctx, "sqlite:"+filepath.Join(dir, "chats.db"), sqldb.Options{})
	if err != nil {
		return nil, err
	}
	closers = append(closers, func() { _ = db.Close() })
	g, err := gateway.New(ctx, gateway.Options{
		Config: conf, Store: db, Hub: stream.NewLocal(), Limiter: limit.NewLocal(), Texts: texts,
		Tools: toolexec.Factories{config.TypeAskUser: func(app *config.App, _ *config.Tool) (tools.Tool, error) {
			return askuser.New(askuser.Limits{MaxQuestions: app.Clarifications.MaxQuestions}, nil), nil
		}, "http": func(*config.App, *config.Tool) (tools.Tool, error) { return ran{}, nil }},
		Providers: map[string]func(config.Model, *upstream.Notes) model.Model{config.ProviderDemo: func(config.Model, *upstream.Notes) model.Model { return scripted{h, asks} }},
		Registry:  prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	closers = append(closers, func() { stop(); g.Shutdown(ctx) })
	go g.Run(running)
	server := httptest.NewServer(g.Handler())
	closers = append(closers, server.Close)
	h.url = server.URL
	return h, nil
}

// scripted is the model of a house.
type scripted struct {
	h    *house
	asks script
}

// Stream implements model.Model.
func (s scripted) Stream(_ context.Context, r model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		var calls []model.ToolCall
		for _, arguments := range s.asks(r) {
			calls = append(calls, model.ToolCall{ID: fmt.Sprintf("call_%d", s.h.calls.Add(1)), Name: s.h.calling, Arguments: arguments})
		}
		if len(calls) == 0 {
			yield(model.Delta{Text: []byte("done"), Finish: model.FinishStop}, nil)
			return
		}
		yield(model.Delta{ToolCalls: calls, Finish: model.FinishToolCalls}, nil)
	}
}

// results returns the results of calls that the model read since the person's last message.
func results(r model.Request) (list []string) {
	for _, m := range r.Messages {
		switch m.Role {
		case model.RoleUser:
			list = nil
		case model.RoleTool:
			list = append(list, m.Content)
		}
	}
	return list
}

// effort is the effort that a turn costs a person.
type effort struct {
	interruptions int // cards that they must come back for
	questions     int
	ended         bool
}

// most is when a person gives up: no turn may ask so often.
const most = 200

// turn sends a message in a chat, or a new one for "", and answers whatever is asked.
func (h *house) turn(ctx context.Context, chat, message string) (e effort, err error) {
	if chat == "" {
		h.chats++
		chat = fmt.Sprintf("c%d", h.chats)
	}
	path := h.url + "/v1/apps/a/chats/" + chat
	body := map[string]any{"message": message}
	for range most {
		if err := call(ctx, http.MethodPost, path+"/messages", body, nil); err != nil {
			return e, err
		}
		var now struct {
			Status  string
			Pending []struct {
				ToolCallID string
				Questions  []tools.Part
			}
		}
		if err := call(ctx, http.MethodGet, path, nil, &now); err != nil {
			return e, err
		}
		if e.ended = now.Status == "idle"; e.ended {
			return e, nil
		}
		e.interruptions++
		var answers []answered
		for _, asked := range now.Pending {
			e.questions += len(asked.Questions)
			answer := tools.Answer{}
			for _, part := range asked.Questions {
				answer.Answers = append(answer.Answers, usual(part))
			}
			if len(answer.Answers) == 1 {
				answer = answer.Answers[0]
			}
			answers = append(answers, answered{asked.ToolCallID, answer})
		}
		body = map[string]any{"answers": answers}
	}
	return e, nil
}

// answered is the answer to a call.
type answered struct {
	ToolCallID string `json:"toolCallId"`
	tools.Answer
}

// usual is the answer of a person who does not think about it.
func usual(p tools.Part) tools.Answer {
	value := "x"
	if len(p.Options) > 0 {
		value = p.Options[0].Value
	}
	if p.InputType == tools.Multiselect {
		return tools.Answer{Values: []string{value}}
	}
	text, _ := json.Marshal(value) // a string
	return tools.Answer{Value: text}
}

// call makes a request and decodes its JSON into reply, if there is one.
func call(ctx context.Context, method, url string, body, reply any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, sent)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, url, resp.Status, text)
	}
	if reply == nil {
		return nil
	}
	return json.Unmarshal(text, reply)
}
