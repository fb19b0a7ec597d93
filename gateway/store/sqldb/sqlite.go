package sqldb

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const sqliteScheme = "sqlite:"

// lockWait is how long to wait for a lock of another process. Transactions take milliseconds; a
// process that holds a lock this long is stuck, or copies the file.
const lockWait = 10 * time.Second

// lockStep is how long SQLite itself waits for another process. It is short because SQLite
// polls ever more rarely, down to every 100 ms, and does not see the context; retry repeats
// the wait until lockWait.
const lockStep = 50 * time.Millisecond

// maxLog is the size of the log, in pages of 4 KiB, at which a commit itself moves it to the
// file. The log grows that large only while writers never pause: it starts over when a writer
// finds all of it moved.
const maxLog = 4000

// sqliteFile is a parsed URL "sqlite:PATH[?synchronous=full|normal]".
type sqliteFile struct {
	path        string
	synchronous string
}

func parseSQLite(rawURL string) (sqliteFile, error) {
	path, query, _ := strings.Cut(strings.TrimPrefix(rawURL, sqliteScheme), "?")
	f := sqliteFile{path: strings.TrimPrefix(path, "//"), synchronous: "FULL"}
	switch {
	case f.path == "":
		return f, errors.New("the store's URL names no file; write sqlite:PATH, for example sqlite:askgate.db")
	case strings.HasPrefix(f.path, ":memory:"):
		return f, errors.New("a store in memory would lose every chat; name a file: sqlite:PATH")
	case strings.ContainsRune(f.path, 0):
		return f, errors.New("the store's path contains a NUL byte; name a file: sqlite:PATH")
	}
	params, err := url.ParseQuery(query)
	if err != nil {
		return f, fmt.Errorf("the store's URL has a malformed query; write sqlite:PATH or sqlite:PATH?synchronous=normal")
	}
	for name, values := range params {
		value := strings.ToUpper(values[len(values)-1])
		if name != "synchronous" {
			return f, fmt.Errorf("the store's URL has an unknown parameter %q; only synchronous is known", name)
		}
		if value != "FULL" && value != "NORMAL" {
			return f, fmt.Errorf("synchronous=%s is unknown; write full (a committed change survives a power cut) or normal (it may not)", values[len(values)-1])
		}
		f.synchronous = value
	}
	return f, nil
}

// durable reports whether commits wait for the disk unless they are lazy.
func (f sqliteFile) durable() bool { return f.synchronous == "FULL" }

// dsn is the driver's name of the file. The path is escaped: it may contain "?" or "%".
func (f sqliteFile) dsn() string {
	v := url.Values{
		"_busy_timeout": {fmt.Sprint(lockStep.Milliseconds())},
		"_foreign_keys": {"on"},
		"_journal_mode": {"WAL"},
		"_synchronous":  {f.synchronous},
		"_pragma":       {"secure_delete(on)", "temp_store(memory)", fmt.Sprintf("wal_autocheckpoint(%d)", maxLog)},
		"_txlock":       {"immediate"}, // for goose's transactions
		"_dqs":          {"0"},
		"_error_rc":     {"1"},
	}
	return "file:" + (&url.URL{Path: filepath.ToSlash(f.path)}).EscapedPath() + "?" + v.Encode()
}

// prepare creates the file, readable by its owner only (SQLite copies the mode to the files that
// it adds), and reports in detail what SQLite would call "unable to open database file".
func (f sqliteFile) prepare() error {
	dir := filepath.Dir(f.path)
	switch info, err := os.Stat(dir); {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist; create it, or name another file", dir)
	case err != nil:
		return fmt.Errorf("the folder %s cannot be read: %w", dir, err)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; name a file in a folder", dir)
	}
	if info, err := os.Stat(f.path); err == nil && info.IsDir() {
		return errors.New("it is a folder; name a file in it")
	}
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o600)
	switch {
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s (%w)", hintAccess, err)
	case err != nil:
		return err
	}
	return file.Close()
}

// Exposed reports which files of the store at a URL other users of this machine can read or
// write, and how to fix that; "" if none, or if the store has no files yet.
func Exposed(url string) string {
	file, err := parseSQLite(url)
	if !strings.HasPrefix(url, sqliteScheme) || err != nil || runtime.GOOS == "windows" { // which has no such modes
		return ""
	}
	var wide []string
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(file.path + suffix); err == nil && info.Mode().Perm()&0o077 != 0 {
			wide = append(wide, file.path+suffix)
		}
	}
	if wide == nil {
		return ""
	}
	return "chats can be read by other users of this machine; run: chmod 600 " + strings.Join(wide, " ")
}

const hintAccess = "it cannot be opened for writing; let the gateway's user read and write the file and its folder " +
	"(-wal and -shm files are written next to it)"
