package sqldb

import (
	"context"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// Branches implements store.BranchReader.
func (d *DB) Branches(ctx context.Context, ref chat.Ref, lines []store.Line) ([]store.Branch, error) {
	return branches(ctx, d.h, ref, lines[:min(len(lines), store.MaxLines)], true)
}

// Family implements store.BranchReader.
func (d *DB) Family(ctx context.Context, ref chat.Ref) ([]store.Branch, error) {
	return branches(ctx, d.h, ref, nil, false)
}

// branches reads a family, or only its chats that clients know by the name of the chat.
func branches(ctx context.Context, h *handle, ref chat.Ref, lines []store.Line, sameName bool) ([]store.Branch, error) {
	var all []store.Branch
	err := h.snapshot(ctx, func(s session) error {
		all = nil
		named, err := h.loadHead(s, ref)
		if errors.Is(err, store.ErrNotFound) { // its branches may still exist
			named = nil
		} else if err != nil {
			return err
		}
		limit, name := store.MaxBranches, ref.ChatID
		if named != nil {
			name = named.KnownAs()
		}
		if sameName { // some of what is read has other names
			limit = maxFamily
		}
		if all, err = h.family(s, ref, named, limit); err != nil {
			return err
		}
		if sameName {
			all = slices.DeleteFunc(all, func(b store.Branch) bool { return b.KnownAs() != name })
			all = all[:min(len(all), store.MaxBranches)]
		}
		for i := range all {
			if err := h.places(s, &all[i], lines); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// maxFamily bounds the chats of a family that are read to find those with one name.
const maxFamily = 4 * store.MaxBranches

// family returns the chats of a family, up to limit of those written to last, without lines; named
// is the chat with that reference, or nil if it is gone.
func (d *handle) family(s session, name chat.Ref, named *headRow, limit int) ([]store.Branch, error) {
	var all []store.Branch
	if named != nil && named.Root != "" {
		name.ChatID = named.Root
		switch root, err := d.loadHead(s, name); {
		case err == nil:
			all = append(all, root.branch())
		case !errors.Is(err, store.ErrNotFound):
			return nil, err
		}
	} else if named != nil {
		all = append(all, named.branch())
	}
	if err := s.each(rows(func(scan scanner) error {
		var h headRow
		err := d.markHead(scanHead(refBefore(scan, &h.Ref), &h), &h)
		all = append(all, h.branch())
		return err
	}, q.branches, name.Tenant, name.Subject, name.App, name.ChatID, limit)); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b store.Branch) int { return b.WrittenAt.Compare(a.WrittenAt) })
	return all[:min(len(all), limit)], nil
}

// familyOf returns a chat's family for a view.
func (d *handle) familyOf(s session, h *headRow) ([]chat.Conversation, error) {
	all, err := d.family(s, h.Ref, h, store.MaxBranches)
	if err != nil {
		return nil, err
	}
	var list []chat.Conversation
	here := false
	for i := range all {
		list = append(list, all[i].Conversation)
		here = here || all[i].ChatID == h.ChatID
	}
	if !here {
		list = append(list, h.Conversation)
	}
	return list, nil
}

func (h *headRow) branch() store.Branch {
	return store.Branch{Conversation: h.Conversation, Turn: h.newest()}
}

// places looks for the lines in a chat.
func (d *handle) places(s session, b *store.Branch, lines []store.Line) error {
	if len(lines) == 0 {
		return nil
	}
	b.Lines = make([]store.Place, len(lines))
	positions := make([]int64, len(lines))
	var found, answered []query
	for i, l := range lines {
		p := &b.Lines[i]
		row := func(scan scanner) error {
			var files string
			if err := scan(&positions[i], &p.MessageID, &p.TurnID, &p.Same, &files); err != nil {
				return err
			}
			return scanFiles(files, p.MessageID, &p.Files)
		}
		switch {
		case l.ClientID != "":
			found = append(found, rows(row, q.messageOf, l.Text, b.ID, b.ID, l.ClientID))
			if l.Answers {
				answered = append(answered, rows(func(scan scanner) error { return d.answered(scan, p) }, q.answerOf, b.ID, l.ClientID))
			}
		case l.TurnID != "":
			found = append(found, rows(row, q.beginningOf, l.Text, b.ID, l.TurnID))
		}
	}
	if err := s.each(found...); err != nil {
		return err
	}
	var next []query
	for i, at := range positions {
		if at > 0 {
			next = append(next, rows(func(scan scanner) error { return scan(&b.Lines[i].Next) }, q.saidNext, b.ID, at))
		}
	}
	return s.each(append(next, answered...)...)
}

// answered uses the question that a line answered as the line's place, unless the line is a
// message.
func (d *handle) answered(scan scanner, p *store.Place) error {
	var k keptClarification
	var began string
	var last bool
	err := d.scanClarification(func(to ...any) error { return scan(append(to, &began, &last)...) }, &k)
	if err == nil && k.genuine && began != "" && p.MessageID == "" {
		*p = store.Place{MessageID: began, TurnID: k.TurnID, Answered: &k.Clarification, Last: last}
	}
	return err
}

// SaveDelivered implements store.Updater.
func (d *DB) SaveDelivered(ctx context.Context, ref chat.Ref, fence int64) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.saveDelivered, fence, ref.Tenant, ref.Subject, ref.App, ref.ChatID)
		return d.h.fail(err)
	})
}
