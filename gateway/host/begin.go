package host

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/limit"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// File came in a request's body, with a message.
type File struct {
	Part string `json:"-"` // its place in the request
	Name string
	Sum  string // SHA-256 of its content, hexadecimal
	Size int64
	Open func() io.Reader `json:"-"`
}

// Begin submits a command, whose sender, chat and language are the request's, with the files from
// the request's body, which is no longer needed. A second command of a request is counted, too.
func (r *Request) Begin(cmd turn.Command, files []File) (Begun, error) {
	defer r.Release()
	if err := pay(r); err != nil {
		return Begun{}, err
	}
	limits := r.App.Limits
	if cmd.Message != nil || cmd.Fork != nil {
		if err := allow(r, limit.Rule{Scope: scopeTurns, Key: r.App.ID, PerMinute: limits.TurnsPerMinutePerApp}); err != nil {
			return Begun{}, err
		}
	}
	release, d := r.Host.Limiter.Acquire(r.Context(), scopeConcurrent, owner(r), limits.ConcurrentTurns)
	if err := Decided(r, d); err != nil {
		release()
		return Begun{}, err
	}
	r.ChatKnown = true
	cmd.Setup, cmd.Ref, cmd.Language, cmd.ClientTools = r.Setup(), r.Ref, r.wanted(), r.ClientTools
	cmd.Claims = r.Claims()
	cmd.Interactive = cmd.Interactive && !r.Caller.Unattended
	cmd.By, cmd.RequestID, cmd.TraceParent = AuditActor(r, chat.ActorCaller), r.ID(), r.HTTP().Header.Get("Traceparent")
	run, err := submitWith(r, cmd, files)
	if err != nil {
		release()
		return Begun{}, NotTaken(r, err)
	}
	r.Host.Metrics.commands.WithLabelValues(r.App.ID, r.FormatName(), commandOf(&cmd)).Inc()
	if known, ok := run.(interface{ TurnID() string }); ok {
		r.Response().About.turnID = known.TurnID()
	}
	budgetHeaders(r, run)
	if run.Watches() {
		release() // the place is for callers that run
	}
	return Begun{r, run, release}, nil
}

// commandOf returns the kind of a command, for metrics.
func commandOf(cmd *turn.Command) string {
	switch {
	case cmd.Answer != nil, cmd.Answers != nil:
		return "answer"
	case cmd.Resume:
		return "resume"
	case cmd.Fork != nil:
		return "fork"
	}
	return "message"
}

// NotTaken counts the engine's refusals of an answer, or because of a budget, and returns err.
func NotTaken(r *Request, err error) error {
	if spent, ok := errors.AsType[*budget.SpentError](err); ok {
		return overspent(r, spent)
	}
	reason := ""
	if e, ok := errors.AsType[*tools.AnswerError](err); ok {
		reason = "invalid"
		if len(e.Fields) > 0 {
			reason = e.Fields[0].Code
		}
	} else if code := chat.CodeOf(err); code == chat.CodeAlreadyAnswered || code == chat.CodeClarificationClosed || code == chat.CodeStaleOption || code == chat.CodeOptionsUnavailable {
		reason = string(code)
	}
	if reason != "" {
		r.Host.Metrics.rejected.WithLabelValues(r.App.ID, reason).Inc()
	}
	return err
}

// submitWith submits a message with files from its request. It stores the files first, once
// everything else about the message has been checked, and discards them if the message is refused
// after all or was sent before.
func submitWith(r *Request, cmd turn.Command, files []File) (Run, error) {
	ctx := turn.WithLog(r.Context(), r.Logger())
	if len(files) == 0 {
		return r.Host.Engine.Submit(ctx, cmd)
	}
	ctx = context.WithoutCancel(ctx)
	first := cmd
	first.Bringing = true
	run, err := r.Host.Engine.Submit(ctx, first)
	if !errors.Is(err, turn.ErrBring) {
		return run, err
	}
	taken := false
	defer func() {
		if taken {
			return
		}
		for _, id := range cmd.Files { // a file that is used stays
			if err := r.Host.Engine.Discard(ctx, r.Ref, id); err != nil && chat.CodeOf(err) != chat.CodeNotFound {
				r.Logger().Warn("cannot delete a file; the next sweep deletes it", "error", err)
			}
		}
	}()
	for i := range files {
		f, err := r.Host.Engine.Upload(ctx, uploads.Upload{Config: r.Setup().Config, Ref: r.Ref, Name: files[i].Name, Body: files[i].Open()})
		UploadEnded(r, err)
		if refused, ok := errors.AsType[*chat.Error](err); ok {
			return nil, refused.At(files[i].Part)
		} else if err != nil {
			return nil, err
		}
		cmd.Files, cmd.Sums = append(slices.Clip(cmd.Files), f.ID), append(slices.Clip(cmd.Sums), files[i].Sum)
	}
	run, err = r.Host.Engine.Submit(ctx, cmd)
	taken = err == nil && !run.Watches()
	return run, err
}

// UploadEnded counts a file that was kept, or refused.
func UploadEnded(r *Request, err error) {
	result := string(chat.CodeOf(err))
	if err == nil {
		result = "ok"
	}
	r.Host.Metrics.uploads.WithLabelValues(r.App.ID, result).Inc()
}

// BranchID returns the chat that a fork creates: always the same for one key.
func BranchID(of, key string) string {
	if key != "" {
		return chat.ForkChatID(of, key)
	}
	return "fork-" + strings.TrimPrefix(chat.NewID(""), "_")
}
