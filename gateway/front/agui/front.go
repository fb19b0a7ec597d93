package agui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

// Front implements front.Front.
type Front struct{}

var _ front.Front = Front{}

func (Front) Name() string { return "ag-ui" }

// Routes implements front.Front.
func (f Front) Routes() []host.Route {
	return []host.Route{{Method: http.MethodPost, Path: "/v1/apps/:app/ag-ui", Serve: f.run, In: (*host.Request).InApp}}
}

// Refuse implements front.Front. It writes what a run that fails at once would end with.
func (Front) Refuse(_ http.Header, p host.Problem) (contentType string, body []byte) {
	body, _ = json.Marshal(runError{Type: "RUN_ERROR", Message: p.Message, Code: string(p.Code)})
	return "application/json", body
}

// run takes what a client sent, and streams the result.
func (f Front) run(c *host.Request) error {
	body, err := front.ReadBody(c, true)
	if err != nil {
		return err
	}
	settings(c, body.Data)
	in, err := read(body.Data)
	if err != nil {
		return err
	}
	in.body = body
	if bytes.Contains(body.Data, []byte(front.Lifted)) {
		in.history = history{} // it is not complete
	}
	if err := front.Bring(c, in.tools); err != nil {
		return err
	}
	if err := front.In(c).Enter(in.thread, "threadId"); err != nil {
		return err
	}
	interrupt, known := interrupting(in, c.App.AGUI.Mode)
	t := newEncoder(in, interrupt)
	t.load, t.class, t.takes = front.In(c).View, front.ClassOf(c), in.takes
	t.words = func(q *chat.Asked) string { return front.Words(c, q, 0) }
	var view *store.View
	var m front.Meant
	if in.replies() { // otherwise it is only looked at if the message closes a question, or the mode is not known
		view, err = front.Asked(front.In(c), in.lines, in.answers)
	} else if m, err = meant(c, in); err == nil && !known {
		view, err = front.In(c).View()
	}
	if err != nil {
		return err
	}
	if in.replies() || !known {
		t.load = nil
		t.interrupt = interrupt || !known && resumes(in, view)
	}
	if view != nil {
		front.Used(c.Header(), front.IgnoredHistory)
	} else if err := front.Known(front.In(c)); err != nil {
		return err
	}
	p, err := plan(c, in, view, t)
	if err != nil {
		return err
	}
	p.meant = m
	return p.execute()
}

// meant goes to the chat that a request without answers is for.
func meant(c *host.Request, in *input) (m front.Meant, err error) {
	if in.said == nil {
		return m, front.Newest(front.In(c))
	}
	if in.said.files, err = in.body.Files(c.App, in.said.parts); err != nil {
		return m, err
	}
	sent := front.Sent{ID: in.said.id, Text: in.said.text, Files: in.said.files, Before: in.said.before, Again: true}
	if m, err = sent.Read(front.In(c)); err != nil || m.Chat == nil {
		return m, err
	}
	return m, front.In(c).Go(m.Chat.ChatID)
}

// answers reports whether a chat has asked something that was answered.
func (in *input) answers(view *store.View) bool {
	return slices.ContainsFunc(in.outputs, func(o output) bool {
		return front.OfCall(view, o.call) != nil || front.Find(view, o.call, front.ByQuestion) != nil
	}) ||
		slices.ContainsFunc(in.resume, func(e entry) bool { return front.Find(view, e.id, front.ByQuestion) != nil }) ||
		in.legacy != nil
}

// interrupting reports whether questions go out as interrupts. known is false if neither the app
// nor the request says how they go out.
func interrupting(in *input, mode string) (interrupt, known bool) {
	switch {
	case mode == config.AGUITool:
		return false, true
	case mode == config.AGUIInterrupt:
		return true, true
	case in.asks:
		return false, true
	case in.versioned, in.interrupts:
		return true, true
	}
	return false, false
}

// resumes reports whether a client of the chat answers interrupts.
func resumes(in *input, view *store.View) bool {
	return len(in.resume) > 0 || view != nil && slices.ContainsFunc(view.Clarifications, func(c chat.Clarification) bool {
		return c.AnsweredBy != nil && c.AnsweredBy.Channel == chat.ChannelResume
	})
}

