package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed static
var static embed.FS

// policy lets a page load its own files and talk to its own server only. A text can
// become markup or code only through Lit's templates and DOMPurify.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types lit-html dompurify askgate askgate-page"

var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8", // what no browser loads: types, licences
}

type file struct {
	data, zipped []byte
	contentType  string
	etag         string // weak: zipped or not is the same file
}

// locale is the name of a file of texts; its tag is as long as a tag can be.
var locale = regexp.MustCompile(`^locales/([A-Za-z0-9-]{2,35})\.json$`)

// Texts are what Handler needs of a locales.Catalog.
type Texts interface {
	Languages() []string
	Nearest(tag string) (language string)
	All(language string) map[string]string // by id
}

// Handler serves the chat page at /, the admin view at /admin and their files below
// /assets/, for GET and HEAD. texts has the texts of pages and card; those in the language
// nearest to a BCP 47 tag are served as /assets/locales/{tag}.json.
func Handler(texts Texts) http.Handler {
	files := load()
	spoken := map[string]func() *file{} // encoded once: any client may request them, under any number of tags
	for _, language := range texts.Languages() {
		spoken[language] = sync.OnceValue(func() *file {
			data, err := json.Marshal(texts.All(language))
			if err != nil { // texts marshal
				panic(err)
			}
			return newFile(language+".json", data)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/assets/")
		switch r.URL.Path {
		case "/":
			name, ok = "index.html", true
		case "/admin":
			name, ok = "admin.html", true
		}
		f, found := files[name]
		if tag := locale.FindStringSubmatch(name); tag != nil && !found {
			f, found = spoken[texts.Nearest(tag[1])]
		}
		if !ok || !found {
			http.NotFound(w, r)
			return
		}
		f().serve(w, r)
	})
}

// dataMark is where the answer page has its data.
const dataMark = `<script type="application/json" id="data">`

// AnswerPage is the page behind an answer link, with what it shows: JSON in which <, > and &
// are escaped. It sets the page's headers.
func AnswerPage(h http.Header, data []byte) (contentType string, body []byte) {
	page, err := static.ReadFile("static/answer.html")
	if err != nil { // embedded
		panic(err)
	}
	h.Set("Content-Security-Policy", policy)
	before, after, _ := bytes.Cut(page, []byte(dataMark))
	return types[".html"], slices.Concat(before, []byte(dataMark), data, after)
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-cache") // cached copies are revalidated, as the next version has the same names
	h.Set("ETag", f.etag)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data := f.data
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		data = f.zipped
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data)
}

// acceptsGzip says whether gzip is named and not refused (q=0).
func acceptsGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return !strings.HasPrefix(strings.TrimSpace(weight), "q=0") || strings.ContainsAny(weight, "123456789")
		}
	}
	return false
}

// comments matches lines with only a comment, which browsers need not load. They become empty lines,
// so that an error names the line of the source.
var comments = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// load lists the embedded files. Each is prepared at its first request, so that it does not delay the
// gateway's start.
func load() map[string]func() *file {
	files := make(map[string]func() *file)
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, "static/")] = sync.OnceValue(func() *file {
			data, err := static.ReadFile(name)
			if err != nil { // embedded
				panic(err)
			}
			if path.Ext(name) == ".js" && !strings.HasPrefix(name, "static/vendor/") {
				data = comments.ReplaceAll(data, nil)
			}
			return newFile(name, data)
		})
		return nil
	})
	if err != nil {
		panic(err)
	}
	return files
}

func newFile(name string, data []byte) *file {
	sum := sha256.Sum256(data)
	f := &file{data: data, contentType: types[path.Ext(name)], etag: `W/"` + hex.EncodeToString(sum[:8]) + `"`}
	if f.contentType == "" {
		f.contentType = types[""]
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data) // into memory
	_ = z.Close()
	f.zipped = b.Bytes()
	return f
}
