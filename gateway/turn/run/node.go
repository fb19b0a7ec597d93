package run

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/smallstack"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/claims"
	"github.com/askgate/askgate/gateway/turn/history"
	"github.com/askgate/askgate/gateway/turn/metrics"
	"github.com/askgate/askgate/gateway/turn/record"
	"github.com/askgate/askgate/gateway/turn/title"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
)

// Node holds what the runs of one process share.
type Node struct {
	Name      string // identifies the process as the owner of turns
	Store     store.Store
	Hub       stream.Hub
	Executor  *toolexec.Executor
	Text      func(language, id string, data map[string]any) string // returns a localised text by its id
	Metrics   *metrics.Metrics
	Outages   *outage.Group // of models
	Recorder  record.Recorder
	Uploads   *uploads.Keeper
	Titles    *title.Namer
	Claims    *claims.Keeper // of callers' tokens
	Histories *history.Cache // of long chats, between two turns
	// Ending is called when a run has come to its end, and Ended after those who wait for it have been
	// notified.
	Ending, Ended func(*Run)

	Draining atomic.Bool // nothing new begins
	Doubt    atomic.Bool // an update failed, or its effect was not as expected: the store may have turns of this node that no run drives

	mu     sync.Mutex
	unseen map[chat.Ref]string // see Unseen

	seed  maphash.Seed
	lanes [laneCount]Lane
}

// laneCount is how many chats can commit at the same time.
const laneCount = 256

// NewNode returns a node whose exported fields have to be set.
func NewNode() *Node {
	n := &Node{Histories: history.NewCache(), seed: maphash.MakeSeed()}
	for i := range n.lanes {
		n.lanes[i] = make(Lane, 1)
	}
	return n
}

// Lane is a lock. It is held while the store is asked, so it is a channel: in tests, synctest's time
// passes while goroutines wait for a channel, but not while they wait for a Mutex.
type Lane chan struct{}

// Lock waits for the lane and takes it.
func (l Lane) Lock() { l <- struct{}{} }

// Unlock gives the lane back.
func (l Lane) Unlock() { <-l }

// Lane returns the lock that orders what happens to one chat in this process.
func (n *Node) Lane(ref chat.Ref) Lane {
	return n.lanes[maphash.Comparable(n.seed, ref)%laneCount]
}

// Update is one bounded transaction. A lazy one does not wait for the disk. point names it as a
// place at which tests can make the process die.
func (n *Node) Update(ref chat.Ref, point string, lazy bool, fn func(store.Tx) error) error {
	update := n.Store.Update
	if lazy {
		update = n.Store.UpdateLazily
	}
	return n.bounded(ref, point, func(ctx context.Context) error { return update(ctx, ref, fn) })
}

// bounded makes one update of a chat within store.Timeout.
func (n *Node) bounded(ref chat.Ref, point string, update func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	reached(point + ".before")
	var err error
	smallstack.Run(func() { err = update(ctx) })
	if err == nil {
		reached(point + ".after")
	} else if errors.Is(err, store.ErrUnknown) {
		n.Unseen(ref, "")
	} else if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFenced) || errors.Is(err, context.DeadlineExceeded) {
		n.Doubt.Store(true)
	}
	return err
}

// Unseen records that an update of the chat may have been made whose events were not published.
// deleted is the conversation's id if that may have been its deletion, or else "".
func (n *Node) Unseen(ref chat.Ref, deleted string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.unseen == nil {
		n.unseen = map[chat.Ref]string{}
	}
	n.unseen[ref] = cmp.Or(deleted, n.unseen[ref])
	n.Doubt.Store(true)
}

// TakeUnseen returns what Unseen recorded, by chat, and clears it.
func (n *Node) TakeUnseen() map[chat.Ref]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.unseen
	n.unseen = nil
	return taken
}
