package chat

import (
	"errors"
	"fmt"
	"maps"
	"time"
)

// Code is an error code of the contract (section 4); the API maps it to a status.
type Code string

// The values of Code.
const (
	CodeInvalidRequest       Code = "invalid_request"
	CodeUnauthenticated      Code = "unauthenticated"
	CodeForbidden            Code = "forbidden"
	CodeNotFound             Code = "not_found"
	CodeModelNotFound        Code = "model_not_found" // of a front whose models are apps
	CodeTurnInProgress       Code = "turn_in_progress"
	CodeNothingToResume      Code = "nothing_to_resume"
	CodeChatExists           Code = "chat_exists"   // of a fork: the chat that it would begin
	CodeNotForkable          Code = "not_forkable"  // no chat can be forked at that point
	CodeAlreadyBegun         Code = "already_begun" // the turn of a message that was queued
	CodeNotDeletable         Code = "not_deletable" // an answer: it ran, or there is none
	CodeTakenBack            Code = "taken_back"    // by its sender, while it was queued
	CodeClarificationPending Code = "clarification_pending"
	CodeApprovalChanged      Code = "approval_changed" // the decision was about something other than what waits
	CodeAlreadyAnswered      Code = "already_answered"
	CodeAlreadyDecided       Code = "already_decided" // by the same person; others still have to
	CodeIdempotencyConflict  Code = "idempotency_conflict"
	CodeClarificationClosed  Code = "clarification_closed"
	CodeStaleOption          Code = "stale_option"        // Err is a *tools.StaleError
	CodeOptionsUnavailable   Code = "options_unavailable" // their source cannot be asked
	CodeClarificationLimit   Code = "clarification_limit" // of an asker, or of the person asked; with RetryAfter
	CodeNotReadable          Code = "not_readable"        // written by a newer version, or damaged
	CodeTooLarge             Code = "too_large"
	CodeStorageFull          Code = "storage_full" // of a principal
	CodeUnsupportedMedia     Code = "unsupported_media_type"
	CodeInvalidAnswer        Code = "invalid_answer"
	CodeRateLimited          Code = "rate_limited"
	CodeFilesUnavailable     Code = "files_unavailable" // no files are kept, or their storage cannot be used
	CodeNoFileWanted         Code = "no_file_wanted"    // no question waits for a file, or the chat has too many
	CodeUnsupportedPart      Code = "unsupported_part"  // of a message that came through a front
	CodeAttachmentsOff       Code = "attachments_off"   // the app accepts no files with messages
	CodeInstructionsOff      Code = "client_instructions_off"
	CodeDraining             Code = "draining"
	CodeOverloaded           Code = "overloaded"
	CodeStoreUnavailable     Code = "store_unavailable"
	CodeInternal             Code = "internal"
)

// Error is a refusal or failure that is reported to the caller. Its text is for operators; people
// read the localised text of Code (and Detail).
type Error struct {
	Code   Code
	Detail string         // id suffix of the localised detail; "" for the code's own text
	Params map[string]any // the parameters of the localised text
	// Clarification is the closed or pending one that the error is about, if any.
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

// At returns the error with the field of the request that it is about.
func (e *Error) At(field string) *Error {
	at := *e
	at.Params = maps.Clone(e.Params)
	if at.Params == nil {
		at.Params = map[string]any{}
	}
	at.Params["Field"] = field
	return &at
}

// Errorf returns an Error with a text for operators.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// CodeOf returns the code of err, or CodeInternal if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
