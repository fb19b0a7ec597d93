package host

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// texts has the texts of refusals.
type texts struct{ catalog *locales.Catalog }

// Problem returns what err means to the caller, and when trying again makes sense.
func (t texts) Problem(err error, lang string) (Refusal, time.Duration) {
	if f, ok := errors.AsType[*Fault](err); ok {
		return t.faultProblem(f, lang)
	}
	if e, ok := errors.AsType[*turn.AnswersError](err); ok {
		p := t.text(chat.CodeInvalidAnswer, "", nil, lang)
		for _, of := range e.Refused {
			for _, f := range t.answerFaults(of.Err, lang) {
				f.ToolCallID, f.ClarificationID = of.ToolCallID, of.ClarificationID
				p.Errors = append(p.Errors, f)
			}
		}
		return p, 0
	}
	if e, ok := errors.AsType[*tools.AnswerError](err); ok {
		p := t.text(chat.CodeInvalidAnswer, "", nil, lang)
		p.Errors = t.answerFaults(e, lang)
		return p, 0
	}
	if e, ok := errors.AsType[*uploads.FilesError](err); ok {
		p := t.text(codeInvalidFiles, "", nil, lang)
		for _, f := range e.Fields {
			p.Errors = append(p.Errors, answerFault{Field: f.Field, Code: f.Code, Message: t.catalog.Text(lang, "files."+f.Code, f.Params)})
		}
		return p, 0
	}
	if e, ok := errors.AsType[*tools.Error](err); ok && e.Code == tools.CodeInvalidClarification {
		p := t.text(codeInvalidQuestion, "", nil, lang)
		p.Errors = t.questionFaults(e, lang)
		return p, 0
	}
	if e, ok := errors.AsType[*chat.Error](err); ok {
		return t.chatProblem(e, lang)
	}
	switch {
	case errors.Is(err, store.ErrUnknown):
		return t.text(chat.CodeStoreUnavailable, "outcome_unknown", nil, lang), restartWait
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return t.text(chat.CodeStoreUnavailable, "", nil, lang), restartWait
	case errors.Is(err, store.ErrCursor):
		return t.faultProblem(Invalid("query", "cursor"), lang)
	}
	return t.text(chat.CodeInternal, "", nil, lang), 0
}

func (t texts) faultProblem(f *Fault, lang string) (Refusal, time.Duration) {
	params := map[string]any{"Field": f.Field}
	if f.Limited != nil {
		params["Count"] = limit.Seconds(max(f.Limited.RetryAfter, f.Limited.Reset))
	}
	for k, v := range f.Params {
		params[k] = v
	}
	p := t.text(f.Code, f.Detail, params, lang)
	p.Field, p.taken = f.Field, f.failed != nil || f.Detail == detailGoesOn
	var wait time.Duration
	switch {
	case f.Limited != nil:
		p.Scope = f.Limited.Scope
	case f.failed != nil:
		p.TurnID, p.Error = f.failed.TurnID, f.failed.Failure
		if p.Error != nil {
			p.Code = chat.Code(p.Error.Code)
		}
		if p.Error != nil && p.Error.Message != "" {
			p.Detail = p.Error.Message
		}
		if p.Error != nil && p.Error.RetryAfter != nil { // seconds
			wait = time.Duration(*p.Error.RetryAfter) * time.Second
		}
	case f.Code == chat.CodeDraining || f.Code == chat.CodeStoreUnavailable || f.Code == chat.CodeOverloaded:
		wait = restartWait
	}
	return p, wait
}

func (t texts) chatProblem(e *chat.Error, lang string) (Refusal, time.Duration) {
	params := map[string]any{"Count": limit.Seconds(e.RetryAfter), "Limit": bodyLimit}
	for k, v := range e.Params {
		params[k] = v
	}
	if e.Clarification != nil {
		params["State"] = string(e.Clarification.State)
	}
	p := t.text(e.Code, e.Detail, params, lang)
	p.Field, _ = e.Params["Field"].(string)
	if c := e.Clarification; c != nil {
		p.ClarificationID, p.ToolCallID = c.ID, c.ToolCallID
		switch e.Code {
		case chat.CodeClarificationPending, chat.CodeApprovalChanged:
			pending := chat.NewAsked(c)
			p.Clarification = &pending
		case chat.CodeAlreadyDecided:
			pending := chat.NewAsked(c)
			pending.MayAnswer = nil // its sender may still say no
			p.Clarification = &pending
		case chat.CodeAlreadyAnswered:
			end := chat.NewResolved(c)
			p.Outcome, p.Answer, p.AnsweredAt, p.AnsweredBy = c.State, c.Answer, end.AnsweredAt, end.By
		case chat.CodeClarificationClosed:
			p.State, p.AnsweredBy = c.State, c.AnsweredBy
			p.AnsweredAt = OptionalTime(c.AnsweredAt)
		}
	}
	if stale, ok := errors.AsType[*tools.StaleError](e); ok {
		p.Question, p.Gone = &stale.Question, stale.Gone
		p.Options, p.OptionsTotal = append([]tools.Option{}, stale.Options...), stale.Total
	}
	wait := e.RetryAfter
	if wait == 0 && p.Status == http.StatusServiceUnavailable {
		wait = restartWait
	}
	return p, wait
}

// text makes a problem of a code, with its texts in a language. A detail or code without a text
// of its own falls back to the more general one.
func (t texts) text(code chat.Code, detail string, params map[string]any, lang string) Refusal {
	status, ok := statuses[code]
	if !ok {
		code, detail, status = chat.CodeInternal, "", http.StatusInternalServerError
	}
	p := Refusal{Title: t.catalog.Text(lang, "title."+string(code), params), Status: status, Code: code}
	if detail != "" {
		if id := "detail." + detail; t.catalog.Text(lang, id, params) != id {
			p.Detail = t.catalog.Text(lang, id, params)
			return p
		}
	}
	p.Detail = t.catalog.Text(lang, "problem."+string(code), params)
	return p
}

func (t texts) answerFaults(e *tools.AnswerError, lang string) []answerFault {
	faults := make([]answerFault, len(e.Fields))
	for i, f := range e.Fields {
		faults[i] = answerFault{Question: f.Question, Field: f.Field, Code: f.Code, Message: f.Message}
		if f.Message == "" {
			faults[i].Message = t.catalog.Text(lang, "answer."+f.Code, f.Params)
		}
	}
	return faults
}

// questionFaults returns what is wrong with a program's question.
func (t texts) questionFaults(e *tools.Error, lang string) []answerFault {
	faults := make([]answerFault, 0, len(e.Fields)+1)
	for _, f := range e.Fields {
		faults = append(faults, answerFault{Question: f.Question, Field: f.Field, Code: f.Code, Message: t.askText(f.Code, f.Params, lang)})
	}
	if len(faults) == 0 { // of a source of options
		faults = append(faults, answerFault{Code: e.Reason, Message: t.askText(e.Reason, nil, lang)})
	}
	return faults
}

// askText returns the text of a reason; all reasons about patterns share one.
func (t texts) askText(code string, params map[string]any, lang string) string {
	if strings.HasPrefix(code, "pattern_") {
		code = "pattern"
	}
	return t.catalog.Text(lang, "ask."+code, params)
}
