package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// repliesOptions are the options of the replies command.
type repliesOptions struct {
	common
	seeds    int
	seed     int64
	parallel int
	nodes    int
	most     int    // disturbances per seed
	within   int    // commits from one to the next, at most
	scene    string // in the names of the scenes to drive, "" for all
}

// disturbed is one seed: a conversation, and what happened to its commits.
type disturbed struct {
	trial
	plan []disturbance
	hits map[string]int // by kind
}

// replies runs the conversation once per seed on a store whose commits are disturbed, and once on a
// store without disturbances, and compares.
func replies(ctx context.Context, o repliesOptions, out io.Writer) error {
	drive := crashOptions{common: o.common, nodes: o.nodes, scene: o.scene}
	switch {
	case o.store != postgres:
		return errors.New("replies: only the replies of a server can be lost: -store postgres")
	case o.seed < 0 || o.seeds < 1 || o.nodes < 1 || o.parallel < 1 || o.most < 1 || o.within < 1:
		return errors.New("replies: a seed from 0, and at least one of everything else")
	case o.nodes > 1 && o.redis == "":
		return errors.New("replies: scenes wait for texts to be seen on another node: several nodes need -redis")
	case drive.matching() == nil:
		return fmt.Errorf("replies: no scene has %q in its name", o.scene)
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	p.databases.few = true
	calm, err := p.worldWith(ctx, 1, nil, object{"auth": byProxy})
	if err != nil {
		return err
	}
	defer calm.close()
	p.linked = true
	started := time.Now()
	results := make([]disturbed, o.seeds)
	var group sync.WaitGroup
	free := make(chan struct{}, o.parallel)
	for i := range results {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			results[i] = o.try(ctx, p, &drive, calm, o.seed+int64(i))
			if r := &results[i]; r.err != nil && ctx.Err() == nil {
				fmt.Fprintf(out, "seed %d, disturbances %v: %v\n  repeat it: %s\n", r.seed, r.plan, r.err, o.command(r.seed))
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return o.report(out, results, time.Since(started))
}

// command is the command line that repeats one seed.
func (o *repliesOptions) command(seed int64) string {
	s := fmt.Sprintf("go run ./gateway/prove/chaos replies -nodes %d -most %d -within %d -seed %d", o.nodes, o.most, o.within, seed)
	if o.redis != "" {
		s += " -redis $" + redisVariable
	}
	if o.scene != "" {
		s += fmt.Sprintf(" -scene %q", o.scene)
	}
	return s
}

func (o *repliesOptions) try(ctx context.Context, p *plant, drive *crashOptions, calm *world, seed int64) (d disturbed) {
	started := time.Now()
	luck := rand.New(rand.NewPCG(uint64(seed), 1))
	d.seed, d.plan = seed, disturb(o.most, o.within, luck)
	w, err := p.worldWith(ctx, o.nodes, nil, object{"auth": byProxy})
	if err != nil {
		d.err = err
		return d
	}
	defer w.close()
	w.link.begin(d.plan)
	order := drive.matching()
	luck.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, i := range order {
		own := luck.Uint64()
		if err := drive.compare(ctx, scenes[i], fmt.Sprintf("replies%d-%d", seed, i), own, w, calm, &d.trial); err != nil {
			d.err = fmt.Errorf("scene %q: %w", scenes[i].name, err)
			for _, n := range w.nodes {
				d.err = fmt.Errorf("%w\nnode %s warned\n%s", d.err, n.name, n.warnings())
			}
			break
		}
	}
	d.hits, d.took = w.link.happened(), time.Since(started)
	if err := w.failure(); err != nil {
		d.err = errors.Join(d.err, err)
	}
	if d.err == nil {
		d.err = w.audit()
	}
	return d
}

func (o *repliesOptions) report(out io.Writer, results []disturbed, took time.Duration) error {
	good, resets, allowed, interrupted := 0, 0, 0, 0
	planned, happened, failed := map[string]int{}, map[string]int{}, map[string]int{}
	var longest time.Duration
	for i := range results {
		r := &results[i]
		if r.err == nil {
			good++
		}
		resets, allowed, interrupted = resets+r.resets, allowed+r.allowed, interrupted+r.interrupted
		longest = max(longest, r.took)
		for _, d := range r.plan {
			planned[d.kind]++
		}
		for kind, n := range r.hits {
			happened[kind] += n
			if r.err != nil {
				failed[kind] += n
			}
		}
	}
	w := newTable(out, "disturbance", "planned", "happened", "in failed seeds")
	for _, kind := range slices.Compact(slices.Sorted(slices.Values(disturbances))) {
		w.row(kind, planned[kind], happened[kind], failed[kind])
	}
	w.end()
	w = newTable(out, "store", "nodes", "redis", "seeds", "as undisturbed", "step.restart seen", "allowed calls", "interrupted", "longest seed", "time")
	w.row(o.store, o.nodes, o.redis != "", len(results), good, resets, allowed, interrupted, longest.Round(time.Second), took.Round(time.Second))
	w.end()
	if good < len(results) {
		return fmt.Errorf("replies: %d of %d seeds differ", len(results)-good, len(results))
	}
	return nil
}
