package run

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn/metrics"
	"github.com/askgate/askgate/gateway/turn/record"
	"github.com/askgate/askgate/gateway/turn/title"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/toolexec"
)

// Node is what the runs of one process share.
type Node struct {
	Name     string // of the process, as the owner of turns
	Store    store.Store
	Hub      stream.Hub
	Executor *toolexec.Executor
	Text     func(language, id string, data map[string]any) string // a localised text by its id
	Metrics  *metrics.Metrics
	Recorder record.Recorder
	Uploads  *uploads.Keeper
	Titles   *title.Namer
	// Ending is told that a run has come to its end, and Ended that whoever waited for it knows.
	Ending, Ended func(*Run)

	Draining atomic.Bool // nothing new begins
	Doubt    atomic.Bool // an update failed, or what it changed was not as expected: the store may have turns of this node that nobody drives

	mu     sync.Mutex
	unseen map[chat.Ref]string // see Unseen

	seed  maphash.Seed
	lanes [laneCount]sync.Mutex
}

// laneCount is how many chats can commit at the same time.
const laneCount = 256

// NewNode is a node, but for its exported fields.
func NewNode() *Node { return &Node{seed: maphash.MakeSeed()} }

// Lane orders what happens to one chat in this process.
func (n *Node) Lane(ref chat.Ref) *sync.Mutex {
	return &n.lanes[maphash.Comparable(n.seed, ref)%laneCount]
}

// Update is one bounded transaction. A lazy one does not wait for the disk. point names
// it as a place at which tests make the process die.
func (n *Node) Update(ref chat.Ref, point string, lazy bool, fn func(store.Tx) error) error {
	update := n.Store.Update
	if lazy {
		update = n.Store.UpdateLazily
	}
	return n.bounded(ref, point, func(ctx context.Context) error { return update(ctx, ref, fn) })
}

// bounded makes one update of a chat.
func (n *Node) bounded(ref chat.Ref, point string, update func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	reached(point + ".before")
	err := update(ctx)
	if err == nil {
		reached(point + ".after")
	} else if errors.Is(err, store.ErrUnknown) {
		n.Unseen(ref, "")
	} else if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFenced) || errors.Is(err, context.DeadlineExceeded) {
		n.Doubt.Store(true)
	}
	return err
}

// Unseen notes that an update of the chat may have been made whose events nobody has published.
// deleted is the conversation's id where that may have been its deletion, else "".
func (n *Node) Unseen(ref chat.Ref, deleted string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.unseen == nil {
		n.unseen = map[chat.Ref]string{}
	}
	n.unseen[ref] = cmp.Or(deleted, n.unseen[ref])
	n.Doubt.Store(true)
}

// TakeUnseen returns what Unseen noted, by chat, and forgets it.
func (n *Node) TakeUnseen() map[chat.Ref]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.unseen
	n.unseen = nil
	return taken
}
