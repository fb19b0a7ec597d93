package mcptool

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
)

// errDown is returned while there is no connection to the server.
var errDown = errors.New("mcptool: the server cannot be reached")

// Reasons for which a server counts as lost.
var (
	errGone  = errors.New("it does not answer")
	errEnded = errors.New("it ended the connection")
)

// localError is an error of this machine. It is logged as it is.
type localError struct{ error }

// cause returns what may be logged of an error: nothing that a server sent.
func cause(err error) error {
	var toolErr *tools.Error
	switch {
	case errors.As(err, &toolErr):
		return errors.New(toolErr.Cause)
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, errGone), errors.Is(err, errEnded):
		return err
	}
	var local *localError
	if errors.As(err, &local) {
		return local
	}
	_, why := outgoing.Cause(err)
	return why
}

// saidBy returns the error that the server itself sent, or nil. The SDK reports its own failures
// to send a request in the same form; for those it returns nil, too.
func saidBy(err error) *jsonrpc.Error {
	var said *jsonrpc.Error
	if errors.As(err, &said) && (said.Code != rejectedCode || said.Message != rejectedText) {
		return said
	}
	return nil
}

// unreachable returns the error for the model if the server cannot be reached.
func unreachable(err error) *tools.Error {
	e := &tools.Error{
		Code:    tools.CodeToolFailed,
		Message: "The server of this tool cannot be reached, or did not answer properly. Try again later, or go on without it.",
	}
	if !errors.Is(err, errDown) { // the server's loop has logged that
		e.Cause = cause(err).Error()
	}
	return e
}

// The SDK's error for a request that it could not send, or that failed: jsonrpc2.ErrRejected,
// which is internal.
const (
	rejectedCode = -32005
	rejectedText = "rejected by transport"
)
