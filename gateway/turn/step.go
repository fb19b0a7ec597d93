package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
)

const (
	// maxText bounds one step's text in bytes; a model that writes more is cut off.
	maxText = 4 << 20
	// maxUnflushed is how much may gather while the model has more at hand.
	maxUnflushed = 16 << 10
	// maxArguments is up to where a call's arguments are kept as the model sent them,
	// in bytes; the tools refuse longer ones.
	maxArguments = 256 << 10
	maxCallID    = 256 // bytes; providers' own have up to 64
	maxToolName  = 64  // what the strictest provider accepts in a history
)

// answer is what a model request came to.
type answer struct {
	size   int       // bytes of text and thinking that came
	first  time.Time // when the first piece came
	calls  []model.ToolCall
	finish model.FinishReason
	usage  model.Usage
}

// begun says that a piece of it came.
func (a *answer) begun() bool { return a.size > 0 || len(a.calls) > 0 }

// step is one model request, and its message stored.
func (r *Run) step() error {
	reached("request.before")
	a, err := r.ask()
	var upstream *model.Error
	if errors.As(err, &upstream) && upstream.Kind == model.KindCut && r.ctx.Err() == nil {
		// The model's stream was cut: the step is begun again, once.
		r.text = r.text[:0]
		r.rec.Event(chat.EventStepRestart, chat.StepRestart{ChatID: r.conversation.ChatID, TurnID: r.turn.ID})
		r.rec.Flush()
		a, err = r.ask()
	}
	if err != nil {
		return err
	}
	return r.keep(a)
}

// ask has the app's model answer. Where that cannot, and nothing of an answer has come,
// the next of its fallbacks is asked.
func (r *Run) ask() (answer, error) {
	req := r.request()
	r.model = r.app.Model
	rest := r.setup.Config.Fallbacks(r.model)
	for {
		m, ok := r.setup.Models[r.model]
		if !ok {
			return answer{}, fmt.Errorf("app %s: no model %q", r.app.ID, r.model)
		}
		deltas := r.ahead
		if r.ahead = nil; deltas == nil {
			deltas = m.Stream(r.ctx, req)
		}
		a, err := r.generate(deltas)
		r.owe(&req, &a, err)
		var upstream *model.Error
		if len(rest) == 0 || a.begun() || r.ctx.Err() != nil || !errors.As(err, &upstream) || !upstream.Elsewhere() {
			return a, err
		}
		r.engine.metrics.fallbacks.WithLabelValues(r.model, rest[0]).Inc()
		r.log.Warn("model cannot answer, another is asked", "app", r.app.ID, "model", r.model, "to", rest[0], "error", upstream)
		r.model, rest = rest[0], rest[1:]
	}
}

// askAhead sends the first model request, where the model can.
func (r *Run) askAhead() {
	if m, ok := r.setup.Models[r.app.Model].(model.Eager); ok {
		r.ahead = m.StreamAhead(r.ctx, r.request())
	}
}

// request is what the model is asked: the whole history, all calls with their results.
func (r *Run) request() model.Request {
	r.prompt = prompt(r.prompt, r.view.Messages[r.prompted:])
	r.prompted = len(r.view.Messages)
	return model.Request{
		System:      r.app.System.In(r.turn.Language),
		Messages:    r.prompt,
		Tools:       r.setup.Catalog.Definitions(r.app.ID, r.turn.Language, r.turn.Interactive),
		Temperature: r.app.Temperature,
		Language:    r.turn.Language,
	}
}

