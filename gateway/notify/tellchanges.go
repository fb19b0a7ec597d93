package notify

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/documents/index"
)

const (
	maxChanges = 100 // of one event; its total counts all
	maxWork    = 200 // code points of a title
)

// The values of change.Kind.
const (
	kindAdded   = "added"
	kindChanged = "changed"
	kindRemoved = "removed"
)

// change is what happened to a file.
type change struct {
	Kind string `json:"kind"`
	Path string `json:"path"`
	Work string `json:"work"` // "": the file has several documents, or none
}

// untold are changes that are stored, but in no delivery yet.
type untold struct {
	Changes []change `json:"changes"`
	Total   int      `json:"total"`
}

// changed is the data of document.changed.
type changed struct {
	Tool string   `json:"tool"`
	Apps []string `json:"apps"`
	untold
}

// changes returns the data of document.changed. What cannot be read is left out.
func (l *letter) changes() (c changed) {
	_ = json.Unmarshal([]byte(l.d.Told), &c) // written by deliveries
	if len(c.Apps) == 0 {
		c.Apps = []string{""}
	}
	return c
}

// lines returns the changes as people read them.
func (c changed) lines() []string {
	list := make([]string, len(c.Changes))
	for i, what := range c.Changes {
		list[i] = map[string]string{kindAdded: "+ ", kindChanged: "± ", kindRemoved: "− "}[what.Kind] + strings.Join(strings.Fields(what.Path), " ")
		if what.Work != "" {
			list[i] += " (" + what.Work + ")"
		}
	}
	return list
}

// storeAll stores a folder for the first time, without telling anyone.
func (t *telling) storeAll(ctx context.Context) error {
	for {
		n := min(len(t.paths), filesAtOnce)
		files, _, err := t.differences(ctx, t.paths[:n])
		if err != nil {
			return err
		}
		t.paths = t.paths[n:]
		t.stored.Whole = len(t.paths) == 0
		if err := t.save(ctx, files, nil); err != nil {
			return err
		}
		if t.stored.Whole {
			t.c.log.Info("webhooks are told of changes of these documents from now on", "tool", t.look.Tool)
			return nil
		}
	}
}

// save stores files, and notes the revision that the folder has then.
func (t *telling) save(ctx context.Context, files []store.FolderFile, deliveries []store.FolderDelivery) error {
	t.stored.Name, t.stored.Tool = t.look.Name, t.look.Tool
	revision, err := t.c.store.Outbox().Folders().SaveFolder(ctx, t.stored, files, deliveries)
	if err != nil {
		return err
	}
	t.stored.Revision, t.f.seen, t.f.open = revision, revision, false
	for i := range files {
		delete(t.f.differ, files[i].Path)
	}
	return nil
}

// tellAll stores the files that differ, and with the last of them the deliveries about all. If the node
// dies in between, the next delivery about the folder has them, too.
func (t *telling) tellAll(ctx context.Context) error {
	var left untold
	if t.stored.Untold != "" {
		if err := json.Unmarshal([]byte(t.stored.Untold), &left); err != nil {
			t.c.log.Error("changes of documents that were to be told are damaged in the store; they are left out", "tool", t.look.Tool)
		}
	}
	if left.Total > 0 && len(t.paths) == 0 && !t.lapsed() {
		return nil
	}
	before := left.Total
	for {
		n := min(len(t.paths), filesAtOnce)
		files, changes, err := t.differences(ctx, t.paths[:n])
		if err != nil {
			return err
		}
		t.paths = t.paths[n:]
		left.Total += len(changes)
		left.Changes = append(left.Changes, changes[:min(len(changes), max(maxChanges-len(left.Changes), 0))]...)
		var deliveries []store.FolderDelivery
		switch {
		case len(t.paths) > 0:
			t.stored.Untold = string(encode(left))
		case left.Total > before, before > 0 && t.lapsed():
			deliveries, t.stored.Untold = t.deliveries(left), ""
		}
		if len(files) > 0 || len(deliveries) > 0 {
			if err := t.save(ctx, files, deliveries); err != nil {
				return err
			}
		}
		if len(t.paths) == 0 {
			return nil
		}
	}
}

// lapsed reports whether a node has left changes untold for so long that it must have died.
func (t *telling) lapsed() bool {
	if f := t.f; !f.open || f.seen != t.stored.Revision {
		f.open, f.seen, f.since = true, t.stored.Revision, t.now
	}
	return t.now.Sub(t.f.since) >= t.c.stands
}

// differences returns the files that differ from what is stored, as they are to be stored and told. An
// empty folder counts only after it has been empty for a while: it may be a network folder that is not
// mounted.
func (t *telling) differences(ctx context.Context, paths []string) (files []store.FolderFile, changes []change, err error) {
	left, err := t.look.Files(ctx, "", 1)
	if err != nil {
		return nil, nil, err
	}
	err = t.each(ctx, paths, func(path string, file *index.Listed, row *store.FolderFile) {
		if len(left) == 0 && t.stored.Whole && !t.waited[path] {
			t.f.differ[path] = difference{mine: true, since: t.now}
			return
		}
		f, kind := differs(path, file, row)
		files, changes = append(files, f), append(changes, change{kind, path, f.Work})
	})
	return files, changes, err
}

// differs returns a file as it is to be stored, and what happened to it.
func differs(path string, file *index.Listed, row *store.FolderFile) (store.FolderFile, string) {
	switch {
	case file == nil:
		return store.FolderFile{Path: path, Work: row.Work}, kindRemoved
	case row == nil || row.Sum == "":
		return store.FolderFile{Path: path, Sum: sum(file.Sum), Work: tools.Shorten(file.Work, maxWork)}, kindAdded
	}
	return store.FolderFile{Path: path, Sum: sum(file.Sum), Work: tools.Shorten(file.Work, maxWork)}, kindChanged
}

// deliveries returns what each webhook is told.
func (t *telling) deliveries(what untold) []store.FolderDelivery {
	apps := listing(t.c.config(), t.look.Name)
	var list []store.FolderDelivery
	for i := range t.hooks {
		var wanted []string
		for _, app := range apps {
			if t.hooks[i].Wants(config.WebhookChanged, app) {
				wanted = append(wanted, app)
			}
		}
		if len(wanted) > 0 {
			list = append(list, store.FolderDelivery{Webhook: t.hooks[i].ID, Event: config.WebhookChanged,
				Told: string(encode(changed{Tool: t.look.Tool, Apps: wanted, untold: what}))})
		}
	}
	return list
}

// listing returns the enabled apps that list a folder, by id.
func listing(snap *config.Snapshot, name string) (ids []string) {
	for _, app := range snap.Apps() {
		for _, id := range app.Tools {
			if t, ok := snap.Tool(app.ID, id); ok && documents.FolderOf(t) == name {
				ids = append(ids, app.ID)
				break
			}
		}
	}
	return ids
}

// dropUnused removes what is stored of folders that no node uses any more, as after a change of their
// configuration.
func dropUnused(ctx context.Context, s changeStore) error {
	for {
		f, err := s.Outbox().Folders().UnusedFolder(ctx, s.Now().Add(-unused))
		if err != nil || f.Revision == 0 {
			return err
		}
		if err := s.Outbox().Folders().DropFolder(ctx, f); err != nil && !errors.Is(err, store.ErrBehind) {
			return err
		}
	}
}
