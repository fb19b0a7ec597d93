package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// final is an error that another try would only repeat.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// passing says whether what failed with err may succeed later: the gateway could not be
// reached, is restarting, or has too much to do.
func passing(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p.Status >= 500 || p.Status == http.StatusTooManyRequests || p.Status == http.StatusRequestTimeout || p.Status == http.StatusTooEarly
	}
	var untrusted *tls.CertificateVerificationError
	var invalid x509.CertificateInvalidError
	var noTLS tls.RecordHeaderError
	if errors.As(err, &final{}) || errors.As(err, &untrusted) || errors.As(err, &invalid) || errors.As(err, &noTLS) {
		return false
	}
	// net/http has no types for these: what listens there speaks another protocol.
	return !strings.Contains(err.Error(), "malformed HTTP") && !strings.Contains(err.Error(), "HTTP response to HTTPS client")
}

// unsent says that a request did not reach the gateway: nothing can have come of it.
func unsent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// pauses are those between tries: jittered, each longer than the one before.
func pauses() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.Multiplier, b.MaxInterval = 200*time.Millisecond, 2, 5*time.Second
	return b
}

// retry makes a call until it succeeds, is refused, or patience is at an end; 0: never.
func (c *Client) retry(ctx context.Context, patience time.Duration, r request) error {
	return c.until(ctx, patience, func(ctx context.Context) error { return c.once(ctx, r) })
}

// lastTry is how long before the end of its patience a call is tried for the last time.
const lastTry = 500 * time.Millisecond

var errPatience = errors.New("it does not reply")

func (c *Client) until(ctx context.Context, patience time.Duration, try func(context.Context) error) error {
	trying := ctx
	if patience > 0 {
		var cancel context.CancelFunc
		trying, cancel = context.WithTimeoutCause(ctx, patience, errPatience)
		defer cancel()
	}
	pause, trouble, begun := pauses(), error(nil), time.Now()
	for {
		err := try(trying)
		switch {
		case err == nil:
			if trouble != nil {
				c.tell(nil)
			}
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !passing(err):
			return err
		}
		if trouble == nil || !errors.Is(err, errPatience) {
			trouble = err
		}
		wait := max(pause.NextBackOff(), retryAfter(err))
		if end, limited := trying.Deadline(); limited && patience > 0 {
			left := time.Until(end) - lastTry
			if left <= 0 || retryAfter(err) > left {
				return c.unreached(trouble, time.Since(begun))
			}
			wait = min(wait, left)
		}
		c.tell(err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// unreached says that the gateway could not be reached; a refusal speaks for itself.
func (c *Client) unreached(err error, tried time.Duration) error {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return err
	}
	return unreached{fmt.Errorf("the gateway at %s cannot be reached, tried for %v: %w", c.base.Redacted(), tried.Round(time.Second), Reason(err))}
}

// Reason returns why a request failed, without the method and address that Go's client puts before it.
func Reason(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	if of, ok := errors.AsType[*net.OpError](err); ok && of.Err != nil {
		err = of.Err
	}
	if of, ok := errors.AsType[*os.SyscallError](err); ok {
		err = of.Err
	}
	return err
}

// ErrUnreached is matched by the error of a call that could not reach the gateway within
// Options.Patience.
var ErrUnreached = errors.New("the gateway cannot be reached")

type unreached struct{ error }

func (u unreached) Unwrap() error { return u.error }

func (unreached) Is(target error) bool { return target == ErrUnreached }

func retryAfter(err error) time.Duration {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p.RetryAfter
	}
	return 0
}

func (c *Client) tell(err error) {
	if c.options.Trouble != nil {
		c.options.Trouble(err)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
