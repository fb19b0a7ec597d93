package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// goodTalks is the minimum number of good conversations that each half of a round times.
	goodTalks = 12
	// longest limits how long an attack lasts, until everything that it began with is answered.
	longest = 30 * time.Second
	// slower limits how much slower a good conversation may be during an attack, and enough is the
	// number of rounds that a verdict needs: with fewer, only memory is judged.
	slower = 2
	enough = 3
)

// alongside runs an attack alongside good conversations, and judges the effect on both. It does so
// in rounds: conversations alone, then as many during the attack. Other load on the machine affects
// both halves of a round alike, and a disturbance affects few rounds: the ratio is the median of
// those of the rounds, each of which compares two medians.
func (e *exhaustion) alongside(ctx context.Context, name string, attack func(context.Context), t table) error {
	before, err := e.life.held()
	if err != nil {
		return err
	}
	e.answers.Clear()
	watched, over := context.WithCancel(ctx)
	defer over()
	var watch sync.WaitGroup
	var peak atomic.Int64
	watch.Go(func() {
		for watched.Err() == nil {
			if now, err := e.life.held(); err == nil {
				peak.Store(max(now, peak.Load()))
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	var alone, during []time.Duration
	var ratios []float64
	var talked error
	for i := 0; i < e.o.rounds && talked == nil; i++ {
		var calm, attacked []time.Duration
		if calm, attacked, talked = e.round(ctx, attack); talked == nil {
			ratios = append(ratios, float64(middle(attacked))/float64(middle(calm)))
		}
		alone, during = append(alone, calm...), append(during, attacked...)
	}
	over()
	watch.Wait()
	after, gone := e.life.held()
	if talked != nil || gone != nil {
		t.row(name, e.answered(), mib(before), mib(peak.Load()), "-", len(during), "-", "-", "-")
		return errors.Join(talked, gone, errors.New(e.cluster.nodes[0].warnings()))
	}
	ratio := middle(ratios)
	t.row(name, e.answered(), mib(before), mib(peak.Load()), mib(after), len(during), rounded(middle(alone)), rounded(middle(during)), fmt.Sprintf("%.2f", ratio))
	switch {
	case peak.Load() > container:
		return fmt.Errorf("%s of memory were taken, %s are available", mib(peak.Load()), mib(container))
	case len(ratios) >= enough && ratio > slower:
		return fmt.Errorf("a good conversation takes %.2f times as long as without it (%s)", ratio, rounded(middle(during)))
	}
	return nil
}

// round times good conversations alone, and then during an attack, which lasts until everything
// that it began with is answered.
func (e *exhaustion) round(ctx context.Context, attack func(context.Context)) (calm, attacked []time.Duration, err error) {
	talks := e.most(goodTalks)
	if calm, err = e.converse(ctx, func(n int) bool { return n < talks }); err != nil {
		return nil, nil, err
	}
	e.asked.Store(0)
	e.done.Store(0)
	attacking, over := context.WithCancel(ctx)
	defer over()
	var all sync.WaitGroup
	all.Go(func() { attack(attacking) })
	for e.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	began, first := time.Now(), e.asked.Load()
	attacked, err = e.converse(ctx, func(n int) bool {
		return n < talks || e.done.Load() < first && time.Since(began) < longest
	})
	over()
	all.Wait()
	return calm, attacked, err
}

// converse times good conversations, each a message followed by reading what is stored, for as long
// as on requires after the given number.
func (e *exhaustion) converse(ctx context.Context, on func(n int) bool) (times []time.Duration, err error) {
	for on(len(times)) {
		began := time.Now()
		chat := fmt.Sprint("good", e.serial.next())
		if err := e.say(ctx, "good", chat, "story"); err != nil {
			return nil, fmt.Errorf("a good conversation: %w", err)
		}
		resp, err := request(ctx, "GET", chatURL(e.life.URL, appTalk, chat), "", "Authorization", "Bearer good")
		if err != nil {
			return nil, fmt.Errorf("reading a good conversation: %w", err)
		}
		_ = resp.Body.Close()
		times = append(times, time.Since(began))
		time.Sleep(pollEvery)
	}
	return times, nil
}

// middle returns the median.
func middle[T float64 | time.Duration](of []T) T { return slices.Sorted(slices.Values(of))[len(of)/2] }

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
