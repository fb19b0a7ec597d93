package adapt

import (
	"context"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/gateway/smallstack"
)

// Asking describes how a client requests one answer.
type Asking struct {
	Server  *upstream.Server
	Request *model.Request
	// Refused is how many requests of another client for this answer were refused. They count
	// towards MaxRequests.
	Refused int
	// Encode writes the request with the changes of n, and describes it. If it returns an error, Ask
	// ends. It is called for each attempt, so that a long history is not kept in memory while the
	// answer is read.
	Encode func(n *Negotiation) ([]byte, Sent, error)
	// Read yields an answer. It returns a failure if it has not yielded a piece yet, and otherwise the
	// error to report; after the end of the answer, it returns nil and nil. It calls n.Accepted when
	// the server begins to answer.
	Read func(ctx context.Context, a *upstream.Answer, n *Negotiation) (*upstream.Failure, error)
	// Again, if not nil, reports whether to send the same request again at once after a failure.
	Again func(*upstream.Failure) bool
}

// Ask sends requests until one is answered. After a refusal it sends a changed request at once; after
// a failure that may pass, it waits and sends the same one. Any other error is yielded.
func (l *Learned) Ask(ctx context.Context, k *Asking, yield func(model.Delta, error) bool) {
	r := k.begin(l)
	for {
		failed, err := r.attempt(ctx)
		if failed != nil {
			smallstack.Run(func() { err = k.failed(ctx, &r.tries, r.n, r.sent, failed) })
			if err == nil {
				continue
			}
		}
		if err != nil {
			over(yield, err)
		}
		return
	}
}

// over yields the error that ends an answer. It is apart from Ask, whose stack stays small (see package
// smallstack).
//
//go:noinline
func over(yield func(model.Delta, error) bool, err error) { yield(model.Delta{}, err) }

// requests are the requests for one answer.
type requests struct {
	*Asking
	tries upstream.Tries
	n     *Negotiation
	sent  Sent // the newest
}

func (k *Asking) begin(l *Learned) *requests {
	r := &requests{Asking: k, tries: k.Server.Tries(), n: l.Begin()}
	r.n.sent = k.Refused
	r.tries.Said = func() []string { return upstream.SaidIn(*k.Request) }
	return r
}

// attempt sends the request and yields the answer. It returns a failure only before the first piece.
func (r *requests) attempt(ctx context.Context) (failed *upstream.Failure, err error) {
	var a *upstream.Answer
	smallstack.Run(func() {
		var body []byte
		if body, r.sent, err = r.Encode(r.n); err == nil {
			a, failed = r.tries.Send(ctx, body)
		}
	})
	if err != nil || failed != nil {
		return failed, err
	}
	defer a.Close()
	return r.Read(ctx, a, r.n)
}

// failed returns nil when it is time for another attempt, or the error to report.
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
