package follow_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// network connects the hubs of nodes: what one of them records reaches the others later, and stays
// for those that ask for it, as in package redishub.
type network struct {
	mu      sync.Mutex
	luck    *rand.Rand
	entries []stream.Batch // of the one topic
	nodes   []*node
	lossy   bool // some batches get lost on their way
}

// some is a random time below d, often none.
func (n *network) some(d time.Duration) time.Duration {
	if n.pick(3) == 0 {
		return 0
	}
	return time.Duration(n.pick(int(d)))
}

func (n *network) pick(of int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.luck.IntN(of)
}

// perm returns the numbers below of, in random order.
func (n *network) perm(of int) []int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.luck.Perm(of)
}

func (n *network) history() []stream.Batch {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.entries)
}

func (n *network) deliver(b stream.Batch) {
	if n.lossy && n.pick(10) == 0 {
		return
	}
	n.mu.Lock()
	if k := len(n.entries); k > 0 && !n.entries[k-1].Last.Less(b.Last) {
		n.mu.Unlock()
		return // as Redis refuses it
	}
	n.entries = append(n.entries, b)
	nodes := slices.Clone(n.nodes)
	n.mu.Unlock()
	for _, of := range nodes {
		of.mu.Lock()
		m := of.mirror
		of.mu.Unlock()
		if m != nil {
			m.Append(b)
		}
	}
}

// node is the hub of one process.
type node struct {
	*stream.Local
	net    *network
	life   context.Context //nolint:containedctx // of the process
	die    context.CancelFunc
	mu     sync.Mutex
	mirror *stream.Mirror
	refs   int
}

// start replaces the process of the i-th node.
func (n *network) start(i int) {
	life, die := context.WithCancel(context.Background())
	n.mu.Lock()
	defer n.mu.Unlock()
	if old := n.nodes[i]; old != nil {
		old.die()
	}
	n.nodes[i] = &node{Local: stream.NewLocal(), net: n, life: life, die: die}
}

func (n *network) at(i int) *node {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.nodes[i]
}

func (n *node) Complete() bool { return true }

func (n *node) Follow(topic string) stream.Follower {
	if topic == stream.Beginning(ref) { // nodes do not report these here: a viewer that waits for the chat polls
		return n.Local.Follow(topic)
	}
	n.mu.Lock()
	first := n.refs == 0
	n.refs++
	if first {
		var m *stream.Mirror
		m = n.Local.Mirror(topic, func() { go n.repair(m) })
		m.Forget()
		n.mirror = m
	}
	m := n.mirror
	n.mu.Unlock()
	if first {
		time.Sleep(n.net.some(20 * time.Millisecond))
		m.Extend(m.Forgets(), n.net.history(), false)
	}
	return &following{n.Local.Follow(topic), n}
}

func (n *node) repair(m *stream.Mirror) {
	for i, pause := range []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond} {
		time.Sleep(pause)
		if m.Extend(m.Forgets(), n.net.history(), i < 2) {
			return
		}
	}
}

type following struct {
	stream.Follower
	node *node
}

func (f *following) Close() {
	f.Follower.Close()
	f.node.mu.Lock()
	defer f.node.mu.Unlock()
	if f.node.refs--; f.node.refs == 0 {
		f.node.mirror.Close()
		f.node.mirror = nil
	}
}

// shipped is the log of a run, which the other nodes receive later.
type shipped struct {
	stream.Log
	after chat.EventID
	out   chan stream.Batch
}

func (n *node) Record(topic string, after chat.EventID, stop func()) stream.Log {
	l := &shipped{n.Local.Record(topic, after, stop), after, make(chan stream.Batch, 1000)}
	slow := n.net.pick(3) == 0
	go func() {
		for b := range l.out {
			if slow {
				time.Sleep(n.net.some(300 * time.Millisecond))
			}
			if n.life.Err() == nil {
				n.net.deliver(b)
			}
		}
	}()
	return l
}

func (l *shipped) Append(b stream.Batch) {
	var kept stream.Events
	_ = kept.Write(b.Events)
	b.Events = kept
	l.Log.Append(b)
	if b.First.Seq == 1 {
		b.After = l.after
	}
	l.out <- b
}

func (l *shipped) Close() {
	l.Log.Close()
	close(l.out)
}

// slow is a store whose responses take a while to arrive.
type slow struct {
	store.Store
	net *network
}

func (s *slow) late() { time.Sleep(s.net.some(40 * time.Millisecond)) }

func (s *slow) Conversation(ctx context.Context, of chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	defer s.late()
	return s.Store.Conversation(ctx, of)
}

func (s *slow) View(ctx context.Context, of chat.Ref) (*store.View, error) {
	defer s.late()
	return s.Store.View(ctx, of)
}

func (s *slow) ViewPart(ctx context.Context, of chat.Ref, part store.Part) (*store.View, error) {
	defer s.late()
	return s.Store.ViewPart(ctx, of, part)
}

func (s *slow) Run(ctx context.Context, conversationID string, fence int64) (chat.Run, error) {
	defer s.late()
	return s.Store.Run(ctx, conversationID, fence)
}
