package responses

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

type yieldFunc = func(model.Delta, error) bool

// stream reads an answer.
type stream struct {
	a        *upstream.Answer
	scanner  scanner
	maker    string
	forgot   bool   // the server refused the state of earlier messages, so the request had none
	accepted func() // called once, when the server answers the request

	said, thought paragraphs
	buf           []byte
	calls         []call
	size          int // bytes of all arguments
	argued        argued
	kept          keeper
	finished      bool // an item has been finished

	begun   bool // a piece has been yielded
	refused bool // the text is a refusal
	ended   bool
	finish  model.FinishReason // "" before the end, and after a failure
	usage   *model.Usage
	failed  *upstream.Failure
}

// argued records the arguments in events before their call was finished.
type argued struct {
	items map[int]bool // by output_index: whether there were any
	index int
	whole string // whole arguments from the latest event with them, for the call with index
}

// note records that there were arguments for an item.
func (a *argued) note(item int) {
	if a.items == nil {
		a.items = map[int]bool{}
	}
	if len(a.items) < upstream.MaxCalls {
		a.items[item] = true
	}
}

// of returns the arguments of a finished call that has none itself. Some servers do not repeat whole
// arguments from earlier events (Wei-Shaw/sub2api#6629, September 2026). If there were only incomplete
// ones, it returns arguments that no tool accepts.
func (a *argued) of(item int) string {
	switch {
	case a.whole != "" && a.index == item:
		return a.whole
	case a.items[item]:
		return tools.UnclearArguments
	}
	return ""
}

// call is a finished function_call.
type call struct {
	upstream.Call
	index int // output_index
}

// paragraphs finds where the text of an item, or of one of its parts, ends and another begins.
type paragraphs struct {
	begun      bool
	item, part int
}

// next reports whether a text begins another paragraph.
func (p *paragraphs) next(item, part int) bool {
	another := p.begun && (p.item != item || p.part != part)
	*p = paragraphs{true, item, part}
	return another
}

// Errors with which reading ends, in addition to those of the connection.
var (
	errLeft   = errors.New("the caller stopped") // yield returned false
	errFailed = errors.New("failed")             // the reason is in stream.failed
)

// run yields the answer's pieces, then its end. On an error it returns a failure of the attempt if no
// piece has been yielded, or else the error to report.
func (s *stream) run(ctx context.Context, yield yieldFunc) (*upstream.Failure, error) {
	err := s.read(yield)
	switch {
	case errors.Is(err, errLeft):
		return nil, nil
	case errors.Is(err, errFailed) && !s.begun && ctx.Err() == nil:
		return s.failed, nil
	case errors.Is(err, errFailed):
		return nil, s.a.Error(ctx, s.failed.Err)
	case err != nil:
		return nil, s.a.Error(ctx, err)
	}
	s.begin()
	yield(s.last(), nil)
	s.a.Drain()
	return nil, nil
}

// begin notes that the server has accepted the request.
func (s *stream) begin() {
	if !s.begun {
		s.begun = true
		s.accepted()
	}
}

