package mcptool

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// MaxParked is the number of calls of a server that are held open.
const MaxParked = maxParked

// Limits of a server that is connected per caller.
const (
	MaxSessions       = maxSessions
	MaxParkedOfCaller = maxParkedOfCaller
)

// Question returns the question for a requested schema.
func Question(a Asking, message string, schema json.RawMessage) (*tools.Question, error) {
	t := &Tool{asking: a, server: &server{speech: newSpeech(nil), calls: newFlights()}}
	out, err := t.ask(tools.Call{}, &state{requests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: message, RequestedSchema: string(schema)}}}, 1)
	return out.Question, err
}

// Told returns the server's form of an answer, if it is one.
func Told(a Asking, q tools.Question, answer tools.Answer) (json.RawMessage, error) {
	t := &Tool{asking: a, server: &server{speech: newSpeech(nil), calls: newFlights()}}
	checked, err := t.Check(q, answer)
	if err != nil {
		return nil, err
	}
	s, err := readState(q.State)
	if err != nil {
		return nil, err
	}
	responses, err := s.responses(q, tools.Closing{State: checked.Outcome(), Answer: &checked})
	if err != nil {
		return nil, err
	}
	return json.Marshal(responses)
}

// Dialled makes the pool's servers reachable by these transports, checked as often as those at a
// URL.
func (p *Pool) Dialled(dial func() mcp.Transport) {
	p.changes = append(p.changes, func(s *server) {
		s.pace = remotePace
		s.dial = func() (mcp.Transport, func(), error) { return dial(), func() {}, nil }
	})
}

// Hasty makes the pool check its servers more often.
func (p *Pool) Hasty(idle, ping time.Duration) {
	p.changes = append(p.changes, func(s *server) { s.pace = pace{idle: idle, ping: ping, pause: time.Millisecond} })
}

// Related makes the pool's servers reach those of other pools, polling often.
func (p *Pool) Related(relay Relay) {
	p.relay = relay
	p.changes = append(p.changes, func(s *server) { s.relayPace = 10 * time.Millisecond })
}

// Program makes the pool check its servers as it does programs.
func (p *Pool) Program() {
	p.changes = append(p.changes, func(s *server) { s.pace = programPace })
}

// Shown returns the part of a result that people see.
func Shown(result []byte, secret string) []tools.Content {
	var r mcp.CallToolResult
	if json.Unmarshal(result, &r) != nil {
		return nil
	}
	w := newSpeech([]string{secret})
	return w.shown(&r)
}

// Kept returns a message as the SDK gets it.
func Kept(message []byte) []byte { return keptMessage(message) }

// Progressed returns the progress reported for a notification with these params, for a request with
// the token.
func Progressed(params []byte, token string, to func(tools.Progress)) {
	s := &server{speech: newSpeech(nil), calls: newFlights()}
	s.calls.reports.byToken = map[string]*report{token: {to: to}}
	s.progressed(params)
}
