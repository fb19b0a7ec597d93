package store

import (
	"context"
	"errors"
	"fmt"
)

// ErrNotAdmitted is wrapped by what Admit returns, beside the error of what it asked.
var ErrNotAdmitted = errors.New("store: reading is not admitted")

// admission is the key of what Admit asks.
type admission struct{}

// WithAdmission has reads with ctx ask take before they read texts: its error is wrapped, and
// nothing is read.
func WithAdmission(ctx context.Context, take func(bytes int64) error) context.Context {
	return context.WithValue(ctx, admission{}, take)
}

// Admit asks whether so many bytes of text may be read with ctx. Implementations call it with
// what they have counted, before they read it.
func Admit(ctx context.Context, bytes int64) error {
	if take, ok := ctx.Value(admission{}).(func(int64) error); ok {
		if err := take(bytes); err != nil {
			return fmt.Errorf("%w: %w", ErrNotAdmitted, err)
		}
	}
	return nil
}

// MaxPageBytes is how many bytes of text a page of clarifications has at most, unless one alone
// has more.
const MaxPageBytes = 4 << 20

// MaxOpen bounds in bytes what waits in a chat, and what waits of an asker for one person or one
// role. Of drafts, a chat keeps as many bytes again.
const MaxOpen = 4 << 20
