package mcptool

import (
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/outgoing"
)

// MaxParked is how many calls of a server are held open.
const MaxParked = maxParked

// Question returns the question for a requested schema.
func Question(a Asking, message string, schema json.RawMessage) (*tools.Question, error) {
	t := &Tool{asking: a, server: &server{speech: speech{outgoing.NewRedactor(nil)}, calls: newFlights()}}
	out, err := t.ask(tools.Call{}, &state{requests: mcp.InputRequestMap{"q": &mcp.ElicitParams{Message: message, RequestedSchema: string(schema)}}}, 1)
	return out.Question, err
}

// Told returns the response to the server for an answer, if it is valid.
func Told(a Asking, q tools.Question, answer tools.Answer) (json.RawMessage, error) {
	t := &Tool{asking: a, server: &server{speech: speech{outgoing.NewRedactor(nil)}, calls: newFlights()}}
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

// Dialled has the pool's servers reached by these transports, at the pace of those at a URL.
func (p *Pool) Dialled(dial func() mcp.Transport) {
	p.changes = append(p.changes, func(s *server) {
		s.pace = remotePace
		s.dial = func() (mcp.Transport, func(), error) { return dial(), func() {}, nil }
	})
}

// Hasty has the pool's servers looked after more often.
func (p *Pool) Hasty(idle, ping time.Duration) {
	p.changes = append(p.changes, func(s *server) { s.pace = pace{idle: idle, ping: ping, pause: time.Millisecond} })
}

// Related has the pool's servers reach those of other pools, looking often.
func (p *Pool) Related(relay Relay) {
	p.relay = relay
	p.changes = append(p.changes, func(s *server) { s.relayPace = 10 * time.Millisecond })
}

// Program has the pool's servers looked after as programs are.
func (p *Pool) Program() {
	p.changes = append(p.changes, func(s *server) { s.pace = programPace })
}

// Shown is what people are shown of a result.
func Shown(result []byte, secret string) []tools.Content {
	var r mcp.CallToolResult
	if json.Unmarshal(result, &r) != nil {
		return nil
	}
	return (&speech{outgoing.NewRedactor([]string{secret})}).shown(&r)
}

// Kept is a message as the SDK gets it.
func Kept(message []byte) []byte { return keptMessage(message) }

// Progressed returns what is reported for a notification with these params, of a request with the token.
func Progressed(params []byte, token string, to func(tools.Progress)) {
	s := &server{speech: speech{outgoing.NewRedactor(nil)}, calls: newFlights()}
	s.calls.reports.byToken = map[string]*report{token: {to: to}}
	s.progressed(params)
}
