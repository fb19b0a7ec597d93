package prompt

import (
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/toolexec"
)

// The basis of a turn is what its prompts begin with, apart from the configuration. The first
// request of the turn determines it, and the commit of the step that answers the request stores it.
// So a request after an answer begins with the same bytes as the one that asked: prompt caches hit,
// and signed reasoning stays valid. Providers reject such reasoning as soon as a single byte before
// it has changed.

// settle fixes the basis before the first request of a run: the stored one, or else one of the
// current state.
func (b *Builder) settle() {
	if b.basis == nil {
		b.basis = &chat.Basis{
			TurnID: b.Turn.ID, Language: b.Turn.Language, Interactive: b.Turn.Interactive,
		}
		kept := b.Catalog.Keep(b.App.ID, b.basis.Language, b.basis.Interactive)
		b.basis.Families, b.basis.Tools = kept.Families, kept.Tools
		b.basis.Values = b.values(b.basis.Language)
		b.basis.Words, b.basis.Keys = b.remembered()
	} else if b.deleted() {
		b.basis.Words, b.basis.Keys = b.remembered()
		b.stored = false
	}
	b.settled = true
	b.fillIn()
}

// deleted reports whether remembered words with which the turn began have been deleted since. A
// deletion takes effect at once, even though the beginning of the prompt changes; new or reworded
// ones wait for the next turn.
func (b *Builder) deleted() bool {
	if len(b.basis.Keys) == 0 {
		return false
	}
	memories := b.Memories()
	return slices.ContainsFunc(b.basis.Keys, func(key string) bool {
		return !slices.ContainsFunc(memories, func(m chat.Memory) bool { return m.Answer == nil && m.Key == key })
	})
}

// kept returns what families of tools offered when the turn began.
func (b *Builder) kept() *toolexec.Kept {
	return &toolexec.Kept{Families: b.basis.Families, Tools: b.basis.Tools}
}

// saveBasis stores the basis in a commit that does not end the turn, and removes it when the turn is
// over for good. A basis with values that the person has deleted since is not stored.
func (b *Builder) saveBasis(tx store.RunTx) error {
	over := b.Turn.State == chat.TurnEnded && !b.Turn.Resumable()
	if over && b.Brought {
		if err := tx.SaveClientTools(nil); err != nil {
			return err
		}
	}
	switch {
	case over && b.stored:
		return tx.SaveBasis(nil)
	case over || !b.settled || b.stored || b.tooLarge:
		return nil
	}
	for _, c := range b.history.Forms() {
		if c.Answer == nil || c.Answer.Deleted {
			continue
		}
		if deleted, err := tx.IsDeleted(c.ID); err != nil || deleted {
			return err // another run of the turn reads the values again
		}
	}
	raw, err := b.basis.JSON()
	if err != nil {
		return err
	}
	if len(raw) > chat.MaxBasis {
		b.tooLarge = true
		b.Log.Warn("the beginning of this turn's prompts is too large to store; another run of the turn reads it again, and prompt caches may miss",
			"bytes", len(raw), "most", chat.MaxBasis)
		return nil
	}
	return tx.SaveBasis(b.basis)
}

// savedBasis is called after saveBasis was committed.
func (b *Builder) savedBasis() {
	b.stored = b.settled && !b.tooLarge && b.Turn.State != chat.TurnEnded || b.stored
}
