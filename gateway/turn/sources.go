package turn

import (
	"cmp"
	"context"
	"errors"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// verified is what the sources of questions' options say to answers, by the ids of the
// clarifications that have some. They are asked before the store is: nothing waits for a
// tool while it holds a chat.
type verified map[string]verdict

type verdict struct {
	answer tools.Answer
	err    error // why it is no answer; of a message, that it is none
}

// errNoAnswer says that a message answers nothing.
var errNoAnswer = errors.New("turn: no answer")

// verify asks the sources, where the command is about questions that have some. What it
// finds out holds for a clarification as it is now; the transaction decides.
func (e *Engine) verify(ctx context.Context, app *config.App, cmd *Command) (verified, error) {
	if cmd.Resume || !cmd.Setup.Catalog.Lists(app.ID) {
		return nil, nil
	}
	if cmd.Fork != nil {
		return e.verifyFork(ctx, app, cmd)
	}
	view, err := e.Store.ViewPart(ctx, cmd.Ref, store.Part{Limit: 1})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	known := verified{}
	if cmd.Message != nil {
		if c := concerned(view, app, cmd); c != nil && e.sourced(c) {
			language := cmp.Or(cmd.Language, view.Conversation.Language)
			a, err := e.readVerified(ctx, cmd.Setup, toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}, *cmd.Message, language)
			known[c.ID] = verdict{a, err}
		}
		return known, nil
	}
	for _, a := range cmd.answers() {
		c, err := pick(view.Clarifications, a)
		if err != nil || c.State != tools.StatePending || !e.sourced(c) {
			continue
		}
		checked, err := e.Executor.Verify(ctx, cmd.Setup.Catalog, toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}, a.Answer)
		known[c.ID] = verdict{checked, optionError(err, c)}
	}
	return known, nil
}

// verifyFork asks the sources of the options of the question at the point.
func (e *Engine) verifyFork(ctx context.Context, app *config.App, cmd *Command) (verified, error) {
	if cmd.Fork.Answer == nil {
		return nil, nil
	}
	c, err := e.Store.Clarification(ctx, cmd.Fork.From.ClarificationID)
	if err != nil {
		return nil, err
	}
	of := cmd.Ref
	of.ChatID = cmd.Fork.From.ChatID
	if c.Ref != of || len(c.Question.Sources) == 0 {
		return nil, nil // the transaction decides
	}
	checked, err := e.Executor.Verify(ctx, cmd.Setup.Catalog, toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}, *cmd.Fork.Answer)
	return verified{c.ID: {checked, optionError(err, &c)}}, nil
}

// sourced says that a clarification that is not over has options of sources.
func (e *Engine) sourced(c *chat.Clarification) bool {
	return len(c.Question.Sources) > 0 && (c.ExpiresAt.IsZero() || e.Store.Now().Before(c.ExpiresAt))
}

// concerned is the pending clarification that a message may close, nil where there is none.
func concerned(view *store.View, app *config.App, cmd *Command) *chat.Clarification {
	if app.Clarifications.OnMessageWhilePending != config.PendingAnswer {
		return nil
	}
	return cmd.about(view.Pending())
}

// readVerified reads a message as an answer, among all options that there are now. A
// message that names one which is gone is none.
func (e *Engine) readVerified(ctx context.Context, setup *Setup, asked toolexec.Asked, text, language string) (tools.Answer, error) {
	resumer := setup.Catalog.Resumer(asked.App.ID, asked.Tool, asked.Question.Kind)
	a, ok := resumer.Read(asked.Question, text, language)
	if !ok || a.Other != "" {
		if named, is := e.Executor.Named(ctx, setup.Catalog, asked, text); is {
			a, ok = named, true
		}
	}
	if !ok {
		return a, errNoAnswer
	}
	a, err := e.Executor.Verify(ctx, setup.Catalog, asked, a)
	if err == nil {
		return resumer.Check(asked.Question, a)
	}
	if p := asked.Question.Parts[0]; p.AllowOther {
		return resumer.Check(asked.Question, tools.Answer{Other: text})
	}
	return a, errNoAnswer
}

// optionError makes what the sources say a refusal.
func optionError(err error, c *chat.Clarification) error {
	if stale, ok := errors.AsType[*tools.StaleError](err); ok {
		return &chat.Error{Code: chat.CodeStaleOption, Clarification: c, Err: stale}
	}
	if errors.Is(err, toolexec.ErrNoOptions) {
		return &chat.Error{Code: chat.CodeOptionsUnavailable, Clarification: c, Err: err}
	}
	return err
}

// judge says which clarification an answer or a message is for, and whether it answers it. It changes
// nothing.
type judge struct {
	*update
	verified verified // by the sources of options
	matches  matches
	files    uploads.Answers
}

// readAnswer reads the message as the answer to c.
func (j *judge) readAnswer(c *chat.Clarification) (a tools.Answer, ok bool, err error) {
	if known, ok := j.verified[c.ID]; ok {
		return known.answer, known.err == nil, nil
	}
	resumer, text, language := j.resumer(c), *j.cmd.Message, j.tx.Conversation().Language
	err = j.matched(c, func(q tools.Question) { a, ok = resumer.Read(q, text, language) })
	return a, ok, err
}

// checkAnswer is the answer to c, normalised.
func (j *judge) checkAnswer(c *chat.Clarification, a tools.Answer) (tools.Answer, error) {
	if known, ok := j.verified[c.ID]; ok {
		if known.err != nil {
			return a, known.err
		}
		a = known.answer
	}
	a, err := j.files.Known(j.tx, c, a)
	if err != nil {
		return a, err
	}
	resumer, given := j.resumer(c), a
	var refused error
	if err := j.matched(c, func(q tools.Question) { a, refused = resumer.Check(q, given) }); err != nil {
		return a, err
	}
	return a, refused
}

func (j *judge) resumer(c *chat.Clarification) tools.Resumer {
	return j.setup.Catalog.Resumer(c.App, c.ToolName, c.Question.Kind)
}

// OptionQuery asks for options of a pending question: those of a part that fit Text, from
// Skip on up to Limit of them.
type OptionQuery struct {
	ClarificationID string
	Part            int
	Text            string
	Skip, Limit     int
	Closed          bool // of a question that can be answered otherwise (see Fork), too
}

// SearchOptions finds options of a pending question as a person types. total is how many
// fit.
func (e *Engine) SearchOptions(ctx context.Context, setup *Setup, ref chat.Ref, app *config.App, q OptionQuery) (found []tools.Option, total int, err error) {
	c, err := e.Store.Clarification(ctx, q.ClarificationID)
	switch {
	case err != nil:
		return nil, 0, err
	case c.Ref != ref:
		return nil, 0, &chat.Error{Code: chat.CodeNotFound}
	}
	if err := closedError(&c); err != nil && !(q.Closed && changeable(&c)) {
		return nil, 0, err
	}
	if q.Part < 0 || q.Part >= len(c.Question.Parts) {
		return nil, 0, &chat.Error{Code: chat.CodeInvalidRequest, Detail: "query", Params: map[string]any{"Field": "question"}}
	}
	asked := toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}
	found, total, err = e.Executor.Search(ctx, setup.Catalog, asked, q.Part, q.Text, q.Skip, q.Limit)
	return found, total, optionError(err, &c)
}
