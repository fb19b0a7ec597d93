package sqldb

import (
	"context"
	"errors"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

const (
	branchesOf = `SELECT ` + headColumns + `, queued, ` + turnColumns + ` FROM conversations
		WHERE tenant = ? AND subject = ? AND app = ? AND root = ? AND root <> '' ORDER BY written_at DESC, chat_id DESC LIMIT ?`
	messageOfClient = `SELECT position, id, turn_id, content = ? FROM messages WHERE conversation_id = ? AND position =
		(SELECT max(position) FROM messages WHERE conversation_id = ? AND client_id = ? AND client_id <> '')`
	beginningOfTurn = `SELECT position, id, turn_id, content = ? FROM messages WHERE conversation_id = ? AND turn_id = ?
		ORDER BY position LIMIT 1`
	saidBehind = `SELECT id FROM messages WHERE conversation_id = ? AND position > ? AND role = 'user' AND asked_by = ''
		ORDER BY position LIMIT 1`
	markDelivered = `UPDATE runs SET delivered = TRUE WHERE fence = ?
		AND conversation_id = (SELECT id FROM conversations WHERE tenant = ? AND subject = ? AND app = ? AND chat_id = ?)`
)

// Branches implements store.BranchReader.
func (d *DB) Branches(ctx context.Context, ref chat.Ref, lines []store.Line) ([]store.Branch, error) {
	var all []store.Branch
	lines = lines[:min(len(lines), store.MaxLines)]
	err := d.snapshot(ctx, func(s session) error {
		all = nil
		root := ref
		named, err := d.loadHead(s, ref)
		switch {
		case errors.Is(err, store.ErrNotFound): // its branches may be there still
		case err != nil:
			return err
		case named.Root == "":
			all = append(all, named.branch())
		default:
			root.ChatID = named.Root
			switch of, err := d.loadHead(s, root); {
			case err == nil:
				all = append(all, of.branch())
			case !errors.Is(err, store.ErrNotFound):
				return err
			}
		}
		if err := s.each(rows(func(scan scanner) error {
			var h headRow
			err := d.markHead(scanHead(scan, &h), &h)
			all = append(all, h.branch())
			return err
		}, q.branches, root.Tenant, root.Subject, root.App, root.ChatID, store.MaxBranches)); err != nil {
			return err
		}
		slices.SortStableFunc(all, func(a, b store.Branch) int { return b.WrittenAt.Compare(a.WrittenAt) })
		all = all[:min(len(all), store.MaxBranches)]
		for i := range all {
			if err := places(s, &all[i], lines); err != nil {
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

func (h *headRow) branch() store.Branch {
	return store.Branch{Conversation: h.Conversation, Turn: h.newest()}
}

// places looks for the lines in a chat.
func places(s session, b *store.Branch, lines []store.Line) error {
	if len(lines) == 0 {
		return nil
	}
	b.Lines = make([]store.Place, len(lines))
	positions := make([]int64, len(lines))
	var found []query
	for i, l := range lines {
		p := &b.Lines[i]
		row := func(scan scanner) error { return scan(&positions[i], &p.MessageID, &p.TurnID, &p.Same) }
		switch {
		case l.ClientID != "":
			found = append(found, rows(row, q.messageOf, l.Text, b.ID, b.ID, l.ClientID))
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
	return s.each(next...)
}

// SaveDelivered implements store.Updater.
func (d *DB) SaveDelivered(ctx context.Context, ref chat.Ref, fence int64) error {
	return d.write(ctx, true, func(s session) error {
		_, err := s.exec(q.saveDelivered, fence, ref.Tenant, ref.Subject, ref.App, ref.ChatID)
		return d.fail(err)
	})
}
