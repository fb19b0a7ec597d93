package mcptool

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/elicit"
)

// call makes a call on the session. If the server has forgotten the session, the call was not
// made: a new session is used, once.
func (s *server) call(ctx context.Context, params mcp.CallToolParams, progress *report) (*mcp.CallToolResult, *flight, error) {
	f := &flight{}
	for again := true; ; again = false {
		session, err := s.live(ctx)
		if err != nil {
			return nil, nil, err
		}
		once := params // the SDK writes into it
		land := s.calls.board(f, &once, progress)
		result, err := session.CallTool(ctx, &once)
		land()
		if errors.Is(err, mcp.ErrSessionMissing) && again {
			s.lost(session)
			continue
		}
		return result, f, err
	}
}

// failed returns the error for the model of a call without a result.
func (s *server) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			s.doubt(true)
		}
		return ctx.Err()
	}
	if refused := saidBy(err); refused != nil {
		return &tools.Error{
			Code:     tools.CodeToolFailed,
			Rejected: refused.Code == jsonrpc.CodeInvalidParams,
			Message:  "The server of this tool refused the call. It says: " + tools.Shorten(elicit.Clean(s.speech.faults.Replace(tools.Clip(refused.Message, maxMessage))), maxSaid),
		}
	}
	s.doubt(false)
	return unreachable(err)
}

// progressed reads the params of a notification of progress. It drops one whose token belongs to
// no call under way, or whose progress does not rise, and leaves out a total that is not a number
// and a message that is not a text. The caller drops totals without a meaning (tools.Call).
func (s *server) progressed(params json.RawMessage) {
	var told struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress json.RawMessage `json:"progress"`
		Total    json.RawMessage `json:"total"`
		Message  json.RawMessage `json:"message"`
	}
	if len(params) > maxNotification || json.Unmarshal(params, &told) != nil {
		return
	}
	token, _ := valueOf[string](told.Token)
	of := s.calls.reports.of(token)
	progress, ok := valueOf[float64](told.Progress)
	if of == nil || !ok {
		return
	}
	p := tools.Progress{Progress: progress}
	if total, ok := valueOf[float64](told.Total); ok {
		p.Total = &total
	}
	of.tell(p, func() string {
		message, _ := valueOf[string](told.Message)
		return s.speech.oneLine(message)
	})
}
