package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// Relay carries messages between the nodes of a gateway. Implementations are safe for concurrent
// use.
type Relay interface {
	// Put keeps a message under a key, for ttl at most.
	Put(ctx context.Context, key string, message []byte, ttl time.Duration) error
	// Take removes the message with that key and returns it, to one caller only, or nil if there
	// is none.
	Take(ctx context.Context, key string) ([]byte, error)
}

// A parked call is held by the node that made it. An answer that arrives at another node, the
// taker, goes to the holder through the relay, and the outcome of the call comes back:
//
//	taker   Put answer ───────────────────────> Take outcome, each relayPace
//	holder  Take answer, each relayPace ──> follow ──> Put outcome
//
// If no holder has taken the answer after relayNotice, the taker takes it back: then no node holds
// the call any more, and the call has not received the answer.
const (
	relayPace   = 500 * time.Millisecond
	relayNotice = 5 * time.Second
	relayFor    = 10 * time.Minute // how long a message is kept until it is taken
)

// cancelled is the action that is relayed if the question was closed without an answer.
const cancelled = "cancel"

func answerKey(park string) string  { return "park/" + park + "/answer" }
func outcomeKey(park string) string { return "park/" + park + "/outcome" }

// relayed is an outcome on its way to another node, with the fields that are not in its JSON.
type relayed struct {
	Outcome       tools.Outcome
	ExpiresIn     time.Duration `json:",omitempty"` // of its question
	Error         *tools.Error  `json:",omitempty"`
	Reason, Cause string        `json:",omitempty"` // of the error
}

func newRelayed(out tools.Outcome, err error) relayed {
	r := relayed{Outcome: out}
	if out.Question != nil {
		r.ExpiresIn = out.Question.ExpiresIn
	}
	if err != nil && !errors.As(err, &r.Error) {
		r.Error = unreachable(err)
	}
	if r.Error != nil {
		r.Reason, r.Cause = r.Error.Reason, r.Error.Cause
	}
	return r
}

func (r *relayed) outcome() (tools.Outcome, error) {
	if r.Outcome.Question != nil {
		r.Outcome.Question.ExpiresIn = r.ExpiresIn
	}
	if r.Error != nil {
		r.Error.Reason, r.Error.Cause = r.Reason, r.Cause
		return r.Outcome, r.Error
	}
	return r.Outcome, nil
}

// hold waits for an answer that another node relays, and continues the parked call with it. It
// returns when the call is not parked any more.
func (t *Tool) hold(id string, call tools.Call, round int) {
	s := t.server
	pace := time.NewTicker(s.relayPace)
	defer pace.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-pace.C:
		}
		if !s.calls.holds(id) {
			return
		}
		data, err := s.relay.Take(s.ctx, answerKey(id))
		answer := &mcp.ElicitResult{}
		if err != nil || data == nil || json.Unmarshal(data, answer) != nil {
			continue
		}
		if answer.Action == cancelled {
			s.calls.drop(id)
			return
		}
		t.goOnFor(call, id, round, answer)
		return
	}
}

// goOnFor continues a call, and sends its outcome to the node that has the answer.
func (t *Tool) goOnFor(call tools.Call, id string, round int, answer *mcp.ElicitResult) {
	s := t.server
	ctx, cancel := context.WithTimeout(s.ctx, s.o.Timeout)
	defer cancel()
	message, err := json.Marshal(newRelayed(t.answered(ctx, call, id, round, answer)))
	if err == nil {
		err = s.relay.Put(s.ctx, outcomeKey(id), message, relayFor)
	}
	if err != nil {
		s.log.Warn("outcome of a call cannot be sent to the node that has the answer", "error", err)
	}
}

// answered continues a call that is parked on this node.
func (t *Tool) answered(ctx context.Context, call tools.Call, id string, round int, answer *mcp.ElicitResult) (tools.Outcome, error) {
	f := t.server.calls.take(id)
	if f == nil {
		return tools.Outcome{}, errLost
	}
	return t.follow(ctx, call, f, round, answer)
}

// passOn sends an answer to the node that holds the call, and waits for the outcome.
func (t *Tool) passOn(ctx context.Context, id string, answer *mcp.ElicitResult) (tools.Outcome, error) {
	s := t.server
	data, err := json.Marshal(answer)
	if err == nil {
		err = s.relay.Put(ctx, answerKey(id), data, relayFor)
	}
	if err != nil {
		return tools.Outcome{}, err
	}
	pace := time.NewTicker(s.relayPace)
	defer pace.Stop()
	for unnoticed := relayNotice; ; unnoticed -= s.relayPace {
		select {
		case <-ctx.Done():
			return tools.Outcome{}, ctx.Err()
		case <-pace.C:
		}
		message, err := s.relay.Take(ctx, outcomeKey(id))
		if err != nil {
			continue // the call may have continued, and its outcome may still arrive
		}
		var r relayed
		if message != nil && json.Unmarshal(message, &r) == nil {
			return r.outcome()
		}
		if unnoticed > 0 && unnoticed <= s.relayPace {
			if back, err := s.relay.Take(ctx, answerKey(id)); err == nil && back != nil {
				return tools.Outcome{}, errLost
			}
		}
	}
}

// errLost is the error of a parked call that no node holds any more.
var errLost = &tools.Error{
	Code: tools.CodeInterrupted,
	Message: "The user answered, but the call that asked is gone: it is held open for a limited time, and ends when its node does. " +
		"It may or may not have taken effect. Find out before you repeat it.",
}
