package turn

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
)

// takeOver goes on with turns whose node is dead, as many as there is room for.
func (e *Engine) takeOver(ctx context.Context) {
	e.beginAll(ctx, "abandoned turns", e.Store.Abandoned, func(t *transition) error { return t.takeFrom("") })
}

// maxOwned bounds the turns of one node.
const maxOwned = 100_000

// reconcile goes on with turns of this node that nobody drives: their run could not
// store its end, or the store took a message or an answer and could not say so.
func (e *Engine) reconcile(ctx context.Context) {
	if !e.node.Doubt.Swap(false) {
		return
	}
	refs, err := e.Store.Owned(ctx, e.Node, maxOwned)
	if err != nil {
		e.node.Doubt.Store(true)
		return
	}
	for _, ref := range refs {
		e.beginOne(ref, "orphaned turns", (*transition).takeOrphan)
	}
}

// takeOrphan takes a turn of this node that no run of it drives. The lane is held: what
// was begun is registered.
func (t *transition) takeOrphan() error {
	turn := t.tx.Turn()
	if t.engine.registered(t.tx.Conversation().ID) != nil || turn == nil || turn.LeaseOwner != t.engine.Node {
		return errNothing
	}
	return t.takeFrom(turn.ID)
}

// takeFrom gives a running turn to a new run: the turn with that id, or, for "", one
// that the caller knows to be abandoned.
func (t *transition) takeFrom(turnID string) error {
	turn := t.tx.Turn()
	if turn == nil || turn.State != chat.TurnRunning || turnID != "" && turn.ID != turnID {
		return errNothing
	}
	t.openRun()
	return turn.Move(chat.TurnRunning)
}
