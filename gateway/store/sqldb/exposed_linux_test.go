package sqldb_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// TestFilesThatOthersCanReadAreAWarning: the log names them and explains how to fix it; files that
// the gateway created itself are not reported.
func TestFilesThatOthersCanReadAreAWarning(t *testing.T) {
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o644: true, 0o602: true} {
		path := filepath.Join(t.TempDir(), "chats.db")
		u := "sqlite:" + path
		if got := sqldb.Exposed(u); got != "" {
			t.Errorf("before there is one: %s", got)
		}
		open(t, u)
		if got := sqldb.Exposed(u); got != "" {
			t.Errorf("created by the gateway: %s", got)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if got := sqldb.Exposed(u); (got != "") != want || want && !strings.HasSuffix(got, "chmod 600 "+path) {
			t.Errorf("mode %v: %q", mode, got)
		}
		if !want {
			continue
		}
		log := new(bytes.Buffer)
		d, err := sqldb.Open(t.Context(), u, sqldb.Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		_ = d.Close()
		if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "chmod 600 "+path) {
			t.Errorf("mode %v: %s", mode, log)
		}
	}
	if got := sqldb.Exposed("postgres://h/d"); got != "" {
		t.Errorf("of no file: %s", got)
	}
}