// generate streams one answer of the model to the viewers. The hot path: each
// delta is encoded once, and flushed when the model has no more at hand.
func (r *Run) generate(deltas iter.Seq2[model.Delta, error]) (answer, error) {
	var a answer
	var failed error
	began := time.Now()
	for d, err := range deltas {
		if err != nil {
			failed = err
			break
		}
		if len(d.Text) > 0 {
			if !r.heard {
				r.heard = true
				r.engine.metrics.firstChunk.WithLabelValues(r.app.ID).Observe(time.Since(r.started).Seconds())
			}
			r.text = append(r.text, d.Text...)
			r.rec.Chunk(chat.EventChunk, d.Text)
		}
		if len(d.Thinking) > 0 {
			r.rec.Chunk(chat.EventThinking, d.Thinking)
		}
		n := len(d.Text) + len(d.Thinking)
		if a.first.IsZero() && n+len(d.ToolCalls) > 0 {
			a.first = time.Now()
		}
		a.size += n
		if !d.More || r.rec.Pending() >= maxUnflushed {
			r.rec.Flush()
			reached("chunk")
		}
		a.calls = append(a.calls, d.ToolCalls...)
		if d.Finish != "" {
			a.finish = d.Finish
		}
		if d.Usage != nil {
			a.usage = *d.Usage
		}
		if len(r.text) > maxText {
			a.finish = model.FinishLength
			break
		}
	}
	r.rec.Flush()
	outcome := requestOutcome(r.ctx, failed)
	r.engine.metrics.requests.WithLabelValues(r.model, outcome).Inc()
	r.traceStep(began, &a, outcome, failed)
	if failed != nil {
		return a, failed
	}
	if cause := context.Cause(r.ctx); cause != nil {
		return a, cause
	}
	r.engine.metrics.tokens.WithLabelValues(r.model, "input").Add(float64(max(0, a.usage.InputTokens)))
	r.engine.metrics.tokens.WithLabelValues(r.model, "output").Add(float64(max(0, a.usage.OutputTokens)))
	return a, nil
}

func requestOutcome(ctx context.Context, err error) string {
	var upstream *model.Error
	switch {
	case err == nil && ctx.Err() == nil:
		return "ok"
	case ctx.Err() != nil:
		return "cancelled"
	case errors.As(err, &upstream):
		return string(upstream.Kind)
	default:
		return "error"
	}
}

// keep stores the step. One without calls is the turn's last.
func (r *Run) keep(a answer) error {
	text := string(r.text)
	r.turn.Steps++
	for _, u := range []*chat.Usage{&r.usage, &r.turn.Usage} {
		u.InputTokens += a.usage.InputTokens
		u.OutputTokens += a.usage.OutputTokens
	}
	calls := r.sound(a)
	r.result.Text += text
	r.text = r.text[:0]
	if len(calls) == 0 {
		return r.end(finishReason(a.finish), func(tx store.Tx) error {
			if blank(text) {
				return nil // a blank message would poison the history
			}
			return tx.AppendMessage(r.assistant(text, nil))
		})
	}
	m := r.assistant(text, calls)
	for _, c := range calls {
		r.rec.Event(chat.EventToolCallStart, chat.ToolCallStart{
			ChatID: r.conversation.ChatID, ToolCallID: c.ID, ToolName: c.Name, Arguments: json.RawMessage(c.Arguments),
		})
	}
	if err := r.commit("step", false, func(tx store.Tx) error { return tx.AppendMessage(m) }); err != nil {
		return err
	}
	r.view.Messages = append(r.view.Messages, m)
	r.index(&m)
	r.rec.Flush()
	return nil
}

func finishReason(f model.FinishReason) chat.FinishReason {
	switch f {
	case model.FinishLength:
		return chat.FinishLength
	case model.FinishContentFilter:
		return chat.FinishContentFilter
	default:
		return chat.FinishStop
	}
}

// sound makes the model's calls fit to be stored and sent back: unique ids,
// names that providers accept, arguments that are a JSON object.
func (r *Run) sound(a answer) []chat.ToolCall {
	if a.finish == model.FinishContentFilter {
		return nil
	}
	r.raw = map[string]string{}
	calls := make([]chat.ToolCall, 0, len(a.calls))
	for _, c := range a.calls {
		id := c.ID
		if strings.TrimSpace(id) == "" || len(id) > maxCallID || r.taken(id) || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
			id = chat.NewID("call")
		}
		r.raw[id] = c.Arguments
		calls = append(calls, chat.ToolCall{ID: id, Name: soundName(c.Name), Arguments: soundArguments(c.Arguments)})
	}
	return slices.Clip(calls)
}

// taken says whether the chat, or this step, has a call with that id.
func (r *Run) taken(id string) bool {
	_, step := r.raw[id]
	return step || r.calls[id] != nil
}

func soundName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
	if name == "" {
		return "unknown"
	}
	return name[:min(len(name), maxToolName)]
}

// soundArguments is the JSON object in s, also one inside a JSON string; {} where
// there is none.
func soundArguments(s string) string {
	if len(s) > maxArguments {
		return "{}"
	}
	var inner string
	if json.Unmarshal([]byte(s), &inner) == nil {
		s = inner
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(strings.ToValidUTF8(s, "\ufffd"))) != nil || compact.Bytes()[0] != '{' {
		return "{}"
	}
	return compact.String()
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
