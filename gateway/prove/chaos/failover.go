package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// failoverOptions are the options of the failover command.
type failoverOptions struct {
	common
	rounds int
}

// failover kills the node that has accepted an answer before it continues, and measures when the
// turn's next text reaches a viewer of another node. The question is asked on A, seen on C,
// answered on A, which dies; the client repeats its answer on B.
func failover(ctx context.Context, o failoverOptions, out io.Writer) error {
	if o.store == sqlite {
		return errors.New("failover: several nodes need -store postgres")
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	w, err := p.world(ctx, 3, slices.Repeat([]crash{{at: "answer.after", n: 1}}, o.rounds))
	if err != nil {
		return err
	}
	defer w.close()
	var times []time.Duration
	for round := range o.rounds {
		took, err := o.round(ctx, w, round)
		if err != nil {
			return fmt.Errorf("failover: round %d: %w", round, errors.Join(err, w.failure()))
		}
		times = append(times, took)
	}
	slices.Sort(times)
	t := newTable(out, "store", "redis", "rounds", "p50", "p99", "most")
	t.row(o.store, o.redis != "", len(times), quantile(times, 0.50), quantile(times, 0.99), times[len(times)-1])
	t.end()
	return nil
}

// quantile returns the text of a quantile of sorted times.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))].Round(10 * time.Microsecond)
}

func (o *failoverOptions) round(ctx context.Context, w *world, round int) (time.Duration, error) {
	if err := wait(ctx, "A is up", func(ctx context.Context) (bool, error) { return w.nodes[0].url() != "", nil }); err != nil {
		return 0, err
	}
	talk := w.talk(ctx, appTalk, fmt.Sprintf("failover%d", round))
	defer talk.end()
	if err := talk.begins("compute", "awaiting_input", 1); err != nil {
		return 0, err
	}
	talk.viewer.expectText()
	if err := talk.answer(talk.call(1, 0, 1), object{"value": "Ada"}); err != nil {
		return 0, err
	}
	if err := talk.settle("idle", 0); err != nil {
		return 0, err
	}
	if talk.broke.IsZero() {
		return 0, errors.New("the answer was taken, and the node did not die of it")
	}
	return talk.viewer.textAt().Sub(talk.broke), nil
}
