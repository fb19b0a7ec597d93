package config_test

import (
	"testing"

	"github.com/askgate/askgate/config"
)

// Files are kept beside the file of SQLite, unless the configuration says where, or that none
// are taken; with PostgreSQL it has to say where.
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
		t.Errorf("beside a store in memory: %q", got)
	}
}

// The indexes of documents are beside the file of SQLite, else in the working directory, unless
// the configuration says where.
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
			t.Errorf("%s: %s, and not where it is told to be", store, got)
		}
	}
}
