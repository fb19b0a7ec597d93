package adapt

import (
	"context"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/smallstack"
)

// Asking is how a client asks its server for one answer.
type Asking struct {
	Server  *upstream.Server
	Request *model.Request
	// Refused is how many requests for this answer another client has sent in vain: they count
	// towards MaxRequests.
	Refused int
	// Encode writes the request as n has it, and describes it. Its error ends the asking. It is
	// called for each attempt, so that a long history's bytes are not held while the answer is read.
	Encode func(n *Negotiation) ([]byte, Sent, error)
	// Read hands an answer on. It returns a failure while no piece of the answer has been handed on,
	// else the error to report; nil and nil where it has handed on the end. It calls n.Accepted when
	// the server begins to answer.
	Read func(ctx context.Context, a *upstream.Answer, n *Negotiation) (*upstream.Failure, error)
	// Again says that the same request is sent once more at once after a failure. Optional.
	Again func(*upstream.Failure) bool
}

// Ask sends requests until one is answered: at once one that differs in what the server refused,
// and after a while the same one where the failure may pass. What fails for good is yielded.
func (l *Learned) Ask(ctx context.Context, k *Asking, yield func(model.Delta, error) bool) {
	n, tries := l.Begin(), k.Server.Tries()
	n.sent = k.Refused
	tries.Said = func() []string { return upstream.SaidIn(*k.Request) }
	for {
		sent, failed, err := k.attempt(ctx, &tries, n)
		if failed != nil {
			smallstack.Run(func() { err = k.failed(ctx, &tries, n, sent, failed) })
			if err == nil {
				continue
			}
		}
		if err != nil {
			yield(model.Delta{}, err)
		}
		return
	}
}

// attempt sends the request and hands the answer on. It fails only before the first piece of it.
func (k *Asking) attempt(ctx context.Context, tries *upstream.Tries, n *Negotiation) (sent Sent, failed *upstream.Failure, err error) {
	var a *upstream.Answer
	smallstack.Run(func() {
		var body []byte
		if body, sent, err = k.Encode(n); err == nil {
			a, failed = tries.Send(ctx, body)
		}
	})
	if err != nil || failed != nil {
		return sent, failed, err
	}
	defer a.Close()
	failed, err = k.Read(ctx, a, n)
	return sent, failed, err
}

// failed returns nil when it is time for another attempt.
func (k *Asking) failed(ctx context.Context, tries *upstream.Tries, n *Negotiation, sent Sent, failed *upstream.Failure) error {
	if ctx.Err() == nil {
		if k.Again != nil && k.Again(failed) {
			return nil
		}
		if sent.Said = tries.Said(); n.Refused(failed, sent) {
			tries.Note(failed)
			return nil
		}
	}
	return tries.Wait(ctx, failed)
}
