package files_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/askgate/askgate/gateway/files"
)

var fileID, otherID = "fil_" + strings.Repeat("a", 26), "fil_" + strings.Repeat("b", 26)

func mustOpen(t *testing.T, address string) files.Store {
	t.Helper()
	s, err := files.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, s files.Store, id string) ([]byte, error) {
	t.Helper()
	r, err := s.Open(t.Context(), id)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// keeps checks the behavior that all storages share.
func keeps(t *testing.T, s files.Store) {
	t.Helper()
	data := bytes.Repeat([]byte("\x00\xffbytes\r\n"), 50_000)
	n, err := s.Put(t.Context(), fileID, bytes.NewReader(data))
	if err != nil || n != int64(len(data)) {
		t.Fatalf("put %d: %v", n, err)
	}
	if got, err := read(t, s, fileID); err != nil || !bytes.Equal(got, data) {
		t.Errorf("read %d bytes: %v", len(got), err)
	}
	if n, err := s.Put(t.Context(), otherID, strings.NewReader("")); err != nil || n != 0 {
		t.Errorf("an empty file: %d, %v", n, err)
	}
	if got, err := read(t, s, otherID); err != nil || len(got) != 0 {
		t.Errorf("an empty file: %q, %v", got, err)
	}
	for range 2 { // even one that does not exist
		if err := s.Delete(t.Context(), otherID); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
	if _, err := read(t, s, otherID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after it was deleted: %v", err)
	}
	broken := errors.New("the client went away")
	_, err = s.Put(t.Context(), otherID, io.MultiReader(strings.NewReader("begun"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) || errors.Is(err, files.ErrUnavailable) {
		t.Errorf("a body that breaks off: %v", err)
	}
	if _, err := read(t, s, otherID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("part of a file was stored: %v", err)
	}
	if err := s.Delete(t.Context(), otherID); err != nil {
		t.Errorf("deleting part of a file: %v", err)
	}
	for _, id := range []string{"", "..", "../" + fileID, fileID + "/x", "fil_..", "/etc/passwd"} {
		_, put := s.Put(t.Context(), id, strings.NewReader("x"))
		_, open := s.Open(t.Context(), id)
		if err := s.Delete(t.Context(), id); !errors.Is(put, fs.ErrInvalid) || !errors.Is(open, fs.ErrInvalid) || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("id %q: %v, %v, %v", id, put, open, err)
		}
	}
}

func TestAFolderKeepsFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "files")
	keeps(t, mustOpen(t, dir))
	keeps(t, mustOpen(t, dir)) // as after a restart
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 || list[0].Name() != fileID {
		t.Errorf("left are %v, %v", list, err)
	}
	info, err := list[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("other users may read it: %v, %v", info.Mode(), err)
	}
}

// A folder that cannot be written is reported, with how to fix it; a link that leads out of it is
// not followed.
func TestAFolderThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open(file); !errors.Is(err, files.ErrUnavailable) || !strings.Contains(err.Error(), "files.store") {
		t.Errorf("a file in its place: %v", err)
	}
	s := mustOpen(t, filepath.Join(dir, "files"))
	if err := os.Symlink(file, filepath.Join(dir, "files", fileID)); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, s, fileID); err == nil {
		t.Error("a link that leads out of the folder was followed")
	}
	if err := os.RemoveAll(filepath.Join(dir, "files")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), otherID, strings.NewReader("x")); !errors.Is(err, files.ErrUnavailable) {
		t.Errorf("a folder that was taken away: %v", err)
	}
}

