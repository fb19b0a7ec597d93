package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed static
var static embed.FS

// policy lets the page load its own files and talk to its own server only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

type file struct {
	data        []byte
	contentType string
	etag        string
}

// Handler serves the chat page at /, the admin view at /admin and their files below
// /assets/, for GET and HEAD.
func Handler() http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/assets/")
		switch r.URL.Path {
		case "/":
			name, ok = "index.html", true
		case "/admin":
			name, ok = "admin.html", true
		}
		f, found := files[name]
		if !ok || !found {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-cache") // may be kept, must be asked for: the next version has the same names
		h.Set("ETag", f.etag)
		if strings.Contains(r.Header.Get("If-None-Match"), f.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Type", f.contentType)
		h.Set("Content-Length", strconv.Itoa(len(f.data)))
		_, _ = w.Write(f.data)
	})
}

// load reads the embedded files; there is nothing in them that could fail at run time.
func load() map[string]file {
	files := make(map[string]file)
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := static.ReadFile(name)
		sum := sha256.Sum256(data)
		files[strings.TrimPrefix(name, "static/")] = file{data, types[path.Ext(name)], `"` + hex.EncodeToString(sum[:8]) + `"`}
		return err
	})
	if err != nil {
		panic(err)
	}
	return files
}
