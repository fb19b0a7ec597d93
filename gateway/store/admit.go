package store

import (
	"context"
	"errors"
	"fmt"
)

// ErrNotAdmitted is wrapped by the error of Admit, together with the error of the function that
// refused.
var ErrNotAdmitted = errors.New("store: reading is not admitted")

// admission is the context key of the function that Admit calls.
type admission struct{}

// WithAdmission makes reads with ctx call take before they read texts. If take returns an error,
// the read wraps it and reads nothing.
func WithAdmission(ctx context.Context, take func(bytes int64) error) context.Context {
	return context.WithValue(ctx, admission{}, take)
}

// Admit asks whether so many bytes of text may be read with ctx. Implementations count the bytes
// and call it before they read them.
func Admit(ctx context.Context, bytes int64) error {
	if take, ok := ctx.Value(admission{}).(func(int64) error); ok {
		if err := take(bytes); err != nil {
			return fmt.Errorf("%w: %w", ErrNotAdmitted, err)
		}
	}
	return nil
}

// MaxPageBytes is the most bytes of text that a page of clarifications has, unless a single one
// has more.
const MaxPageBytes = 4 << 20

// MaxOpen bounds, in bytes, what waits in a chat, and what waits from one asker for one person or
// one role. A chat keeps as many bytes of drafts again.
const MaxOpen = 4 << 20