// read returns nil at the end of the answer, or the error that ended it before.
func (s *stream) read(yield yieldFunc) error {
	switch first, err := s.a.First(); {
	case err != nil:
		return err
	case first == '<':
		return &model.Error{Kind: model.KindError, Detail: "the server answered with a web page; check baseUrl"}
	case first == '{':
		return s.whole(yield)
	}
	for {
		line, end := s.a.Line()
		if payload, is := upstream.Data(line); is {
			d, err := s.event(payload)
			if err != nil && (end == nil || errors.Is(err, errFailed)) { // otherwise the line is incomplete
				return err
			}
			if !s.yield(d, yield) {
				return errLeft
			}
		}
		if s.ended {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// yield yields a delta. It only notes arguments, which follow with their item.
func (s *stream) yield(d delta, yield yieldFunc) bool {
	var text, thinking []byte
	switch {
	case len(d.text) == 0:
	case d.kind == kindThinking:
		thinking = s.paragraph(s.thought.next(d.item, d.part), d.text)
	case d.kind == kindText || d.kind == kindRefusal:
		s.refused = s.refused || d.kind == kindRefusal
		text = s.paragraph(s.said.next(d.item, 0), d.text)
	case d.kind == kindArguments:
		s.argued.note(d.item)
	}
	if len(text)+len(thinking) > 0 {
		s.begin()
	}
	return s.a.Yield(text, thinking, yield)
}

// paragraph returns a text, after an empty line if it begins another paragraph.
func (s *stream) paragraph(next bool, text []byte) []byte {
	if !next {
		return text
	}
	s.buf = append(append(s.buf[:0], "\n\n"...), text...)
	return s.buf
}

// whole reads an answer that is not a stream: an error, or the whole response.
func (s *stream) whole(yield yieldFunc) error {
	raw, err := s.a.Whole()
	if err != nil {
		return err
	}
	if upstream.ErrorIn(raw) != nil {
		var e wireEvent
		_ = parse(raw, &e) // ErrorIn has decoded it before
		return s.fail(&e, raw)
	}
	var r wireResponse
	if err := parse(raw, &r); err != nil || r.Object != "response" {
		return &model.Error{Kind: model.KindError, Detail: "the answer is not a response of the Responses API; check baseUrl and api"}
	}
	d, err := s.end(&r, "completed")
	if err == nil && !s.yield(d, yield) {
		return errLeft
	}
	return err
}

// event decodes a data line.
func (s *stream) event(payload []byte) (delta, error) {
	if d, ok := s.scanner.delta(payload); ok {
		return d, nil
	}
	if payload = bytes.TrimSpace(payload); len(payload) == 0 {
		return delta{}, nil
	}
	if string(payload) == "[DONE]" { // some servers send it after the end
		return delta{}, upstream.ErrCut
	}
	var e wireEvent
	if err := parse(payload, &e); err != nil {
		return delta{}, err
	}
	switch e.Type {
	case "response.function_call_arguments.done":
		s.argued.index, s.argued.whole = e.OutputIndex, e.Arguments
		return delta{}, nil
	case "response.output_item.done":
		return s.item(e.OutputIndex, e.Item)
	case "response.completed", "response.incomplete", "response.failed":
		var r wireResponse
		if err := parse(e.Response, &r); err != nil {
			return delta{}, err
		}
		return s.end(&r, e.Type[len("response."):])
	case "error":
		return delta{}, s.fail(&e, payload)
	case "":
		if upstream.ErrorIn(payload) != nil { // an error of a proxy
			return delta{}, s.fail(&e, payload)
		}
	}
	return delta{kindOf([]byte(e.Type)), []byte(e.Delta), e.OutputIndex, e.ContentIndex + e.SummaryIndex}, nil
}

// fail takes an error, which is either a member of the event or, as the API documents it, the event
// itself. OpenAI sends the former (vercel/ai, fixture openai-error, 2025-11).
func (s *stream) fail(e *wireEvent, payload []byte) error {
	object := e.Error
	if len(object) == 0 || string(object) == "null" {
		object = payload
	}
	s.failed = failure(object)
	return errFailed
}

// item takes a finished item. It returns the text of a message if that did not arrive in deltas.
func (s *stream) item(index int, raw json.RawMessage) (delta, error) {
	item, ok := readItem(raw)
	if !ok {
		return delta{}, nil
	}
	s.finished = true
	d := delta{item: index}
	switch item.Type {
	case typeReasoning:
	case typeMessage:
		d.kind, d.text = item.text()
		s.refused = s.refused || d.kind == kindRefusal
		if s.said.begun {
			d.text = nil
		}
	case typeCall:
		if len(s.calls) >= upstream.MaxCalls {
			return d, upstream.ErrTooManyCalls
		}
		c := call{upstream.Call{ID: upstream.CutName(item.CallID), Name: upstream.CutName(item.Name)}, index}
		c.Add(cmp.Or(item.argumentText(), s.argued.of(index)), &s.size)
		s.calls = append(s.calls, c)
	default:
		return d, nil
	}
	s.kept.add(index, &item, raw)
	return d, nil
}

// text returns the text of a message, or its refusal.
func (i *wireItem) text() (kind, []byte) {
	k, text := kindText, []byte(nil)
	for _, raw := range i.Content {
		var c wireContent
		_ = json.Unmarshal(raw, &c) // unknown parts have no text
		text = append(append(text, c.Text...), c.Refusal...)
		if c.Type == "refusal" {
			k = kindRefusal
		}
	}
	return k, text
}

// end takes the end of the answer. event is the word in the type of its event. If there were no items
// before, those in the response count, and their text is returned.
func (s *stream) end(r *wireResponse, event string) (delta, error) {
	s.ended, s.usage = true, r.Usage.sum()
	var all delta
	if s.finished {
		r.Output = nil
	}
	for i, raw := range r.Output {
		d, err := s.item(i, raw)
		if err != nil {
			return all, err
		}
		all.kind = max(all.kind, d.kind)
		if len(all.text) > 0 && len(d.text) > 0 {
			all.text = append(all.text, "\n\n"...)
		}
		all.text = append(all.text, d.text...)
	}
	switch word := r.word(event); upstream.EndOf(word) {
	case upstream.EndGood, upstream.EndCalls:
		s.finish = model.FinishStop
	case upstream.EndCut, upstream.EndContext, upstream.EndPaused:
		s.finish = model.FinishLength
	case upstream.EndRefused:
		s.finish = model.FinishContentFilter
	default:
		if len(r.Error) == 0 || string(r.Error) == "null" {
			r.Error, _ = json.Marshal(map[string]string{"code": word}) // cannot fail for strings
		}
		s.failed = failure(r.Error)
		return all, errFailed
	}
	return all, nil
}

// last returns the last piece of the answer. Only a whole answer has calls and state.
func (s *stream) last() model.Delta {
	d := model.Delta{Finish: s.finish, Usage: s.usage, Made: &model.Made{By: s.maker}, Forgot: s.forgot}
	switch {
	case d.Finish != model.FinishStop:
		return d
	case s.refused && len(s.calls) > 0:
		d.Finish = model.FinishContentFilter
		return d
	case s.refused:
		d.Finish = model.FinishContentFilter
	case len(s.calls) > 0:
		d.Finish = model.FinishToolCalls
	}
	d.Made.State = s.kept.state()
	slices.SortStableFunc(s.calls, func(a, b call) int { return cmp.Compare(a.index, b.index) })
	for i := range s.calls {
		d.ToolCalls = append(d.ToolCalls, s.calls[i].Whole())
	}
	return d
}