// planned is the content of a request: answers, then a message.
type planned struct {
	c            *host.Request
	t            *encoder
	answers      []answer
	said         *said
	settled      bool                        // everything in the request is about closed questions, and says so
	failed       *chat.Clarification         // the first question with a result that was not an answer
	answered     bool                        // the client has sent results since the previous message, one of which may not have been an answer
	about        string                      // the question that the message is about
	takes        func(q front.Question) bool // whether the client is asked by a call
	behind       string                      // the id of the message before the person's
	limited      bool                        // takes may return false
	calls        map[string]bool             // those that the client shows last
	instructions string
	files        []host.File // of said
	meant        front.Meant // of it, where nothing is answered
}

// answer is an answer to submit. If it is only a tool message before a message from the person,
// it may be wrong: then only the message counts.
type answer struct {
	turn.Answer
	lenient bool
	channel chat.Channel
}

// plan finds out what is new in a request, and refuses an incomplete one.
func plan(c *host.Request, in *input, view *store.View, t *encoder) (*planned, error) {
	p := &planned{c: c, t: t, said: in.said, answered: in.earlier || strings.HasPrefix(in.behind, "clr_"), behind: in.behind, takes: in.takes, limited: in.own || in.asks, calls: in.calls}
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
	p.answers, p.failed = g.open, g.failed
	if len(p.answers) == 0 && p.failed != nil && in.said == nil {
		t.waiting(view, g.by)
		return p, nil
	}
	if len(p.answers) == 0 && (resumed || in.said == nil) {
		if p.answers = g.closed; len(p.answers) == 0 {
			p.settled = g.letGo
		}
		if len(p.answers) == 0 && g.unknown {
			return nil, &chat.Error{Code: chat.CodeNotFound, Detail: "no_pending"}
		}
	}
	if resumed && len(p.answers) > 0 && !g.letGo {
		p.said = nil // what precedes an answer was sent before
	}
	var err error
	if p.instructions, err = in.instructed.For(c.App); err != nil {
		return nil, err
	}
	if p.said != nil {
		if p.files = p.said.files; p.files == nil {
			if p.files, err = in.body.Files(c.App, p.said.parts); err != nil {
				return nil, err
			}
		}
	}
	t.waiting(view, g.by)
	if p.failed != nil {
		asked := chat.NewAsked(p.failed)
		t.asking = front.Words(c, &asked, len(front.Kept(p.failed)))
	}
	return p, nil
}

// execute submits all answers, then the message, and streams the run of the last one.
func (p *planned) execute() error {
	for i := range p.answers {
		a := &p.answers[i]
		cmd := front.Command{Answer: &a.Answer, Channel: a.channel}
		if i == len(p.answers)-1 && p.said == nil {
			return front.Stream(p.c, cmd, p.t)
		}
		err := front.Collect(p.c, cmd, &collector{encoder: p.t})
		if _, wrong := errors.AsType[*tools.AnswerError](err); err != nil && !(wrong && a.lenient) {
			return err
		}
	}
	if p.said != nil {
		if p.meant.Repeat {
			p.t.history.another = true
			return front.Stream(p.c, front.Command{Again: true}, p.t)
		}
		if p.meant.Fork == nil && len(p.files) == 0 { // otherwise it is not an answer
			if done, err := p.inWords(); done || err != nil {
				return err
			}
			if err := p.aboutShown(); err != nil {
				return err
			}
		}
		cmd := front.Command{Message: &p.said.text, ClarificationID: p.about, Waited: p.about != "", Instructions: p.instructions, Files: p.files, ID: p.said.id, Key: p.key()}
		if f := p.meant.Fork; f != nil {
			cmd = front.Command{Fork: f, Files: p.files, ID: p.said.id, Instructions: p.instructions, Key: p.meant.Key(p.c, cmd.Key)}
		}
		return front.Stream(p.c, cmd, p.t)
	}
	if p.failed != nil {
		front.Frames(p.c, p.t.ask(p.c, p.failed, len(front.Kept(p.failed))))
		return nil
	}
	if p.settled {
		_ = p.c.Send(http.StatusOK, "text/event-stream; charset=utf-8", p.t.nothing())
		return nil
	}
	p.t.history.another = true
	if goesOn, err := front.Watch(p.c, p.t); goesOn || err != nil {
		return err
	}
	return &chat.Error{Code: chat.CodeNothingToResume, Detail: "nothing_new"}
}

