package chat

import (
	"errors"
	"fmt"
	"maps"
	"time"
)

// Code is an error code of the contract (section 4); the API maps it to a status.
type Code string

// The codes.
const (
	CodeInvalidRequest       Code = "invalid_request"
	CodeUnauthenticated      Code = "unauthenticated"
	CodeForbidden            Code = "forbidden"
	CodeNotFound             Code = "not_found"
	CodeModelNotFound        Code = "model_not_found" // of a front whose models are apps
	CodeTurnInProgress       Code = "turn_in_progress"
	CodeNothingToResume      Code = "nothing_to_resume"
	CodeChatExists           Code = "chat_exists"  // the chat that a fork would begin
	CodeNotForkable          Code = "not_forkable" // no chat can leave another there
	CodeClarificationPending Code = "clarification_pending"
	CodeApprovalChanged      Code = "approval_changed" // what was decided about is not what waits
	CodeAlreadyAnswered      Code = "already_answered"
	CodeIdempotencyConflict  Code = "idempotency_conflict"
	CodeClarificationClosed  Code = "clarification_closed"
	CodeStaleOption          Code = "stale_option"        // Err is a *tools.StaleError
	CodeOptionsUnavailable   Code = "options_unavailable" // their source cannot be asked
	CodeClarificationLimit   Code = "clarification_limit" // of an asker, or of who is asked; with RetryAfter
	CodeNotReadable          Code = "not_readable"        // a newer version wrote it, or it is damaged
	CodeTooLarge             Code = "too_large"
	CodeStorageFull          Code = "storage_full" // of a principal
	CodeUnsupportedMedia     Code = "unsupported_media_type"
	CodeInvalidAnswer        Code = "invalid_answer"
	CodeRateLimited          Code = "rate_limited"
	CodeFilesUnavailable     Code = "files_unavailable" // none are kept, or their storage cannot be used
	CodeNoFileWanted         Code = "no_file_wanted"    // no question waits for one, or the chat has too many
	CodeUnsupportedPart      Code = "unsupported_part"  // of a message that came over a front
	CodeAttachmentsOff       Code = "attachments_off"   // the app takes no files with messages
	CodeInstructionsOff      Code = "client_instructions_off"
	CodeDraining             Code = "draining"
	CodeOverloaded           Code = "overloaded"
	CodeStoreUnavailable     Code = "store_unavailable"
	CodeInternal             Code = "internal"
)

// Error is a refusal or failure that is reported to the caller. Its text is for
// operators; people read the localised text of Code (and Detail).
type Error struct {
	Code   Code
	Detail string         // id suffix of the localised detail, "" for the code's own
	Params map[string]any // the parameters of the localised text
	// Clarification that the error is about: the closed or the pending one.
	Clarification *Clarification
	RetryAfter    time.Duration
	Err           error
}

func (e *Error) Error() string {
	s := string(e.Code)
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// At is the error about a field of the request.
func (e *Error) At(field string) *Error {
	at := *e
	at.Params = maps.Clone(e.Params)
	if at.Params == nil {
		at.Params = map[string]any{}
	}
	at.Params["Field"] = field
	return &at
}

// Errorf makes an Error with an operator's text.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// CodeOf is the code of err, CodeInternal if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
