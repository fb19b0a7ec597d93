package demo

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

// Texts returns the text of a message id in a language, with data for its
// placeholders.
type Texts = func(language, id string, data map[string]any) string

type demo struct{ texts Texts }

var _ model.Model = demo{}

// New returns the demo model. It is safe for concurrent use if texts is.
func New(texts func(language, id string, data map[string]any) string) model.Model {
	return demo{texts}
}

// Stream implements model.Model. It yields the step's text word by word, then its call, without
// delays. The only error is that of ctx.
func (d demo) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		s := d.next(req)
		for rest := s.text; rest != ""; {
			if err := ctx.Err(); err != nil {
				yield(model.Delta{}, err)
				return
			}
			word := rest
			if i := strings.IndexAny(rest, " \n"); i >= 0 {
				word = rest[:i+1]
			}
			rest = rest[len(word):]
			if !yield(model.Delta{Text: []byte(word), More: true}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(model.Delta{}, err)
			return
		}
		last := model.Delta{Finish: model.FinishStop, Usage: usage(req, s)}
		if s.call != nil {
			last.Finish, last.ToolCalls = model.FinishToolCalls, []model.ToolCall{*s.call}
		}
		yield(last, nil)
	}
}

// step is the demo's answer to a request.
type step struct {
	text string
	call *model.ToolCall
}

// next derives the step from the prompt alone.
func (d demo) next(req model.Request) step {
	user, results := lastUser(req.Messages)
	p := player{texts: d.texts, req: req, user: user}
	if p.offers(lawSearch) {
		s := p.law(results)
		if s.call != nil { // the next text is a paragraph of its own
			s.text += "\n\n"
		}
		return s
	}
	sc := sceneOf(user)
	if sc == sceneMenu {
		if len(results) == 0 {
			return p.ask(p.say("demo.greeting", nil), p.menu())
		}
		chosen := read(results[0])
		if chosen.kind != answered {
			return p.close(chosen)
		}
		sc = sceneOf(value(chosen.text))
		if sc == sceneMenu { // free text from a client that allows it
			return p.close(chosen)
		}
		results = results[1:]
	}
	return p.play(sc, results)
}

// lastUser returns the last user message and the tool results after it.
func lastUser(messages []model.Message) (user string, results []string) {
	for _, m := range messages {
		switch m.Role {
		case model.RoleUser:
			user, results = m.Content, nil
		case model.RoleTool:
			result, _, _ := strings.Cut(m.Content, "\n\n"+tools.GatewayMark+" ") // removes what the gateway adds to the person's answer
			results = append(results, result)
		case model.RoleAssistant:
		}
	}
	return user, results
}

// resultKind is how a call ended.
type resultKind string

const (
	answered resultKind = "answered"
	skipped  resultKind = "skipped"
	declined resultKind = "declined"
	timedOut resultKind = "timedout"
	refused  resultKind = "error"
)

// result is a decoded tool result. text is the answer, or the error's message.
type result struct {
	kind resultKind
	code string
	text string
}

// read decodes a result: a plain answer, or JSON for an error or a missing answer.
func read(content string) result {
	var form struct {
		Error *struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
		UserAnswer json.RawMessage `json:"userAnswer"`
		Skipped    bool            `json:"skipped"`
		TimedOut   bool            `json:"timedOut"`
	}
	if !strings.HasPrefix(content, "{") || json.Unmarshal([]byte(content), &form) != nil {
		return result{kind: answered, text: content}
	}
	switch {
	case form.Error != nil && form.Error.Code != "":
		return result{kind: refused, code: form.Error.Code, text: form.Error.Message}
	case string(form.UserAnswer) != "null":
		return result{kind: answered, text: content}
	case form.Skipped:
		return result{kind: skipped}
	case form.TimedOut:
		return result{kind: timedOut}
	default: // declined, superseded, cancelled: the person does not want to go on
		return result{kind: declined}
	}
}

// value returns the value in "label (value)", or else the whole text.
func value(answer string) string {
	answer, _, _ = strings.Cut(answer, "\n") // a note follows on its own line
	if i := strings.LastIndexByte(answer, '('); i >= 0 && strings.HasSuffix(answer, ")") {
		return answer[i+1 : len(answer)-1]
	}
	return answer
}

// usage counts four bytes as a token, a rule of thumb, so that counters have values.
func usage(req model.Request, s step) *model.Usage {
	in, out := len(req.System), len(s.text)
	for _, m := range req.Messages {
		in += len(m.Content)
		for _, c := range m.ToolCalls {
			in += len(c.Name) + len(c.Arguments)
		}
	}
	if s.call != nil {
		out += len(s.call.Name) + len(s.call.Arguments)
	}
	return &model.Usage{InputTokens: int64(in+3) / 4, OutputTokens: int64(out+3) / 4}
}
