package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"
)

// points are the crash points of a gateway that is built with them: before and after each commit to
// the store, and between commits.
var points = []string{
	"message.before", "message.after", "request.before", "chunk", "step.before", "step.after",
	"tool.started.before", "tool.started.after", "result.before", "result.after",
	"clarification.before", "clarification.after", "event.before", "event.after",
	"answer.before", "answer.after", "begin.before", "begin.after", "resume.before", "end.before", "end.after",
	"recall.before", "recall.after", "revoke.before", "revoke.after", "resumed.before", "resumed.after",
	"fork.before", "fork.after", "unqueued.before", "unqueued.after", "now.before", "now.after", "answer.deleted.before", "answer.deleted.after",
}

// moments are the moments at which this command kills.
var moments = []string{atRequest, atEvent, atPost}

// passed is how often a point or moment is passed while the scenes run.
var passed = map[string]int{
	"message.before": 20, "message.after": 20, "request.before": 20, "chunk": 200, "step.before": 10, "step.after": 10,
	"tool.started.before": 4, "tool.started.after": 4, "result.before": 12, "result.after": 12,
	"clarification.before": 8, "clarification.after": 8, "event.before": 8, "event.after": 8,
	"answer.before": 10, "answer.after": 10, "begin.before": 2, "begin.after": 2, "resume.before": 6, "end.before": 12, "end.after": 12,
	"recall.before": 5, "recall.after": 5, "revoke.before": 1, "revoke.after": 1, "resumed.before": 3, "resumed.after": 3,
	"fork.before": 2, "fork.after": 2, "unqueued.before": 1, "unqueued.after": 1, "answer.deleted.before": 1, "answer.deleted.after": 1, "now.before": 2, "now.after": 1,
	atRequest: 20, atEvent: 250, atPost: 30,
}

// passedByScene is about how often one scene passes a point.
const passedByScene = 3

// maxLate limits how long after a moment the process is killed.
const maxLate = 20 * time.Millisecond

// crashOptions are the options of the crash command.
type crashOptions struct {
	common
	seeds    int
	seed     int64
	parallel int
	nodes    int
	points   []string
	scene    string // in the names of the scenes to drive, "" for all
}

// trial is one seed: a conversation, and the crashes in it.
type trial struct {
	seed   int64
	plan   []crash
	hits   []crash
	took   time.Duration
	resets int // step.restart seen by viewers
	err    error
	// Calls that a person allowed, and those of them that were interrupted.
	allowed, interrupted int
}

// plan contains the crashes of a seed: the first by its turn, up to two more at random.
func (o *crashOptions) plan(seed int64, luck *rand.Rand) []crash {
	at := o.points[int(seed)%len(o.points)]
	var plan []crash
	for {
		most := passed[at] / (len(plan) + 1) // less is left for the later ones
		if o.scene != "" {
			most = min(most, passedByScene*len(o.matching()))
		}
		c := crash{at: at, n: 1 + luck.IntN(max(1, most))}
		if !c.injected() {
			c.after = time.Duration(luck.Int64N(int64(maxLate))).Round(10 * time.Microsecond)
		}
		plan = append(plan, c)
		if len(plan) == 3 || luck.IntN(2) == 0 {
			return plan
		}
		at = o.points[luck.IntN(len(o.points))]
	}
}

