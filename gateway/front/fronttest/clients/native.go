package clients

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/fronttest"
	"github.com/askgate/askgate/gateway/sse"
)

// Native is a client of AskGate's own protocol.
func Native(g *fronttest.Gateway, app, key string) fronttest.Client { return &native{g, app, key} }

type native struct {
	g        *fronttest.Gateway
	app, key string
}

// at is the address of something of a chat.
func (n *native) at(chat, what string) string {
	return n.g.URL + "/v1/apps/" + n.app + "/chats/" + front.ChatID(chat) + what
}

func (n *native) Say(t *testing.T, chat, text string) fronttest.Seen {
	t.Helper()
	return n.post(t, chat, map[string]any{"message": text})
}

func (n *native) Answer(t *testing.T, chat string, q fronttest.Asked, output json.RawMessage) fronttest.Seen {
	t.Helper()
	answer := map[string]any{}
	var questions struct {
		Questions []struct{ ID, InputType string }
	}
	_ = json.Unmarshal(q.Input, &questions)
	var byID struct{ Answers map[string]any }
	var text string
	switch {
	case q.Tool != fronttest.AskUser:
		answer["result"] = output
	case json.Unmarshal(output, &text) == nil:
		answer = part(q.Input, 0, text)
	case json.Unmarshal(output, &byID) == nil && len(questions.Questions) == 1:
		answer = part(q.Input, 0, byID.Answers[questions.Questions[0].ID])
	case byID.Answers != nil:
		list := []any{}
		for i, one := range questions.Questions {
			list = append(list, part(q.Input, i, byID.Answers[one.ID]))
		}
		answer["answers"] = list
	}
	answer[named(q.ID)] = q.ID
	return n.post(t, chat, map[string]any{"answer": answer})
}

// part is the answer to one question as the page sends it: words of one's own are other.
func part(input json.RawMessage, i int, v any) map[string]any {
	var form struct {
		Questions []struct {
			Options []struct{ Value string }
		}
	}
	_ = json.Unmarshal(input, &form)
	if v == nil {
		return map[string]any{"skipped": true}
	}
	options := form.Questions[i].Options
	for _, o := range options {
		if o.Value == v {
			return map[string]any{"value": v}
		}
	}
	if len(options) > 0 {
		return map[string]any{"other": v}
	}
	return map[string]any{"value": v}
}

// named is the member of an answer that names its question: other fronts tell the
// question's own id where clients of theirs need one that is unique everywhere.
func named(id string) string {
	if strings.HasPrefix(id, "clr_") {
		return "clarificationId"
	}
	return "toolCallId"
}

func (n *native) Decide(t *testing.T, chat string, q fronttest.Asked, approved bool) fronttest.Seen {
	t.Helper()
	word := "no"
	if approved {
		word = "yes"
	}
	return n.post(t, chat, map[string]any{"answer": map[string]any{named(q.ID): q.ID, "value": word}})
}

func (n *native) Watch(t *testing.T, chat string) (fronttest.Seen, bool) {
	t.Helper()
	return fronttest.Seen{}, false // /events goes on for ever: other tests are about it
}

func (n *native) Leave(t *testing.T, chat, text string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := n.send(ctx, t, chat, map[string]any{"message": text})
	defer resp.Body.Close()
	for ev := range sse.Read(resp.Body) {
		if ev.Name == "chunk" {
			return
		}
	}
}

func (n *native) Lie(t *testing.T, chat, text string) fronttest.Seen {
	t.Helper()
	return n.Say(t, chat, text) // there is no history to lie in
}

func (n *native) send(ctx context.Context, t *testing.T, chat string, body any) *http.Response {
	t.Helper()
	return post(ctx, t, n.at(chat, "/messages"), n.key, body)
}

// post sends JSON with a key, "" for none.
func post(ctx context.Context, t *testing.T, url, key string, body any) *http.Response {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func (n *native) post(t *testing.T, chat string, body any) fronttest.Seen {
	t.Helper()
	resp := n.send(t.Context(), t, chat, body)
	defer resp.Body.Close()
	seen := fronttest.Seen{Status: resp.StatusCode}
	if resp.StatusCode != http.StatusOK {
		var p struct {
			Detail, Code string
			Errors       []struct{ Message string }
		}
		data, _ := io.ReadAll(resp.Body)
		if err := json.Unmarshal(data, &p); err != nil {
			t.Fatalf("no problem: %s", data)
		}
		seen.Refusal, seen.Code = p.Detail, p.Code
		for _, e := range p.Errors {
			seen.Refusal += " " + e.Message
		}
		return seen
	}
	last := ""
	for ev, err := range sse.Read(resp.Body) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Name == "tool.call.progress" && ev.ID != last {
			t.Errorf("progress has the id %s: %s", ev.ID, ev.Data)
		}
		last = ev.ID
		n.see(t, &seen, ev)
	}
	return seen
}

func (n *native) see(t *testing.T, seen *fronttest.Seen, ev sse.Event) {
	t.Helper()
	var e struct {
		Content, ToolCallID, ToolName, Result, Kind, Message, FinishReason string
		Error                                                              json.RawMessage
		Questions, Arguments                                               json.RawMessage
	}
	if len(ev.Data) > 0 {
		if err := json.Unmarshal(ev.Data, &e); err != nil {
			t.Fatalf("%s: %v", ev.Data, err)
		}
	}
	switch ev.Name {
	case "chunk":
		seen.Text += e.Content
	case "tool.call.end":
		if e.ToolName == "calculator" || e.ToolName == "clock" {
			seen.Results = append(seen.Results, fronttest.Result{Tool: e.ToolName, Output: e.Result, Failed: e.Error != nil})
		}
	case "tool.call.progress":
		var p fronttest.Progress
		if err := json.Unmarshal(ev.Data, &p); err != nil {
			t.Fatalf("%s: %v", ev.Data, err)
		}
		seen.Progress = append(seen.Progress, p)
	case "clarification":
		q := fronttest.Asked{ID: e.ToolCallID, Tool: fronttest.AskUser, Approval: e.Kind == "approval"}
		q.Input, _ = json.Marshal(map[string]any{"questions": e.Questions})
		if e.Kind == "input" {
			q.Tool, q.Input = e.ToolName, e.Arguments
		}
		seen.Asked = append(seen.Asked, q)
	case "turn.error":
		seen.Error = e.Message
	case "done":
		seen.Ends++
		seen.Finish = map[string]fronttest.Finish{
			"stop": fronttest.Stop, "clarification": fronttest.Question, "length": fronttest.Length, "error": fronttest.Failed, "cancelled": fronttest.Stopped,
		}[e.FinishReason]
	}
}
