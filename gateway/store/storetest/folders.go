package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/store"
)

// paths returns the paths and sums of files.
func paths(t *testing.T, files []store.FolderFile, err error) (list []string) {
	t.Helper()
	never(t, err)
	for _, f := range files {
		list = append(list, f.Path+" "+f.Sum)
	}
	return list
}

// tell stores files of a folder and a delivery for each webhook, and returns the folder as it is then.
func tell(t *testing.T, s store.Store, f store.Folder, files []store.FolderFile, webhooks ...string) store.Folder {
	t.Helper()
	var told []store.FolderDelivery
	for _, w := range webhooks {
		told = append(told, store.FolderDelivery{Webhook: w, Event: "document.changed", Told: "told " + fmt.Sprint(f.Revision+1)})
	}
	revision, err := s.Outbox().Folders().SaveFolder(t.Context(), f, files, told)
	never(t, err)
	equal(t, "revision", revision, f.Revision+1)
	f.Revision = revision
	return f
}

func testFolders(t *testing.T, s store.Store) {
	folders, ctx := s.Outbox().Folders(), t.Context()
	none, err := folders.Folder(ctx, "laws-1")
	never(t, err)
	equal(t, "one that is not stored", none, store.Folder{})
	f := tell(t, s, store.Folder{Name: "laws-1", Tool: "laws", Untold: "ä\x00"}, []store.FolderFile{{Path: "b.md", Sum: "1", Work: "B"}, {Path: "Ä.md", Sum: "1"}, {Path: "a.md", Sum: "1"}})
	_, err = folders.SaveFolder(ctx, store.Folder{Name: "laws-1", Tool: "laws"}, []store.FolderFile{{Path: "c.md", Sum: "1"}}, nil)
	wantError(t, "a second node that stores it first", err, store.ErrBehind)
	f.Whole, f.Untold = true, ""
	second := tell(t, s, f, []store.FolderFile{{Path: "a.md", Sum: "2"}, {Path: "b.md", Work: "B"}}, "w")
	_, err = folders.SaveFolder(ctx, f, []store.FolderFile{{Path: "a.md", Sum: "3"}}, []store.FolderDelivery{{Webhook: "w", Event: "document.changed", Told: "twice"}})
	wantError(t, "a node that is behind", err, store.ErrBehind)
	got, err := folders.Folder(ctx, "laws-1")
	never(t, err)
	equal(t, "the folder", got, second)

	all, err := folders.FilesAfter(ctx, "laws-1", "", 10)
	equal(t, "by path", paths(t, all, err), []string{"a.md 2", "b.md ", "Ä.md 1"})
	if all[1].Work != "B" || all[1].Revision != 2 || all[1].At.IsZero() {
		t.Errorf("%+v", all[1])
	}
	some, err := folders.FilesAfter(ctx, "laws-1", "a.md", 1)
	equal(t, "the next page", paths(t, some, err), []string{"b.md "})
	some, err = folders.FilesSince(ctx, "laws-1", store.FolderFile{}, 10)
	equal(t, "by revision", paths(t, some, err), []string{"Ä.md 1", "a.md 2", "b.md "})
	some, err = folders.FilesSince(ctx, "laws-1", store.FolderFile{Revision: 2, Path: "a.md"}, 10)
	equal(t, "behind a file", paths(t, some, err), []string{"b.md "})
	some, err = folders.FilesAt(ctx, "laws-1", []string{"a.md", "none", "Ä.md"})
	equal(t, "by name", paths(t, some, err), []string{"a.md 2", "Ä.md 1"})
	some, err = folders.FilesAfter(ctx, "laws-2", "", 10)
	equal(t, "of another folder", paths(t, some, err), []string(nil))

	other := tell(t, s, store.Folder{Name: "laws-2", Tool: "laws"}, []store.FolderFile{{Path: "a.md", Sum: "9"}})
	unused, err := folders.UnusedFolder(ctx, time.Unix(1, 0))
	never(t, err)
	equal(t, "none is unused", unused, store.Folder{})
	unused, err = folders.UnusedFolder(ctx, s.Now().Add(time.Hour))
	never(t, err)
	if unused.Name != "laws-1" && unused.Name != "laws-2" {
		t.Errorf("unused: %+v", unused)
	}
	never(t, folders.UseFolder(ctx, "laws-1"))
	wantError(t, "dropping one that another node changes", folders.DropFolder(ctx, f), store.ErrBehind)
	never(t, folders.DropFolder(ctx, second))
	got, err = folders.Folder(ctx, "laws-1")
	never(t, err)
	equal(t, "one that was dropped", got, store.Folder{})
	some, err = folders.FilesAfter(ctx, "laws-1", "", 10)
	equal(t, "its files", paths(t, some, err), []string(nil))
	some, err = folders.FilesAfter(ctx, "laws-2", "", 10)
	equal(t, "those of another", paths(t, some, err), []string{"a.md 9"})
	var many []store.FolderFile
	for i := range 4001 { // more than are dropped in one transaction
		many = append(many, store.FolderFile{Path: fmt.Sprint(i), Sum: "1"})
	}
	other = tell(t, s, other, many)
	never(t, folders.DropFolder(ctx, other))
	some, err = folders.FilesAfter(ctx, "laws-2", "", 10)
	equal(t, "of many files", paths(t, some, err), []string(nil))
}