// s3 is a server for the requests that this package sends: objects in one bucket.
func s3(t *testing.T) (address string, objects *sync.Map, requests *[]*http.Request) {
	t.Helper()
	objects, requests = &sync.Map{}, &[]*http.Request{}
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		*requests = append(*requests, r)
		mu.Unlock()
		switch r.Method {
		case http.MethodPut:
			data, err := io.ReadAll(r.Body)
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			objects.Store(r.URL.Path, unchunked(data, r.Header.Get("X-Amz-Content-Sha256")))
			w.Header().Set("ETag", `"0"`)
		case http.MethodGet, http.MethodHead:
			data, ok := objects.Load(r.URL.Path)
			if !ok {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, `<Error><Code>NoSuchKey</Code></Error>`)
				return
			}
			w.Header().Set("ETag", `"0"`)
			http.ServeContent(w, r, "", testTime, bytes.NewReader(data.([]byte)))
		case http.MethodDelete:
			objects.Delete(r.URL.Path)
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(server.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	return "s3://bucket/some/prefix?region=eu-central-1&endpoint=" + url.QueryEscape(server.URL), objects, requests
}

func TestABucketKeepsFiles(t *testing.T) {
	address, objects, requests := s3(t)
	keeps(t, mustOpen(t, address))
	objects.Range(func(path, _ any) bool {
		if path != "/bucket/some/prefix/"+fileID {
			t.Errorf("left is %v", path)
		}
		return true
	})
	for _, r := range *requests {
		if a := r.Header.Get("Authorization"); !strings.Contains(a, "Credential=AKIDEXAMPLE/") || !strings.Contains(a, "/eu-central-1/s3/") {
			t.Errorf("%s %s is signed %q", r.Method, r.URL, a)
		}
	}
}

func TestABucketThatCannotBeReached(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	s := mustOpen(t, "s3://bucket?endpoint="+url.QueryEscape(server.URL))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, fileID, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(refuses.Close)
	s = mustOpen(t, "s3://bucket?region=x&endpoint="+url.QueryEscape(refuses.URL))
	_, put := s.Put(t.Context(), fileID, strings.NewReader("x"))
	_, open := s.Open(t.Context(), fileID)
	for what, err := range map[string]error{"put": put, "open": open, "delete": s.Delete(t.Context(), fileID)} {
		if !errors.Is(err, files.ErrUnavailable) || !strings.Contains(err.Error(), "its key may put, get and delete") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAddressesOfBucketsAreRead(t *testing.T) {
	for address, want := range map[string]string{
		"s3://":                                 "the address has no bucket",
		"s3://bucket":                           "region is missing",
		"s3://key:secret@bucket?region=x":       "AWS_ACCESS_KEY_ID",
		"s3://bucket?region=x&color=red":        `unknown parameter "color"`,
		"s3://bucket?endpoint=minio:9000":       "the endpoint is not an address",
		"s3://bucket?endpoint=https://u:p@host": "the endpoint is not an address",
		"s3://bucket:9000?region=x":             "the address has no bucket",
		"s3://%zz":                              "not the address of a bucket",
	} {
		if _, err := files.Open(address); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// The bytes of a file determine its type; its name decides where they leave it open.
func TestType(t *testing.T) {
	pdf := "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
	for _, c := range []struct{ name, head, want string }{
		{"a.pdf", pdf, "application/pdf"},
		{"a.png", pdf, "application/pdf"},
		{"a.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "image/png"},
		{"a.png", "<html><script>alert(1)</script>", "text/html"},
		{"a.html", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR<script>", "image/png"},
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml"},
		{"a.csv", "a;b\n1;2\n", "text/csv"},
		{"a.csv", "MZ\x90\x00\x03", "application/vnd.microsoft.portable-executable"},
		{"notes.md", "# Hello", "text/markdown"},
		{"a.json", `{"a": 1}`, "application/json"},
		{"a", "plain words", "text/plain"},
		{"a", "", "text/plain"},
		{"a.pdf", "", "text/plain"},
		{"a.bin", "\x00\x01\x02\x03", "application/octet-stream"},
		{"a.docx", "PK\x03\x04\x14\x00\x00\x00\x08\x00", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
	} {
		if got := files.Type([]byte(c.head), c.name); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.name, c.head, got, c.want)
		}
	}
}

// FuzzType: whatever the bytes and the name, there is one type without parameters, and bytes of a
// picture never make it a page.
func FuzzType(f *testing.F) {
	f.Add("a.html", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	f.Add("a.png", []byte("<html>"))
	f.Add("a.docx", []byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, name string, head []byte) {
		media := files.Type(head, name)
		if !strings.Contains(media, "/") || strings.ContainsAny(media, "; \r\n") || media != strings.ToLower(media) {
			t.Errorf("type %q", media)
		}
		if bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) && !strings.HasPrefix(media, "image/") {
			t.Errorf("a picture as %q", media)
		}
	})
}