// crashes runs the conversation once per seed with the crashes of its plan, and once without, and
// reports.
func crashes(ctx context.Context, o crashOptions, out io.Writer) error {
	if o.seed < 0 || o.seeds < 1 || o.nodes < 1 || o.nodes > 1 && o.store == sqlite {
		return errors.New("crash: a seed from 0, at least one of them, and one node where the store is SQLite")
	}
	if o.matching() == nil {
		return fmt.Errorf("crash: no scene has %q in its name", o.scene)
	}
	p, err := newPlant(ctx, o.common)
	if err != nil {
		return err
	}
	defer p.close()
	p.databases.few = true
	calm, err := p.worldWith(ctx, o.nodes, nil, object{"auth": byProxy})
	if err != nil {
		return err
	}
	defer calm.close()

	trials := make([]trial, o.seeds)
	started := time.Now()
	var group sync.WaitGroup
	free := make(chan struct{}, o.parallel)
	for i := range trials {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			trials[i] = o.try(ctx, p, calm, o.seed+int64(i))
			if err := trials[i].err; err != nil && ctx.Err() == nil {
				fmt.Fprintf(out, "seed %d, crashes %v: %v\n  repeat it: %s\n", trials[i].seed, trials[i].plan, err, o.command(trials[i].seed))
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return o.report(out, trials, time.Since(started))
}

// command is the command line that repeats one seed.
func (o *crashOptions) command(seed int64) string {
	s := fmt.Sprintf("go run ./gateway/prove/chaos crash -store %s -nodes %d -seed %d", o.store, o.nodes, seed)
	if o.redis != "" {
		s += " -redis $" + redisVariable
	}
	if o.scene != "" {
		s += fmt.Sprintf(" -scene %q", o.scene)
	}
	if !slices.Equal(o.points, append(slices.Clone(points), moments...)) {
		s += " -points " + strings.Join(o.points, ",")
	}
	return s
}

// matching returns the scenes to run, by their indexes.
func (o *crashOptions) matching() []int {
	var list []int
	for i, s := range scenes {
		if strings.Contains(s.name, o.scene) {
			list = append(list, i)
		}
	}
	return list
}

func (o *crashOptions) try(ctx context.Context, p *plant, calm *world, seed int64) (t trial) {
	started := time.Now()
	luck := rand.New(rand.NewPCG(uint64(seed), 0))
	t = trial{seed: seed, plan: o.plan(seed, luck)}
	w, err := p.worldWith(ctx, o.nodes, t.plan, object{"auth": byProxy})
	if err != nil {
		t.err = err
		return t
	}
	defer w.close()
	order := o.matching()
	luck.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, i := range order {
		s := scenes[i]
		own := luck.Uint64()
		name := fmt.Sprintf("seed%d-%d", seed, i)
		if err := o.compare(ctx, s, name, own, w, calm, &t); err != nil {
			t.err = fmt.Errorf("scene %q: %w", s.name, err)
			break
		}
	}
	t.hits, t.took = w.happened(), time.Since(started)
	if err := w.failure(); err != nil {
		t.err = errors.Join(t.err, err)
	}
	if t.err == nil {
		t.err = w.audit()
	}
	return t
}

// compare runs a scene with and without process crashes.
func (o *crashOptions) compare(ctx context.Context, s scene, name string, luck uint64, w, calm *world, t *trial) error {
	pictures, records := make([]picture, 2), make([][]string, 2)
	for i, world := range []*world{w, calm} {
		began, talk := time.Now(), world.talk(ctx, s.app, name)
		err := s.drive(talk, rand.New(rand.NewPCG(luck, 0)))
		if world == w {
			t.resets += talk.viewer.restarts
		}
		var shot *snapshot
		if err == nil {
			err = wait(ctx, "a last look", func(ctx context.Context) (ok bool, err error) {
				if shot, err = talk.look(ctx); err != nil {
					return false, err
				}
				records[i], err = talk.recorded(ctx, began)
				return err == nil, err
			})
		}
		talk.end()
		if err != nil {
			if world == calm {
				return fmt.Errorf("without any crash: %w", err)
			}
			return err
		}
		pictures[i] = shot.picture()
	}
	if got, want := pictures[0].Used, pictures[1].Used; got != want {
		return fmt.Errorf("%d questions asked, want %d", got, want)
	}
	if d := differs(pictures[0], pictures[1], false); d != "" {
		return fmt.Errorf("the transcript is not the uncrashed one: %s", d)
	}
	if !slices.Equal(records[0], records[1]) {
		return fmt.Errorf("the audit is not the uncrashed one: %q, want %q", records[0], records[1])
	}
	allowed, interrupted, err := w.ran(pictures[0])
	t.allowed, t.interrupted = t.allowed+allowed, t.interrupted+interrupted
	return err
}

func (o *crashOptions) report(out io.Writer, trials []trial, took time.Duration) error {
	good, hits, resets, allowed, interrupted := 0, 0, 0, 0, 0
	planned, happened, failed := map[string]int{}, map[string]int{}, map[string]int{}
	for _, t := range trials {
		if t.err == nil {
			good++
		}
		hits += len(t.hits)
		resets += t.resets
		allowed, interrupted = allowed+t.allowed, interrupted+t.interrupted
		for _, c := range t.plan {
			planned[c.at]++
		}
		for _, c := range t.hits {
			happened[c.at]++
			if t.err != nil {
				failed[c.at]++
			}
		}
	}
	w := newTable(out, "crash at", "planned", "happened", "in failed seeds")
	for _, at := range o.points {
		w.row(at, planned[at], happened[at], failed[at])
	}
	w.end()
	w = newTable(out, "store", "nodes", "redis", "seeds", "passed", "crashes", "step.restart seen", "allowed calls", "interrupted", "time")
	w.row(o.store, o.nodes, o.redis != "", len(trials), good, hits, resets, allowed, interrupted, took.Round(time.Second))
	w.end()
	if good < len(trials) {
		return fmt.Errorf("crash: %d of %d seeds failed", len(trials)-good, len(trials))
	}
	return nil
}
