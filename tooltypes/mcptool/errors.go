package mcptool

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
)

// errDown says that the server cannot be connected to.
var errDown = errors.New("mcptool: the server cannot be reached")

// Why a server is taken for lost.
var (
	errGone  = errors.New("it does not answer")
	errEnded = errors.New("it ended the connection")
)

// localError is one of this machine, which is for the log as it stands.
type localError struct{ error }

// cause is what the log may say of an error: nothing that a server said.
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

// saidBy is the error that the server itself sent; nil where there is none, or where the
// SDK puts the failure of a request in the same form.
func saidBy(err error) *jsonrpc.Error {
	var said *jsonrpc.Error
	if errors.As(err, &said) && (said.Code != rejectedCode || said.Message != rejectedText) {
		return said
	}
	return nil
}

// unreachable is the error where the server is not there.
func unreachable(err error) *tools.Error {
	e := &tools.Error{
		Code:    tools.CodeToolFailed,
		Message: "The server of this tool cannot be reached, or did not answer as it should. Try again later, or go on without.",
	}
	if !errors.Is(err, errDown) { // which the server's loop has logged
		e.Cause = cause(err).Error()
	}
	return e
}

// What the SDK calls a request that it could not send, or that came to nothing: its
// jsonrpc2.ErrRejected, which is internal.
const (
	rejectedCode = -32005
	rejectedText = "rejected by transport"
)
