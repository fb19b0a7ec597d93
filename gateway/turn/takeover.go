package turn

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// takeOverLimit is how many turns a node takes over each second. These need no place among the other
// runs without a request: a long turn must not keep an abandoned one waiting.
const takeOverLimit = 100

// takeOver goes on with turns whose node is dead.
func (s *sweeper) takeOver(ctx context.Context) {
	if s.engine.node.Draining.Load() {
		return
	}
	refs, err := s.engine.Store.Due().Abandoned(ctx, s.engine.Node, leaseTTL, maxOwned)
	if err != nil {
		s.engine.Log.Warn("cannot list abandoned turns", "error", err)
		return
	}
	rand.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] }) // other nodes do this at the same time
	for _, ref := range refs[:min(len(refs), takeOverLimit)] {
		r, err := s.engine.begin(ref, (*transition).takeAbandoned)
		switch {
		case err != nil:
			s.engine.Log.Warn("cannot take over an abandoned turn", "app", ref.App, "chatId", ref.ChatID, "error", err)
			if errors.Is(err, store.ErrUnavailable) {
				return
			}
		case r != nil:
			go r.Drive(nil)
		}
	}
}

// takeAbandoned takes a turn whose node is dead, unless the node has come back since the turn was
// listed.
func (t *transition) takeAbandoned() error {
	abandoned, err := t.tx.Abandoned(t.engine.Node, leaseTTL)
	if err != nil {
		return err
	}
	if !abandoned {
		return errNothing
	}
	return t.takeFrom("")
}

// maxOwned bounds the turns of one node.
const maxOwned = 100_000

// reconcile continues turns of this node that no run drives: their run could not store its end,
// or the store took a message or an answer but could not confirm it.
func (s *sweeper) reconcile(ctx context.Context) {
	if !s.engine.node.Doubt.Swap(false) {
		return
	}
	refs, err := s.engine.Store.Due().Owned(ctx, s.engine.Node, maxOwned)
	if err != nil {
		s.engine.node.Doubt.Store(true)
		return
	}
	for _, ref := range refs {
		s.engine.beginOne(ref, "orphaned turns", (*transition).takeOrphan)
	}
	for ref, deleted := range s.engine.node.TakeUnseen() {
		if err := s.show(ctx, ref, deleted); err != nil {
			s.engine.node.Unseen(ref, deleted)
		}
	}
}

// show publishes the stored state of a chat to its viewers after an update that may have been made
// without publishing its events; deleted is the chat's id if that update may have been its deletion.
// With several nodes, viewers read the store themselves, and viewers of a run get what they missed
// when the next one begins.
func (s *sweeper) show(ctx context.Context, ref chat.Ref, deleted string) error {
	if s.engine.Shared {
		return nil
	}
	lane := s.engine.node.Lane(ref)
	lane.Lock()
	defer lane.Unlock()
	head, _, err := s.engine.Store.Conversation(ctx, ref)
	switch {
	case errors.Is(err, store.ErrNotFound):
		if deleted != "" {
			s.engine.Hub.Erase(deleted)
		}
		return nil
	case err != nil:
		return err
	case s.engine.runs.registered(head.ID) == nil:
		s.engine.Hub.Record(head.ID, head.LastEvent, nil).Close()
	}
	return nil
}

// takeOrphan takes a turn that this node owns but no run drives.
func (t *transition) takeOrphan() error {
	turn := t.tx.Turn()
	if turn == nil || turn.LeaseOwner != t.engine.Node {
		return errNothing
	}
	return t.takeFrom(turn.ID)
}

// takeFrom gives a running turn to a new run: the turn with that id or, for "", one that the caller
// knows to be abandoned. It never takes a turn that a run of this node drives: the lane is held, so
// each run that has begun is registered.
func (t *transition) takeFrom(turnID string) error {
	turn := t.tx.Turn()
	if turn == nil || turn.State != chat.TurnRunning || turnID != "" && turn.ID != turnID ||
		t.engine.runs.registered(t.tx.Conversation().ID) != nil {
		return errNothing
	}
	t.openRun()
	return turn.Move(chat.TurnRunning)
}