// Deliveries without a chat are made in the order of their webhook and tool.
func testFolderDeliveries(t *testing.T, s store.Store) {
	outbox, ctx := s.Outbox(), t.Context()
	told := func(webhook string, lease time.Duration) (names []string, all []store.Delivery) {
		t.Helper()
		all, err := outbox.ClaimDeliveries(ctx, webhook, lease, 10)
		never(t, err)
		for _, d := range all {
			names = append(names, d.Tool+d.TurnID+" "+d.Told)
		}
		return names, all
	}
	laws := tell(t, s, store.Folder{Name: "laws-1", Tool: "laws"}, nil, "a", "b")
	laws = tell(t, s, laws, nil, "a")
	tell(t, s, store.Folder{Name: "wiki-1", Tool: "wiki"}, nil, "a")
	addNews(t, s, ref("c"), hooked("turn", "a"))
	names, all := told("a", time.Hour)
	equal(t, "of each chat and tool the first", names, []string{"turn ", "laws told 1", "wiki told 1"})
	first := all[1]
	equal(t, "what is claimed", first, store.Delivery{Seq: first.Seq, ID: first.ID, Webhook: "a", Event: "document.changed", Tool: "laws", Told: "told 1", At: first.At, Attempts: 1})
	if first.ID == "" || first.ID == all[2].ID || first.At.IsZero() {
		t.Errorf("%+v", first)
	}
	names, _ = told("a", time.Hour)
	equal(t, "while they are claimed", names, []string(nil))
	never(t, outbox.PostponeDelivery(ctx, first, 0))
	names, all = told("a", 0)
	equal(t, "when it is due again", names, []string{"laws told 1"})
	equal(t, "attempts", all[0].Attempts, 2)
	never(t, outbox.PostponeDelivery(ctx, first, time.Hour)) // of a late node
	names, all = told("a", time.Hour)
	equal(t, "what a late node postpones", names, []string{"laws told 1"})
	never(t, outbox.PostponeDelivery(ctx, all[0], time.Hour))
	never(t, outbox.EndDelivery(ctx, all[0]))
	names, all = told("a", time.Hour)
	equal(t, "once the first is delivered", names, []string{"laws told 2"})
	never(t, outbox.EndDelivery(ctx, all[0]))
	names, _ = told("b", 0)
	equal(t, "of another webhook", names, []string{"laws told 1"})
	webhooks, err := outbox.Webhooks(ctx)
	never(t, err)
	equal(t, "webhooks", webhooks, []string{"a", "b"})
	if oldest, err := outbox.OldestDelivery(ctx, "b"); err != nil || oldest.IsZero() {
		t.Errorf("the oldest: %v, %v", oldest, err)
	}
	never(t, s.Outbox().Folders().DropFolder(ctx, laws))
	names, _ = told("b", 0)
	equal(t, "after the folder was dropped", names, []string{"laws told 1"})
	never(t, outbox.DropDeliveries(ctx, "b", s.Now().Add(time.Hour)))
	webhooks, err = outbox.Webhooks(ctx)
	never(t, err)
	equal(t, "webhooks that are left", webhooks, []string{"a"})
}

// If several nodes store a folder at the same time, one of them does, each time.
func testFoldersCompete(t *testing.T, s store.Store) {
	const nodes, each = 4, 10
	var wait sync.WaitGroup
	for range nodes {
		wait.Go(func() {
			for stored := 0; stored < each; {
				f, err := s.Outbox().Folders().Folder(t.Context(), "laws-1")
				if err != nil {
					t.Error(err)
					return
				}
				f.Name, f.Tool = "laws-1", "laws"
				_, err = s.Outbox().Folders().SaveFolder(t.Context(), f, []store.FolderFile{{Path: "a.md", Sum: "1"}}, nil)
				switch {
				case err == nil:
					stored++
				case err != store.ErrBehind: //nolint:errorlint // exactly this one, as the contract says
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	f, err := s.Outbox().Folders().Folder(t.Context(), "laws-1")
	never(t, err)
	equal(t, "revisions", f.Revision, int64(nodes*each))
}
