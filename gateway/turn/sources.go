package turn

import (
	"cmp"
	"context"
	"errors"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/claims"
	"github.com/askgate/askgate/toolexec"
	"github.com/askgate/askgate/tools"
)

// errNoAnswer says that a message is not an answer.
var errNoAnswer = errors.New("turn: no answer")

// sources asks the tools that list options.
type sources struct {
	store    store.Store
	executor *toolexec.Executor
	claims   *claims.Keeper
}

// verify asks the sources if the command is about questions with options of theirs. The results are
// for the clarifications as they are now; the transaction decides.
func (s *sources) verify(ctx context.Context, app *config.App, cmd *Command) (verified, error) {
	if cmd.Resume || !cmd.Setup.Catalog.Lists(app.ID) {
		return nil, nil
	}
	if cmd.Fork != nil {
		return s.verifyFork(ctx, app, cmd)
	}
	view, err := s.store.ViewPart(ctx, cmd.Ref, store.Part{Limit: 1})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	known := verified{}
	if cmd.Message != nil {
		if c := concerned(view, app, cmd); c != nil && s.sourced(c) {
			language := cmp.Or(cmd.Language, view.Conversation.Language)
			catalog, err := s.catalog(ctx, cmd.Setup, c)
			if err != nil {
				return nil, err
			}
			a, err := s.readVerified(ctx, catalog, toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}, *cmd.Message, language)
			known[c.ID] = verdict{a, err}
		}
		return known, nil
	}
	for _, a := range cmd.answers() {
		c, err := pick(view.Clarifications, a)
		if err != nil || c.State != tools.StatePending || !s.sourced(c) {
			continue
		}
		catalog, err := s.catalog(ctx, cmd.Setup, c)
		if err != nil {
			return nil, err
		}
		checked, err := s.executor.Verify(ctx, catalog, toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}, a.Answer)
		known[c.ID] = verdict{checked, optionError(err, c)}
	}
	return known, nil
}

// verifyFork asks the sources about the options of the question at the fork's point.
func (s *sources) verifyFork(ctx context.Context, app *config.App, cmd *Command) (verified, error) {
	if cmd.Fork.Answer == nil {
		return nil, nil
	}
	c, err := s.store.Clarification(ctx, cmd.Fork.From.ClarificationID)
	if err != nil {
		return nil, err
	}
	of := cmd.Ref
	of.ChatID = cmd.Fork.From.ChatID
	if c.Ref != of || len(c.Question.Sources) == 0 {
		return nil, nil // the transaction decides
	}
	catalog := cmd.Setup.Catalog.As(app.ID, callerIn(cmd.Ref, cmd.Ref.Subject, cmd.Claims))
	checked, err := s.executor.Verify(ctx, catalog, toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}, *cmd.Fork.Answer)
	return verified{c.ID: {checked, optionError(err, &c)}}, nil
}

// callerIn returns the caller of the tools of a chat.
func callerIn(ref chat.Ref, subject string, claims map[string]string) tools.Caller {
	return tools.Caller{Tenant: ref.Tenant, Subject: subject, App: ref.App, Chat: ref.ChatID, Claims: claims}
}

// catalog returns the tools as they are called for a question that waits: on behalf of the owner of the
// chat whose turn asked it, or else of the program's user who asked it, not of the person who answers.
func (s *sources) catalog(ctx context.Context, setup *Setup, c *chat.Clarification) (*toolexec.Catalog, error) {
	subject, of := c.Subject, c.TurnID
	if c.Asker != "" {
		subject, of = c.Asker, c.ID
	}
	who := callerIn(c.Ref, subject, nil)
	if len(setup.Config.Claims(c.App)) > 0 {
		kept, err := s.store.Caller(ctx, c.ConversationID, of)
		if err != nil {
			return nil, err
		}
		s.claims.Open(kept, &who)
	}
	return setup.Catalog.As(c.App, who), nil
}

// sourced reports whether a clarification has options from sources and has not expired.
func (s *sources) sourced(c *chat.Clarification) bool {
	return len(c.Question.Sources) > 0 && (c.ExpiresAt.IsZero() || s.store.Now().Before(c.ExpiresAt))
}

// concerned returns the pending clarification that a message may close, or nil if there is none.
func concerned(view *store.View, app *config.App, cmd *Command) *chat.Clarification {
	if app.Clarifications.OnMessageWhilePending != config.PendingAnswer {
		return nil
	}
	return cmd.about(view.Pending())
}

// readVerified reads a message as an answer among all current options. A message that names an
// option that is gone is not an answer.
func (s *sources) readVerified(ctx context.Context, catalog *toolexec.Catalog, asked toolexec.Asked, text, language string) (tools.Answer, error) {
	resumer := catalog.Resumer(asked.App.ID, asked.Tool, asked.Question.Kind)
	a, ok := resumer.Read(asked.Question, text, language)
	if !ok || a.Other != "" {
		if named, is := s.executor.Named(ctx, catalog, asked, text); is {
			a, ok = named, true
		}
	}
	if !ok {
		return a, errNoAnswer
	}
	a, err := s.executor.Verify(ctx, catalog, asked, a)
	if err == nil {
		return resumer.Check(asked.Question, a)
	}
	if p := asked.Question.Parts[0]; p.AllowOther {
		return resumer.Check(asked.Question, tools.Answer{Other: text})
	}
	return a, errNoAnswer
}

// optionError turns an error of the sources into a refusal.
func optionError(err error, c *chat.Clarification) error {
	if stale, ok := errors.AsType[*tools.StaleError](err); ok {
		return &chat.Error{Code: chat.CodeStaleOption, Clarification: c, Err: stale}
	}
	if errors.Is(err, toolexec.ErrNoOptions) {
		return &chat.Error{Code: chat.CodeOptionsUnavailable, Clarification: c, Err: err}
	}
	return err
}

// OptionQuery asks for options of a pending question: those of a part that match Text, at most Limit
// of them from Skip on.
type OptionQuery struct {
	ClarificationID string
	Part            int
	Text            string
	Skip, Limit     int
	Closed          bool // include closed questions whose answer a Fork can replace
	// Claims are those of who searches: the sources of a closed question are called with these.
	Claims map[string]string
}

// SearchOptions finds options of a pending question while a person types. total is the number of
// matches.
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
	catalog := setup.Catalog.As(app.ID, callerIn(ref, ref.Subject, q.Claims))
	if c.State == tools.StatePending {
		if catalog, err = e.sources.catalog(ctx, setup, &c); err != nil {
			return nil, 0, err
		}
	}
	asked := toolexec.Asked{App: app, Tool: c.ToolName, Question: c.Question}
	found, total, err = e.Executor.Search(ctx, catalog, asked, q.Part, q.Text, q.Skip, q.Limit)
	return found, total, optionError(err, &c)
}
