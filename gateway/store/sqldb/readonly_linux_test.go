package sqldb_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/askgate/askgate/gateway/store/sqldb"
)

// asUnprivileged runs fn without root's right to write everywhere: on its own thread, whose rights
// to files are those of another user.
func asUnprivileged(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				panic(err)
			}
		}
		fn()
	}()
	<-done
}

func TestReadOnlyFileOrFolder(t *testing.T) {
	for _, test := range []struct {
		name         string
		exists       bool
		file, folder os.FileMode
		want         string
	}{
		{"a read-only folder without the file", false, 0, 0o555, "let the gateway's user"},
		{"a read-only file", true, 0o444, 0o777, "let the gateway's user"},
		{"a read-only file in a read-only folder", true, 0o444, 0o555, "let the gateway's user"},
		{"a writable file in a read-only folder", true, 0o666, 0o555, "let the gateway's user"},
		{"an unreadable file", true, 0, 0o777, "let the gateway's user"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "chats.db")
			if test.exists {
				if _, err := sqldb.Migrate(t.Context(), "sqlite:"+path); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(path, test.file); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(dir, test.folder); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(dir, 0o777) })
			asUnprivileged(func() {
				d, err := sqldb.Open(t.Context(), "sqlite:"+path, sqldb.Options{})
				if err == nil {
					d.Close()
				}
				wantUnavailable(t, err, path, test.want)
			})
		})
	}
}

// TestFilesAreTheOwnersOnly: others cannot read chats.
func TestFilesAreTheOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	d := open(t, "sqlite:"+filepath.Join(dir, "chats.db"))
	if err := d.Update(t.Context(), ref("c"), beginTurn); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 { // the file, its log and the log's index
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
}
