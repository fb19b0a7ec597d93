package agui

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Front implements front.Front.
type Front struct{}

var _ front.Front = Front{}

// Name implements front.Front.
func (Front) Name() string { return "ag-ui" }

// Routes implements front.Front.
func (f Front) Routes() []front.Route {
	return []front.Route{{Method: http.MethodPost, Path: "/v1/apps/:app/ag-ui", Serve: f.run}}
}

// Refuse implements front.Front: what a run that fails at once would end with.
func (Front) Refuse(_ http.Header, p front.Problem) (contentType string, body []byte) {
	body, _ = json.Marshal(runError{Type: "RUN_ERROR", Message: p.Message, Code: string(p.Code)})
	return "application/json", body
}

// run takes what a client sent, and streams what comes of it.
func (f Front) run(c front.Call) error {
	if err := c.Enter(c.Param("app")); err != nil {
		return err
	}
	data, err := c.Body()
	if err != nil {
		return err
	}
	in, err := read(data)
	if err != nil {
		return err
	}
	if err := c.Chat(in.thread); err != nil {
		return err
	}
	t := newTeller(in, interrupting(in, c.App().AGUI.Mode))
	t.load, t.class = c.View, c.Class
	var view *store.View
	if in.replies() { // else it is only looked at if the message closes a question
		if view, err = c.View(); err != nil {
			return err
		}
		t.load = nil
	}
	p, err := plan(c, in, view, t)
	if err != nil {
		return err
	}
	return p.execute()
}

// interrupting says that questions go out as interrupts.
func interrupting(in *input, mode string) bool {
	switch mode {
	case config.AGUITool:
		return false
	case config.AGUIInterrupt:
		return true
	}
	return !in.asks && (in.versioned || in.interrupts)
}

// planned is what a request comes to: answers, then a message.
type planned struct {
	c       front.Call
	t       *teller
	answers []answer
	said    *said
	settled bool // all that was sent is about what is over, and says so
}

// answer is one that is to be submitted. Where it is only a tool message before a message of
// the person's, it may be wrong: then that one counts alone.
type answer struct {
	turn.Answer
	lenient bool
}

// plan finds out what is new in a request, and refuses what is not all of it.
func plan(c front.Call, in *input, view *store.View, t *teller) (*planned, error) {
	p := &planned{c: c, t: t, said: in.said}
	g := given{c: c, view: view, by: map[string]bool{}}
	if err := g.resume(in); err != nil {
		return nil, err
	}
	resumed := len(in.resume) > 0 || in.legacy != nil
	if err := g.outputs(in); err != nil {
		return nil, err
	}
	if t.interrupt && resumed {
		if err := g.covers(); err != nil {
			return nil, err
		}
	}
	p.answers = g.open
	if len(p.answers) == 0 && (resumed || in.said == nil) {
		if p.answers = g.closed; len(p.answers) == 0 {
			p.settled = g.letGo
		}
	}
	if resumed && len(p.answers) > 0 && !g.letGo {
		p.said = nil // what is before an answer was sent before
	}
	t.waiting(view, g.by)
	return p, nil
}

// execute has all answers taken, then the message; the last of them all is streamed.
func (p *planned) execute() error {
	for i := range p.answers {
		a := &p.answers[i]
		cmd := front.Command{Answer: &a.Answer}
		if i == len(p.answers)-1 && p.said == nil {
			return p.c.Stream(cmd, p.t)
		}
		err := p.c.Collect(cmd, &collector{teller: p.t})
		if _, wrong := errors.AsType[*tools.AnswerError](err); err != nil && !(wrong && a.lenient) {
			return err
		}
	}
	if p.said != nil {
		cmd := front.Command{Message: &p.said.text}
		if p.said.id != "" { // a message that was edited keeps its id, and is another
			sum := sha256.Sum256([]byte(p.said.text))
			cmd.Key = p.said.id + " " + hex.EncodeToString(sum[:16])
		}
		return p.c.Stream(cmd, p.t)
	}
	if p.settled {
		p.c.Send(http.StatusOK, "text/event-stream; charset=utf-8", p.t.nothing())
		return nil
	}
	p.t.history.another = true
	if goesOn, err := p.c.Watch(p.t); goesOn || err != nil {
		return err
	}
	return &chat.Error{Code: chat.CodeNothingToResume, Detail: "nothing_new"}
}

// given is what a request says to questions.
type given struct {
	c    front.Call
	view *store.View
	open []answer
	// closed are those to what is closed or unknown: where nothing else is new, the engine
	// says what became of it.
	closed []answer
	by     map[string]bool // ids of clarifications that are answered here; true: by a tool message
	letGo  bool            // an interrupt was cancelled
}

