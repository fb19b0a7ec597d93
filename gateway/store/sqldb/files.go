package sqldb

import (
	"context"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// incoming is the size of an incomplete file.
const incoming = -1

func scanFile(scan scanner, f *chat.File) error {
	var created int64
	if err := scan(&f.ID, &f.Name, &f.Type, &f.Size, &f.UsedBy, &created); err != nil {
		return err
	}
	f.CreatedAt = fromMillis(created)
	return nil
}

type txFiles struct{ *chatTx }

func (t txFiles) Add(f chat.File) error {
	return t.w.later(q.addFile, t.head.ID, f.ID, f.Name, f.Type, incoming, f.UsedBy, toMillis(f.CreatedAt))
}

func (t txFiles) Save(f chat.File) error {
	return t.w.change(q.saveFile, f.Type, f.Size, f.UsedBy, t.head.ID, f.ID)
}

func (t txFiles) Release(id string, at time.Time) error {
	return t.w.change(q.releaseFile, toMillis(at), t.head.ID, id)
}

func (t txFiles) Find(id string) (f chat.File, err error) {
	err = must(t.w.one(func(scan scanner) error { return scanFile(scan, &f) }, q.file, t.head.ID, id))
	return f, err
}

func (t txFiles) Held() (files int, bytes int64, err error) {
	_, err = t.w.one(func(scan scanner) error { return scan(&files, &bytes) }, q.filesHeld, t.head.ID)
	return files, bytes, err
}

func (t txFiles) FindAt(place chat.Ref, id string) (f chat.File, err error) {
	err = must(t.w.one(func(scan scanner) error { return scanFile(scan, &f) }, q.fileAt, id, place.Tenant, place.Subject, place.App, place.ChatID))
	return f, err
}

func (t txFiles) Adopt(place chat.Ref, id string) error {
	return t.w.change(q.adoptFile, t.head.ID, id, place.Tenant, place.Subject, place.App, place.ChatID)
}

func (t txFiles) GiveUp(id string) error { return t.w.later(q.giveUpFile, t.head.ID, id) }

// File implements store.Files.
func (d *Files) File(ctx context.Context, ref chat.Ref, id string) (f chat.File, err error) {
	err = d.h.read(ctx, func(s session) error {
		h, err := d.h.loadHead(s, ref)
		if err != nil {
			return err
		}
		return must(one(s, func(scan scanner) error { return scanFile(scan, &f) }, q.file, h.ID, id))
	})
	if err != nil {
		return chat.File{}, err
	}
	return f, nil
}

// GiveUpFiles implements store.Files.
func (d *Files) GiveUpFiles(ctx context.Context, before, unsent time.Time) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.giveUpFiles, toMillis(before))
		if err == nil {
			_, err = s.exec(q.giveUpLinked, toMillis(unsent))
		}
		if err == nil {
			_, err = s.exec(q.dropUnsent, toMillis(unsent))
		}
		return d.h.fail(err)
	})
}

// GoneFiles implements store.Files.
func (d *Files) GoneFiles(ctx context.Context, since time.Time, limit int) (list []store.GoneFile, err error) {
	err = d.h.read(ctx, func(s session) error {
		list = nil
		return s.each(rows(appendTo(&list, func(scan scanner, f *store.GoneFile) error { return scan(&f.Row, &f.ID, &f.Kept) }), q.goneFiles, toMillis(since), limit))
	})
	return list, err
}

// DropFile implements store.Files.
func (d *Files) DropFile(ctx context.Context, f store.GoneFile) error {
	return d.h.write(ctx, true, func(s session) error {
		_, err := s.exec(q.dropFile, f.Row)
		return d.h.fail(err)
	})
}
