package config_test

import (
	"testing"

	"github.com/askgate/askgate/config"
)

// By default files are stored next to the SQLite file. The configuration can name another place or
// refuse files; with PostgreSQL it must name a place.
func TestWhereFilesAreKept(t *testing.T) {
	for _, c := range []struct {
		gateway, store string
		max            int64
	}{
		{`{}`, "askgate.db.files", 10_000_000},
		{`{"store": "sqlite:data/chats.db?synchronous=normal"}`, "data/chats.db.files", 10_000_000},
		{`{"files": {"store": "/srv/files", "maxBytes": 5}}`, "/srv/files", 5},
		{`{"files": {"maxBytes": 0, "store": "/srv/files"}}`, "", 0},
		{`{"store": "postgres://u:p@db/askgate"}`, "", 0},
		{`{"store": "postgres://u:p@db/askgate", "files": {"store": "s3://bucket/x?region=eu-central-1"}}`, "s3://bucket/x?region=eu-central-1", 10_000_000},
	} {
		s := mustLoad(t, gateway(c.gateway), nil)
		app := s.Apps()[0]
		if got := s.Gateway.FilesStore(); got != c.store || app.MaxFile != c.max {
			t.Errorf("%s: files in %q, of up to %d bytes", c.gateway, got, app.MaxFile)
		}
	}
	over := config.Gateway{Store: "sqlite::memory:", Files: config.Files{MaxBytes: 1}}
	if got := over.FilesStore(); got != "" {
		t.Errorf("a folder for a store in memory: %q", got)
	}
}

// By default the indexes of documents are next to the SQLite file, or in the working directory without
// one. The configuration can name another place.
func TestWhereIndexesOfDocumentsAreKept(t *testing.T) {
	for store, want := range map[string]string{
		"sqlite:askgate.db": "askgate.db.documents", "sqlite:///data/chats.db?synchronous=normal": "/data/chats.db.documents",
		"sqlite::memory:": "askgate.documents", "postgres://u:p@db/askgate": "askgate.documents",
	} {
		g := config.Gateway{Store: store}
		if got := g.DocumentsCache(); got != want {
			t.Errorf("%s: %s", store, got)
		}
		g.Documents.Cache = "/srv/cache"
		if got := g.DocumentsCache(); got != "/srv/cache" {
			t.Errorf("%s: %s, not the configured folder", store, got)
		}
	}
}
