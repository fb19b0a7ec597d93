package turn

import "context"

// SweepFiles is the sweep of files.
func (e *Engine) SweepFiles(ctx context.Context) { e.sweepFiles(ctx) }
