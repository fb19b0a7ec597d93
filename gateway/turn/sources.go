package turn

import (
	"context"
	"errors"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// verified is what the sources of a question's options say to an answer. They are asked
// before the store is: nothing waits for a tool while it holds a chat.
type verified struct {
	clarification string // its id; "": no source was asked
	answer        tools.Answer
	err           error // why it is no answer; of a message, that it is none
}

// errNoAnswer says that a message answers nothing.
var errNoAnswer = errors.New("turn: no answer")

// verify asks the sources, where the command is about a question that has some. What it
// finds out holds for the clarification as it is now; the transaction decides.
func (e *Engine) verify(ctx context.Context, app *config.App, cmd *Command) (verified, error) {
	if cmd.Resume || !cmd.Setup.Catalog.Lists(app.ID) {
		return verified{}, nil
	}
	view, err := e.Store.ViewPart(ctx, cmd.Ref, store.Part{Limit: 1})
	if errors.Is(err, store.ErrNotFound) {
		return verified{}, nil
	} else if err != nil {
		return verified{}, err
	}
	c := concerned(view, app, cmd)
	if c == nil || len(c.Question.Sources) == 0 || !c.ExpiresAt.IsZero() && !time.Now().Before(c.ExpiresAt) {
		return verified{}, nil
	}
	k := verified{clarification: c.ID}
	asked := toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}
	if cmd.Answer != nil {
		k.answer, err = e.Executor.Verify(ctx, cmd.Setup.Catalog, asked, cmd.Answer.Answer)
		k.err = optionError(err, c)
		return k, nil
	}
	language := cmd.Language
	if language == "" {
		language = view.Conversation.Language
	}
	k.answer, k.err = e.readVerified(ctx, cmd.Setup, asked, *cmd.Message, language)
	return k, nil
}

// concerned is the pending clarification that a command may close, nil where there is none.
func concerned(view *store.View, app *config.App, cmd *Command) *chat.Clarification {
	if cmd.Answer != nil {
		c, err := pick(view.Clarifications, cmd.Answer)
		if err != nil || c.State != tools.StatePending {
			return nil
		}
		return c
	}
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

// readAnswer reads the message as the answer to c.
func (t *transition) readAnswer(c *chat.Clarification) (tools.Answer, bool) {
	if t.verified.clarification == c.ID {
		return t.verified.answer, t.verified.err == nil
	}
	return t.resumer(c).Read(c.Question, *t.cmd.Message, t.tx.Conversation().Language)
}

// checkAnswer is the answer to c, normalised.
func (t *transition) checkAnswer(c *chat.Clarification, a tools.Answer) (tools.Answer, error) {
	if t.verified.clarification == c.ID {
		if t.verified.err != nil {
			return a, t.verified.err
		}
		a = t.verified.answer
	}
	return t.resumer(c).Check(c.Question, a)
}

func (t *transition) resumer(c *chat.Clarification) tools.Resumer {
	return t.setup.Catalog.Resumer(c.App, c.ToolName, c.Question.Kind)
}

// OptionQuery asks for options of a pending question: those of a part that fit Text, from
// Skip on up to Limit of them.
type OptionQuery struct {
	ClarificationID string
	Part            int
	Text            string
	Skip, Limit     int
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
	if err := closedError(&c); err != nil {
		return nil, 0, err
	}
	if q.Part < 0 || q.Part >= len(c.Question.Parts) {
		return nil, 0, &chat.Error{Code: chat.CodeInvalidRequest, Detail: "query", Params: map[string]any{"Field": "question"}}
	}
	asked := toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}
	found, total, err = e.Executor.Search(ctx, setup.Catalog, asked, q.Part, q.Text, q.Skip, q.Limit)
	return found, total, optionError(err, &c)
}