// resume reads the answers to interrupts.
func (g *given) resume(in *input) error {
	entries := in.resume
	if len(entries) == 0 && in.legacy != nil {
		id, err := g.only()
		if err != nil {
			return err
		}
		if err := g.shown(in, id); err != nil {
			return err
		}
		entries = []entry{{id: id, payload: in.legacy}}
	}
	for _, e := range entries {
		of := front.FindAsked(g.view, e.id)
		switch {
		case e.cancelled:
			g.letGo = true
			if of == nil || of.State != tools.StatePending {
				continue // it is let go of already
			}
		case of == nil:
			g.closed = append(g.closed, answer{Answer: turn.Answer{ClarificationID: e.id}})
			continue
		case of.State != tools.StatePending:
			g.closed = append(g.closed, answer{Answer: turn.Answer{ClarificationID: of.ID}})
			continue
		}
		if _, twice := g.by[of.ID]; twice {
			continue
		}
		g.by[of.ID] = false
		a := turn.Answer{ClarificationID: of.ID}
		if e.cancelled {
			a.Declined = true
		} else {
			var err error
			if a, err = g.read(e.payload, of); err != nil {
				return err
			}
		}
		g.open = append(g.open, answer{Answer: a})
	}
	return nil
}

// only is the one question that a client can mean which names none: the one that is open, else
// the newest; "": there was never one.
func (g *given) only() (string, error) {
	var newest string
	waits := 0
	if g.view != nil {
		for i := range g.view.Clarifications {
			c := &g.view.Clarifications[i]
			if c.State == tools.StatePending {
				waits++
			}
			if waits > 0 && c.State != tools.StatePending {
				continue
			}
			newest = c.ID
		}
	}
	if waits > 1 {
		return "", g.covers()
	}
	return newest, nil
}

// shown refuses an answer without a name to an approval that the client's history does not
// show: it would allow what nobody has seen.
func (g *given) shown(in *input, id string) error {
	of := front.Find(g.view, id)
	if of == nil || of.State != tools.StatePending || of.Question.Kind != tools.KindApproval || in.shows(of.ID) || in.shows(of.ToolCallID) {
		return nil
	}
	return &chat.Error{Code: chat.CodeClarificationPending, Clarification: of}
}

// covers refuses a request that leaves an interrupt open: clients and gateway would not
// agree on what waits.
func (g *given) covers() error {
	if g.view == nil {
		return nil
	}
	var names []string
	for _, c := range g.view.Asked() {
		if _, ok := g.by[c.ID]; !ok && c.Question.Kind != tools.KindInput {
			names = append(names, front.NewQuestion(chat.NewAsked(&c)).ID)
		}
	}
	if names == nil {
		return nil
	}
	return &chat.Error{Code: chat.CodeInvalidAnswer, Detail: "missing_interrupts", Params: map[string]any{"Names": strings.Join(names, ", "), "Field": "resume"}}
}

// outputs reads tool messages. One of a call that waits for approval, or asks something
// itself, is not the answer.
func (g *given) outputs(in *input) error {
	for _, o := range in.outputs {
		of := front.FindAsked(g.view, o.call)
		if of == nil {
			if front.Find(g.view, o.call) == nil {
				g.closed = append(g.closed, answer{Answer: turn.Answer{ClarificationID: o.call}})
			}
			continue
		}
		if of.State != tools.StatePending {
			g.closed = append(g.closed, answer{Answer: turn.Answer{ClarificationID: of.ID}})
			continue
		}
		if _, resumed := g.by[of.ID]; resumed {
			g.by[of.ID] = true
			continue
		}
		a, err := g.output(&o, of)
		if _, wrong := errors.AsType[*tools.AnswerError](err); wrong && in.said != nil {
			continue
		}
		if err != nil {
			return err
		}
		g.by[of.ID] = true
		g.open = append(g.open, answer{Answer: a, lenient: in.said != nil})
	}
	return nil
}

// output is a tool message as an answer. A client that could not ask is one that declines.
func (g *given) output(o *output, of *chat.Clarification) (turn.Answer, error) {
	input := of.Question.Kind == tools.KindInput
	switch {
	case o.failed != "" && input:
		return turn.Answer{ClarificationID: of.ID, Answer: tools.Answer{Error: o.failed}}, nil
	case o.failed != "":
		return turn.Answer{ClarificationID: of.ID, Answer: tools.Answer{Declined: true}}, nil
	case input:
		return front.ReadAnswer([]byte(o.text), of, nil)
	}
	return g.read(quoted(o.text), of)
}

func (g *given) read(data []byte, of *chat.Clarification) (turn.Answer, error) {
	return front.ReadAnswer(bytes.TrimSpace(data), of, func(text string) (turn.Answer, bool) { return g.c.Typed(of, text) })
}

// quoted is a text as JSON.
func quoted(s string) []byte {
	data, _ := json.Marshal(s) // a string always encodes
	return data
}