// key makes the message the same one if it is sent again.
func (p *planned) key() string {
	sent := front.Sent{ID: p.said.id, Text: p.said.text, Files: p.files}
	return sent.Key(p.c)
}

// given is the question that a request answers, with the answer.
type given struct {
	c    *host.Request
	view *store.View
	open []answer
	// closed are the answers to closed questions. If nothing else is new, the engine says what
	// became of it.
	closed  []answer
	unknown bool // something that never went out is answered
	failed  *chat.Clarification
	by      map[string]bool // ids of clarifications that are answered here; true: by a tool message
	letGo   bool            // an interrupt was cancelled
}

// resume reads the answers to interrupts.
func (g *given) resume(in *input) error {
	entries, by := in.resume, chat.ChannelResume
	if len(entries) == 0 && in.legacy != nil {
		by = ""
		of, err := g.only()
		if err != nil {
			return err
		}
		if err := shown(in, of); err != nil {
			return err
		}
		entries = []entry{{payload: in.legacy}}
		if of != nil {
			entries[0].id = front.NewQuestion(chat.NewAsked(of)).ID
		}
	}
	for _, e := range entries {
		of := front.Find(g.view, e.id, front.ByQuestion)
		switch {
		case e.cancelled:
			g.letGo = true
			if of == nil || of.State != tools.StatePending {
				continue // it is already cancelled
			}
		case of == nil:
			g.unknown = true
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
			a, err = g.read(e.payload, of)
			if none, err := g.none(of, err); none || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		g.open = append(g.open, answer{Answer: a, channel: by})
	}
	return nil
}

// only returns the one question that a client can mean if it names none: the open one, or else
// the newest, or nil if there never was one.
func (g *given) only() (newest *chat.Clarification, err error) {
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
			newest = c
		}
	}
	if waits > 1 {
		return nil, g.covers()
	}
	return newest, nil
}

// shown refuses an unnamed answer to an approval that the client's history does not show: it
// would allow a call that was not seen.
func shown(in *input, of *chat.Clarification) error {
	if of == nil || of.State != tools.StatePending || of.Question.Kind != tools.KindApproval || in.shows(of.ID) || in.shows(of.ToolCallID) {
		return nil
	}
	return &chat.Error{Code: chat.CodeClarificationPending, Clarification: of}
}

// covers refuses a request that leaves an interrupt open: clients and gateway would disagree on
// what is pending.
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

// outputs reads tool messages. A tool message of a call that waits for approval, or that asks
// something itself, is not the answer.
func (g *given) outputs(in *input) error {
	for _, o := range in.outputs {
		of := front.Find(g.view, o.call, front.ByQuestion)
		if of == nil {
			g.unknown = g.unknown || front.OfCall(g.view, o.call) == nil
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
		none, err := g.none(of, err)
		if none {
			g.by[of.ID] = true
			continue
		}
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

// none counts a result that is not an answer; the question stays open.
func (g *given) none(of *chat.Clarification, err error) (bool, error) {
	none, is := errors.AsType[*front.NoAnswer](err)
	if !is {
		return false, err
	}
	g.failed = cmp.Or(g.failed, of)
	return true, front.Unanswered(g.c, of, none.Reason)
}

// output reads a tool message as an answer.
func (g *given) output(o *output, of *chat.Clarification) (turn.Answer, error) {
	input := of.Question.Kind == tools.KindInput
	switch {
	case o.failed != "" && input:
		return turn.Answer{ClarificationID: of.ID, Answer: tools.Answer{Error: o.failed}}, nil
	case o.failed != "":
		return turn.Answer{}, &front.NoAnswer{Reason: front.ReasonError}
	case input:
		return front.ReadAnswer([]byte(o.text), of, nil)
	}
	return g.read(quoted(o.text), of)
}

func (g *given) read(data []byte, of *chat.Clarification) (turn.Answer, error) {
	return front.ReadAnswer(bytes.TrimSpace(data), of, func(text string) (turn.Answer, bool) { return front.Typed(g.c, of, text) })
}

// quoted returns a text as JSON.
func quoted(s string) []byte {
	data, _ := json.Marshal(s) // a string always encodes
	return data
}
