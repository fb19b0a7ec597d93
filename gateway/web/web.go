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

//go:generate go run ./bundle

// embedded has the sources, which frontends load under their own names, and what the pages load,
// which ./bundle makes of them.
//
//go:embed static dist
var embedded embed.FS

// policy lets a page load files only from its own server, and connect only to it. Text can become
// markup or code only through Lit's templates and DOMPurify. No page of another site may frame it.
const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; " + noFrame +
	"; require-trusted-types-for 'script'; trusted-types lit-html dompurify askgate askgate-page"

const noFrame = "frame-ancestors 'none'"

// framedBy sets the policy of a page that pages of these origins may frame.
func framedBy(h http.Header, origins []string) {
	allowed := policy
	if len(origins) > 0 {
		allowed = strings.Replace(policy, noFrame, "frame-ancestors "+strings.Join(origins, " "), 1)
		h.Del("X-Frame-Options") // cannot name origins
	}
	h.Set("Content-Security-Policy", allowed)
}

var types = map[string]string{
	".html":  "text/html; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
	"":       "text/plain; charset=utf-8", // files that browsers do not load: types, licenses
}

type file struct {
	data, zipped []byte
	contentType  string
	etag         string // weak, because it is the same with and without compression
	forGood      bool   // the name changes with the content
}

// locale matches the name of a file of texts, with a language tag of at most 35 characters.
var locale = regexp.MustCompile(`^locales/([A-Za-z0-9-]{2,35})\.json$`)

// Texts has the methods of locales.Catalog that Handler needs.
type Texts interface {
	Languages() []string
	Nearest(tag string) (language string)
	All(language string) map[string]string // by id
}

// Handler serves the chat page at /, the admin view at /admin and their files below /assets/, for GET
// and HEAD. texts has the texts of the pages and the card; /assets/locales/{tag}.json serves those in
// the language nearest to a BCP 47 tag. framing returns the origins whose pages may frame the chat page.
func Handler(texts Texts, framing func() []string) http.Handler {
	files := load()
	spoken := map[string]func() *file{} // encoded once per language, because anyone may request any number of tags
	for _, language := range texts.Languages() {
		spoken[language] = sync.OnceValue(func() *file {
			data, err := json.Marshal(texts.All(language))
			if err != nil { // maps of strings can always be encoded
				panic(err)
			}
			return newFile(language+".json", data)
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := strings.CutPrefix(r.URL.Path, "/assets/")
		var origins []string
		switch r.URL.Path {
		case "/":
			name, ok, origins = indexPage, true, framing()
		case "/admin":
			name, ok = adminPage, true
		}
		f, found := files[name]
		if tag := locale.FindStringSubmatch(name); tag != nil && !found {
			f, found = spoken[texts.Nearest(tag[1])]
		}
		if !ok || !found {
			w.Header().Set("Cache-Control", "no-store") // another node, or the next version, may have it
			http.NotFound(w, r)
			return
		}
		framedBy(w.Header(), origins)
		f().serve(w, r)
	})
}

// The pages, with the names of the files that they load.
const (
	indexPage  = "dist/index.html"
	adminPage  = "dist/admin.html"
	answerPage = "dist/answer.html"
)

// dataMark precedes the data in the answer page.
const dataMark = `<script type="application/json" id="data">`

// AnswerPage returns the page behind an answer link, with data, the JSON that it shows. <, > and & must
// be escaped in data. It sets the headers of the page.
func AnswerPage(h http.Header, data []byte) (contentType string, body []byte) {
	page, err := embedded.ReadFile(answerPage)
	if err != nil { // embedded
		panic(err)
	}
	h.Set("Content-Security-Policy", policy)
	before, after, _ := bytes.Cut(page, []byte(dataMark))
	return types[".html"], slices.Concat(before, []byte(dataMark), data, after)
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache") // cached copies are revalidated, because the next version has the same file names
	if f.forGood {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
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

// acceptsGzip reports whether an Accept-Encoding header names gzip and does not refuse it (q=0).
func acceptsGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			return !strings.HasPrefix(strings.TrimSpace(weight), "q=0") || strings.ContainsAny(weight, "123456789")
		}
	}
	return false
}

// comments matches lines that contain only a comment, which browsers need not load. They become empty
// lines, so that errors have the line numbers of the source.
var comments = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// load lists the embedded files by the name that they have below /assets/. Each is compressed at its
// first request, so that it does not delay the start of the gateway.
func load() map[string]func() *file {
	files := make(map[string]func() *file)
	err := fs.WalkDir(embedded, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, isSource := strings.CutPrefix(name, "static/")
		files[source] = sync.OnceValue(func() *file {
			data, err := embedded.ReadFile(name)
			if err != nil { // embedded
				panic(err)
			}
			if isSource && path.Ext(name) == ".js" && !strings.HasPrefix(source, "vendor/") {
				data = comments.ReplaceAll(data, nil)
			}
			f := newFile(name, data)
			f.forGood = !isSource && path.Ext(name) != ".html"
			return f
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
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a valid level
	_, _ = z.Write(data)                                  // a buffer cannot fail
	_ = z.Close()
	f.zipped = b.Bytes()
	return f
}
