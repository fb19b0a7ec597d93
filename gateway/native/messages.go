package native

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
)

// Messages takes messages and answers.
type Messages struct{}

// outcome is the body of JSON mode.
type outcome struct {
	ChatID        string            `json:"chatId"`
	TurnID        string            `json:"turnId,omitempty"` // left out if there was no turn
	Status        chat.Status       `json:"status"`
	FinishReason  chat.FinishReason `json:"finishReason"`
	Text          string            `json:"text"`
	Clarification *chat.Asked       `json:"clarification"`
	Usage         chat.Usage        `json:"usage"`
}

// Say takes a message or an answer and drives the run it starts.
func (h Messages) Say(r *host.Request) error { return h.command(r, decode) }

// Resume makes the newest turn go on, and drives the run that this starts.
func (h Messages) Resume(r *host.Request) error { return h.command(r, decodeResume) }

// command takes what decode reads from the body, and drives the run that it starts.
func (h Messages) command(r *host.Request, decode func([]byte) (*body, error)) error {
	return h.drive(r, func() (host.Begun, prepared, error) { return h.submit(r, decode) })
}

// drive drives the run that submit starts. Small stack: see package smallstack.
func (Messages) drive(r *host.Request, submit func() (host.Begun, prepared, error)) error {
	var begun host.Begun
	var how prepared
	var err error
	smallstack.Run(func() { begun, how, err = submit() })
	switch {
	case err != nil:
		return err
	case how.asJSON:
		return tellOutcome(r, &begun)
	}
	return begun.Stream(func(w *sse.Writer) host.Outlet { return events{how.sink(w), w} })
}

// tellOutcome drives a run and tells its outcome in one response.
func tellOutcome(r *host.Request, begun *host.Begun) error {
	defer begun.Release()
	res, err := begun.ToEnd(nil)
	if err != nil {
		return err
	}
	return r.JSON(outcome{
		ChatID: r.Ref.ChatID, TurnID: res.TurnID, Status: res.Status, FinishReason: res.FinishReason,
		Text: res.Text, Clarification: res.Clarification, Usage: res.Usage,
	})
}

// events is an Outlet for clients that get events unchanged.
type events struct {
	stream.Sink
	w *sse.Writer
}

// Left implements Outlet. It says when to come back.
func (e events) Left(string) error { return e.w.Retry(host.ComeBack()) }

// Whole implements Outlet. It returns 0: a client that follows a chat knows from the events what
// it has.
func (events) Whole() int64 { return 0 }

// submit reads the request and starts its run, or refuses it.
func (h Messages) submit(r *host.Request, decode func([]byte) (*body, error)) (host.Begun, prepared, error) {
	var b *body
	taken, err := h.prepare(r, func(data []byte) (_ *body, err error) {
		b, err = decode(data)
		return b, err
	})
	if err != nil {
		return host.Begun{}, taken, err
	}
	begun, err := r.Begin(turn.Command{
		Message: b.Message, Files: b.Files, Answer: b.Answer, Answers: b.Answers, Resume: b.Resume, Queue: b.Queue,
		IdempotencyKey: taken.key, Hash: b.hash(), LastEventID: b.LastEventID, ClarificationID: b.ClarificationID,
		Interactive: b.Interactive == nil || *b.Interactive,
	}, nil)
	return begun, taken, err
}

// prepared has what a request says about itself, apart from its command.
type prepared struct {
	key    string // idempotency key, "" for none
	asJSON bool
	once   bool // see wantsOnce
}

// sink returns the sink for the caller's events.
func (p *prepared) sink(to stream.Writer) stream.Sink { return nativeSink(to, p.once) }

// prepare reads what a request says about itself and lets decode read the body, or refuses the
// request.
func (h Messages) prepare(r *host.Request, decode func([]byte) (*body, error)) (p prepared, err error) {
	if p.once, err = wantsOnce(r); err != nil {
		return p, err
	}
	if err := r.Admit(); err != nil {
		return p, err
	}
	if p.asJSON, err = wantsJSON(r.HTTP().Header.Values("Accept")); err != nil {
		return p, err
	}
	data, err := r.Body()
	if err != nil {
		return p, err
	}
	b, err := decode(data)
	r.Speak(b.Locale)
	if err != nil {
		return p, err
	}
	p.key, err = host.IdempotencyKey(r, b.IdempotencyKey)
	return p, err
}
