package turn

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// takeOverLimit is how many turns a node takes over each second. They run beside those that
// no request drives: a long turn must not keep an abandoned one waiting.
const takeOverLimit = 100

// takeOver goes on with turns whose node is dead.
func (s *sweeper) takeOver(ctx context.Context) {
	if s.engine.node.Draining.Load() {
		return
	}
	refs, err := s.engine.Store.Due().Abandoned(ctx, s.engine.Node, leaseTTL, maxOwned)
	if err != nil {
		s.engine.Log.Warn("abandoned turns not read", "error", err)
		return
	}
	rand.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] }) // other nodes do so at the same time
	for _, ref := range refs[:min(len(refs), takeOverLimit)] {
		r, err := s.engine.begin(ref, (*transition).takeAbandoned)
		switch {
		case err != nil:
			s.engine.Log.Warn("abandoned turn not taken over", "app", ref.App, "chatId", ref.ChatID, "error", err)
			if errors.Is(err, store.ErrUnavailable) {
				return
			}
		case r != nil:
			go r.Drive(nil)
		}
	}
}

// takeAbandoned takes a turn whose node is dead. Since it was listed, the node may have come back.
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

// reconcile goes on with turns of this node that nobody drives: their run could not
// store its end, or the store took a message or an answer and could not say so.
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

// show has those who look on at a chat see what is stored of it: an update may have been made
// whose events were not published; deleted is the chat's id where that may have been its deletion.
// Viewers of several nodes look into the store by themselves, and those of a run get what is
// missing as it begins.
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

// takeOrphan takes a turn of this node that no run of it drives.
func (t *transition) takeOrphan() error {
	turn := t.tx.Turn()
	if turn == nil || turn.LeaseOwner != t.engine.Node {
		return errNothing
	}
	return t.takeFrom(turn.ID)
}

// takeFrom gives a running turn to a new run: the turn with that id, or, for "", one
// that the caller knows to be abandoned. Never one that a run of this node drives: the lane is
// held, so what was begun is registered.
func (t *transition) takeFrom(turnID string) error {
	turn := t.tx.Turn()
	if turn == nil || turn.State != chat.TurnRunning || turnID != "" && turn.ID != turnID ||
		t.engine.runs.registered(t.tx.Conversation().ID) != nil {
		return errNothing
	}
	t.openRun()
	return turn.Move(chat.TurnRunning)
}
