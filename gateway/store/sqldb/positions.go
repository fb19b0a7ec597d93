package sqldb

import (
	"context"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// positions implements store.PositionReader.
type positions struct{ h *handle }

// maxAmong is how many ids one statement looks for: some 300 KB.
const maxAmong = 10_000

// Positions implements store.PositionReader. All statements are sent together.
func (d *positions) Positions(ctx context.Context, ids []string) (found []store.Position, err error) {
	err = d.h.read(ctx, func(s session) error {
		found = make([]store.Position, 0, len(ids)) // this may be the second attempt
		row := appendTo(&found, func(scan scanner, p *store.Position) error {
			return scan(&p.ConversationID, &p.LastEvent.Fence, &p.LastEvent.Seq)
		})
		var pieces []query
		for piece := range slices.Chunk(ids, maxAmong) {
			pieces = append(pieces, rows(row, q.positions, texts(piece)))
		}
		return s.each(pieces...)
	})
	return found, err
}

// Begun implements store.PositionReader. All statements are sent together.
func (d *positions) Begun(ctx context.Context, refs []chat.Ref) (begun []chat.Ref, err error) {
	err = d.h.read(ctx, func(s session) error {
		begun = nil
		var each []query
		for _, ref := range refs {
			each = append(each, rows(func(scan scanner) error {
				begun = append(begun, ref)
				return scan(new(int64))
			}, q.begun, ref.Tenant, ref.Subject, ref.App, ref.ChatID))
		}
		return s.each(each...)
	})
	return begun, err
}
