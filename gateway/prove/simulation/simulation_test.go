package simulation

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

func TestMain(m *testing.M) {
	testenv.Clear()
	os.Exit(m.Run())
}

const (
	nodes = 1000
	each  = 20 // turns of a node
	lost  = 50 // nodes, and as many leave

	mostAsked = 1.02             // requests to the model, of those that the turns need; promised are 1.05
	goesOn    = 15 * time.Second // a lost turn, at the latest
	mostWait  = time.Second      // of a call to the store, while others look after lost turns
	mostIdle  = 1                // call to the store a second, of an idle node's engine
	wordEvery = 5 * time.Second  // the pace of the model
)

// TestAFleetGoesThroughSilenceAndLosses: a store that is silent for 10 s, or fails for as long, costs
// at most a few turns another request to the model. When nodes are lost or leave, their turns go on
// within goesOn, each with one more request, and neither the other nodes nor the viewers who come back
// hold up the store. Each viewer sees its whole turn. Idle nodes hardly ask.
func TestAFleetGoesThroughSilenceAndLosses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, nodes)
		for range each {
			for _, n := range f.nodes {
				n.begin(2+rand.N(11), rand.N(2) == 0)
			}
		}
		f.rest("beginnings", time.Second)
		f.line.silence(10*time.Second, false)
		f.rest("silence", 18*time.Second) // after which leases count again
		f.asked("after silence", 0)
		f.line.silence(10*time.Second, true)
		f.rest("errors", 18*time.Second)
		f.asked("after errors", 0)

		gone := time.Now()
		for _, n := range f.nodes[:lost] {
			n.lose()
		}
		for _, n := range f.nodes[lost : 2*lost] {
			f.all.Go(n.leave)
		}
		orphans := f.orphans()
		if _, wait := f.rest("losses", goesOn); wait > mostWait {
			t.Errorf("a call to the store waited %s (limit %s)", wait, mostWait)
		}
		moved := f.moved(orphans, gone)
		for f.running() > 0 && time.Since(gone) < 3*time.Minute {
			f.rest("afterwards", 10*time.Second)
		}
		f.asked("in the end", moved)
		f.complete()
		if calls, _ := f.rest("idle", 10*time.Second); calls > mostIdle*nodes {
			t.Errorf("%d idle nodes make %d calls to the store a second (limit %d)", nodes-2*lost, calls, mostIdle*nodes)
		}
	})
}

// leave ends a node as a restart does, without time for its turns.
func (n *node) leave() {
	now, cancel := context.WithCancel(n.fleet.over)
	cancel()
	n.engine.Shutdown(now)
	n.lose()
}

// rest lets some time pass, and returns the calls to the store in each second of it, and the longest
// wait of one.
func (f *fleet) rest(what string, d time.Duration) (perSecond int, longest time.Duration) {
	f.t.Helper()
	time.Sleep(d)
	synctest.Wait()
	calls, longest := f.line.taken()
	perSecond = int(float64(calls) / d.Seconds())
	f.t.Logf("%s: %d calls to the store a second, the longest waited %s", what, perSecond, longest.Round(time.Millisecond))
	return perSecond, longest
}

// running returns how many viewers have not seen the end of their turn.
func (f *fleet) running() (n int) {
	for _, turn := range f.turns {
		if !turn.viewer.ended {
			n++
		}
	}
	return n
}

// asked fails the test if the model got too many requests: each of the moved turns may have caused one
// more than it needs.
func (f *fleet) asked(when string, moved int) {
	f.t.Helper()
	got, needed := 0, moved
	for _, turn := range f.turns {
		got += int(turn.asked.Load())
		needed += turn.needs()
	}
	f.t.Logf("%s: %d requests to the model for %d that were needed", when, got, needed)
	if float64(got) > mostAsked*float64(needed) {
		f.t.Errorf("%s: more than %.2f requests for each that was needed", when, mostAsked)
	}
}

// orphans returns the turns that run on the nodes that go.
func (f *fleet) orphans() (list []*turned) {
	going := map[*node]bool{}
	for _, n := range f.nodes[:2*lost] {
		going[n] = true
	}
	for _, turn := range f.turns {
		if going[turn.newest.Load().by] && !turn.viewer.ended {
			list = append(list, turn)
		}
	}
	return list
}

// moved fails the test unless all orphans have gone on elsewhere, and returns how many did.
func (f *fleet) moved(orphans []*turned, gone time.Time) (moved int) {
	f.t.Helper()
	still := 0
	var latest time.Duration
	for _, turn := range orphans {
		switch after := turn.newest.Load().at.Sub(gone); {
		case after > 0:
			moved++
			latest = max(latest, after)
		case !turn.viewer.ended:
			still++
		}
	}
	f.t.Logf("%d turns ran on nodes that went; they go on after at most %s", len(orphans), latest.Round(time.Millisecond))
	if still > 0 || moved < lost {
		f.t.Errorf("%d of %d turns do not go on after %s", still, len(orphans), goesOn)
	}
	return moved
}

// complete fails the test unless each viewer saw the whole turn, every event once.
func (f *fleet) complete() {
	f.t.Helper()
	wrong, again := 0, 0
	for i, turn := range f.turns {
		v := &turn.viewer
		again += v.again
		if v.ended && v.text == turn.wants() && len(v.faults) == 0 {
			continue
		}
		if wrong++; wrong <= 10 {
			f.t.Errorf("turn %d: ended: %t, text %q, want %q, faults %q", i, v.ended, v.text, turn.wants(), v.faults)
		}
	}
	f.t.Logf("%d viewers came back; %d viewers saw something else than their turn", again, wrong)
}
