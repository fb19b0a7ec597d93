package sqldb

import (
	"context"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// keepContents stores the bytes of the parts of a result.
func (t *chatTx) keepContents(shown []tools.Content) error {
	for i := range shown {
		c := &shown[i]
		if c.ID == "" || c.Bytes == nil {
			continue
		}
		if err := t.w.later(q.insertContent, t.head.ID, c.ID, c.Media, len(c.Bytes), c.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// Contents implements store.Reader.
func (d *DB) Contents(ctx context.Context, ref chat.Ref, ids []string) (found map[string]chat.Bytes, err error) {
	err = d.h.read(ctx, func(s session) error {
		found = map[string]chat.Bytes{}
		h, err := d.h.loadHead(s, ref)
		if err != nil {
			return err
		}
		var bytes int64
		for _, id := range ids {
			var size int64
			if _, err := one(s, func(scan scanner) error { return scan(&size) }, q.contentLength, h.ID, id); err != nil {
				return err
			}
			bytes += size
		}
		if err := store.Admit(ctx, bytes); err != nil {
			return err
		}
		for _, id := range ids {
			var b chat.Bytes
			there, err := one(s, func(scan scanner) error { return scan(&b.Media, &b.Bytes) }, q.content, h.ID, id)
			if err != nil {
				return err
			}
			if there {
				found[id] = b
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// ContentSize implements store.Reader.
func (d *DB) ContentSize(ctx context.Context, conversationID string) (size int64, err error) {
	err = d.h.read(ctx, func(s session) error {
		_, err := one(s, func(scan scanner) error { return scan(&size) }, q.contentSize, conversationID)
		return err
	})
	return size, err
}
