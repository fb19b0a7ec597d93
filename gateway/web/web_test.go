package web_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/web"
)

// texts replaces the locales.
type texts struct{ asked *int }

func (texts) Languages() []string { return []string{"de", "en"} }

func (texts) Nearest(tag string) string {
	if strings.HasPrefix(tag, "de") {
		return "de"
	}
	return "en"
}

func (s texts) All(language string) map[string]string {
	if s.asked != nil {
		*s.asked++
	}
	return map[string]string{"card.send": "send in " + language}
}

var handler = web.Handler(texts{}, noFrames)

func noFrames() []string { return nil }

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestPagesAndTheirFilesAreServed(t *testing.T) {
	for _, path := range []string{"/", "/admin"} {
		t.Run(path, func(t *testing.T) { testPage(t, path) })
	}
	for _, path := range []string{"/assets/", "/assets/nothing.js", "/assets/../web.go", "/index.html", "/admin/", "/admin.html"} {
		if w := get(t, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func testPage(t *testing.T, path string) {
	page := get(t, path)
	if page.Code != 200 || !strings.HasPrefix(page.Header().Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", page.Code, page.Header())
	}
	policy := page.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, ref := range loads(t, path) {
		w := get(t, ref)
		if w.Code != 200 || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d", ref, w.Code)
		}
		if again := get(t, ref, "If-None-Match", w.Header().Get("ETag")); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s again: %d", ref, again.Code)
		}
	}
}

func TestTextsAreServedByLanguage(t *testing.T) {
	w := get(t, "/assets/locales/de-AT.json")
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || w.Body.String() != `{"card.send":"send in de"}` {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	for _, path := range []string{"/assets/locales/", "/assets/locales/d.json", "/assets/locales/de_AT.json", "/assets/locales/../de.json", "/assets/locales/" + strings.Repeat("a", 36) + ".json", "/locales/de.json"} {
		if w := get(t, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestTextsAreMadeOncePerLanguage: anyone may request texts, as often as they like and under any
// number of names.
func TestTextsAreMadeOncePerLanguage(t *testing.T) {
	asked := 0
	h := web.Handler(texts{&asked}, noFrames)
	for _, tag := range []string{"de", "de-AT", "de-CH", "en", "fr", "xx-yy"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/assets/locales/"+tag+".json", nil))
		if w.Code != 200 {
			t.Errorf("%s: %d", tag, w.Code)
		}
	}
	if spoken := len(texts{}.Languages()); asked > spoken {
		t.Errorf("texts of %d languages were built %d times", spoken, asked)
	}
}

func TestFilesAreZippedForClientsThatAcceptIt(t *testing.T) {
	plain := get(t, "/assets/askgate.js")
	for accept, zipped := range map[string]bool{"gzip, deflate, br": true, "br;q=1.0, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false, "br": false, "": false, "xgzip": false} {
		w := get(t, "/assets/askgate.js", "Accept-Encoding", accept)
		if (w.Header().Get("Content-Encoding") == "gzip") != zipped || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: %v", accept, w.Header())
		}
		body := io.Reader(w.Body)
		if zipped {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Fatal(err)
			}
			body = z
		}
		if got, err := io.ReadAll(body); err != nil || string(got) != plain.Body.String() {
			t.Errorf("Accept-Encoding %q: another file, %v", accept, err)
		}
	}
}

// modules returns the names of a module and all that it imports.
func modules(t *testing.T, name string) []string {
	t.Helper()
	seen := []string{}
	var load func(name string)
	load = func(name string) {
		if slices.Contains(seen, name) {
			return
		}
		seen = append(seen, name)
		source := get(t, "/assets/"+name)
		if source.Code != 200 {
			t.Errorf("%s: %d", name, source.Code)
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:import|export) (?:.*from )?"(\.[^"]+)";$`).FindAllStringSubmatch(source.Body.String(), -1) {
			load(path.Join(path.Dir(name), m[1]))
		}
	}
	load(name)
	return seen
}

// zipped returns the number of bytes that files have on the wire.
func zipped(t *testing.T, paths ...string) (bytes int) {
	t.Helper()
	for _, path := range paths {
		bytes += get(t, path, "Accept-Encoding", "gzip").Body.Len()
	}
	return bytes
}

// loads returns the files that a page names: its scripts, modules and styles.
func loads(t *testing.T, page string) (urls []string) {
	t.Helper()
	for _, ref := range regexp.MustCompile(`(?:src|href)="(assets/[^"]*)"`).FindAllStringSubmatch(get(t, page).Body.String(), -1) {
		urls = append(urls, "/"+ref[1])
	}
	return urls
}

// lazy returns what the chat page loads with the first chat.
func lazy(t *testing.T) (urls []string) {
	t.Helper()
	seen := map[string]bool{}
	var visit func(url string)
	visit = func(url string) {
		if seen[url] {
			return
		}
		seen[url] = true
		for _, m := range regexp.MustCompile(`"\./([\w-]+\.min\.js)"`).FindAllStringSubmatch(get(t, url).Body.String(), -1) {
			urls = append(urls, "/assets/dist/"+m[1])
			visit("/assets/dist/" + m[1])
		}
	}
	for _, url := range loads(t, "/") {
		visit(url)
	}
	slices.Sort(urls)
	return slices.Compact(urls)
}

func TestCardAndPageAreLight(t *testing.T) {
	card, page := modules(t, "askgate.js"), modules(t, "page/app.js")
	for _, name := range append([]string{"vendor/lit.js", "client/sse.js"}, card...) {
		if !slices.Contains(card, name) || !slices.Contains(page, name) {
			t.Errorf("%s was not found: card %v, page %v", name, card, page)
		}
	}
	urls := func(names []string) (urls []string) {
		for _, name := range names {
			urls = append(urls, "/assets/"+name)
		}
		return urls
	}
	first := append(loads(t, "/"), "/")
	chat := slices.DeleteFunc(lazy(t), func(url string) bool { return slices.Contains(first, url) })
	var rare []string // loaded for the first formula, code block or diff
	chat = slices.DeleteFunc(chat, func(url string) bool {
		is := slices.ContainsFunc([]string{"typeset-", "colors-", "diff-"}, func(name string) bool { return strings.HasPrefix(path.Base(url), name) })
		if is {
			rare = append(rare, url)
		}
		return is
	})
	for _, tt := range []struct {
		what  string
		files []string
		limit int // bytes, zipped
	}{
		{"the card and the client, for a frontend", urls(card), 80_000},
		{"the page's first screen", first, 90_000},
		{"the page with a chat", append(chat, first...), 140_000},
		{"formulas, code colors and diffs", rare, 120_000},
	} {
		total := zipped(t, tt.files...)
		if total > tt.limit {
			t.Errorf("%s: %d bytes, want at most %d", tt.what, total, tt.limit)
		}
		t.Logf("%s: %d bytes in %d files", tt.what, total, len(tt.files))
	}
}

// A browser asks only once for a file whose name has the hash of its content. The sources keep their
// names over versions, so it asks for them each time.
func TestFilesNamedByTheirContentAreKeptForGood(t *testing.T) {
	hashed := regexp.MustCompile(`^/assets/dist/.*-[A-Z0-9]{8}\.min\.(?:js|css)$`)
	stable := []string{"/assets/icon.svg", "/assets/reload.js"}
	for _, page := range []string{"/", "/admin"} {
		names := loads(t, page)
		if len(names) < 5 {
			t.Errorf("%s loads %v", page, names)
		}
		for _, name := range append(names, page) {
			want := "no-cache"
			if hashed.MatchString(name) {
				want = "public, max-age=31536000, immutable"
			} else if name != page && !slices.Contains(stable, name) {
				t.Errorf("%s loads %s, whose name is the same in the next version", page, name)
			}
			if got := get(t, name).Header().Get("Cache-Control"); got != want {
				t.Errorf("%s: Cache-Control %q, want %q", name, got, want)
			}
		}
	}
	for _, name := range []string{"askgate.js", "card.js", "client.js", "card/matcher.js", "askgate.d.ts", "locales/de.json"} {
		if got := get(t, "/assets/"+name).Header().Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
	}
}

// What this node does not have, another node or the next version may have.
func TestAMissingFileIsNotKept(t *testing.T) {
	for _, name := range []string{"/assets/dist/page-app-AAAAAAAA.min.js", "/assets/dist/", "/assets/nothing.js"} {
		if w := get(t, name); w.Code != 404 || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
	}
}

// The licences of bundled libraries are named in the bundle, and lie where it says.
func TestBundledLibrariesNameTheirLicences(t *testing.T) {
	found := map[string]bool{}
	for _, url := range append(loads(t, "/"), lazy(t)...) {
		for _, m := range regexp.MustCompile(`/\*! .*?see \.\./(vendor/\w+\.LICENSE)\.`).FindAllStringSubmatch(get(t, url).Body.String(), -1) {
			found[m[1]] = true
			if w := get(t, "/assets/"+m[1]); w.Code != 200 {
				t.Errorf("%s names %s: %d", url, m[1], w.Code)
			}
		}
	}
	if len(found) < 3 {
		t.Errorf("only %v", found)
	}
}

// Pages of listed origins may frame the chat page, and nothing else.
func TestOnlyTheChatPageCanBeFramed(t *testing.T) {
	var origins []string
	h := web.Handler(texts{}, func() []string { return origins })
	ask := func(path string) http.Header {
		w := httptest.NewRecorder()
		w.Header().Set("X-Frame-Options", "DENY") // as the gateway sets it on every response
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w.Header()
	}
	for _, origins = range [][]string{nil, {"https://a.example.org", "http://localhost:3000"}, nil} { // the list changes while the gateway runs
		for _, path := range []string{"/", "/admin", "/assets/icon.svg", "/assets/askgate.js"} {
			ancestors, option := "'none'", "DENY"
			if path == "/" && origins != nil {
				ancestors, option = "https://a.example.org http://localhost:3000", ""
			}
			got := ask(path)
			if !strings.Contains(got.Get("Content-Security-Policy"), "; frame-ancestors "+ancestors+"; require-trusted-types-for") || got.Get("X-Frame-Options") != option {
				t.Errorf("%s with %v: %v", path, origins, got)
			}
		}
		answer := http.Header{}
		web.AnswerPage(answer, []byte("{}"))
		if !strings.Contains(answer.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("the answer page with %v: %v", origins, answer)
		}
	}
}

// A script is served as its source without the lines that contain only a comment. Such a line
// within a template would be text.
func TestServedScriptsLackTheirCommentsAlone(t *testing.T) {
	literal := regexp.MustCompile(`^const \w+ = (/.*/\w*|"[^"]*");$`) // has backticks that open no template
	for name, source := range sources(t) {
		if path.Ext(name) != ".js" {
			continue
		}
		served := strings.Split(get(t, "/assets/"+name).Body.String(), "\n")
		code := ""
		for i, line := range strings.Split(source, "\n") {
			switch comment := strings.HasPrefix(strings.TrimSpace(line), "//"); {
			case comment && strings.Count(code, "`")%2 == 1:
				t.Errorf("%s:%d: the comment is inside a template", name, i+1)
			case comment:
				line = ""
			}
			code += literal.ReplaceAllString(line, "")
			if i >= len(served) || served[i] != line {
				t.Errorf("%s:%d is served differently", name, i+1)
				break
			}
		}
	}
}

func TestTheCardsEnglishIsThatOfTheMessageFile(t *testing.T) {
	source, err := os.ReadFile("static/card/texts.js")
	if err != nil {
		t.Fatal(err)
	}
	_, object, _ := strings.Cut(string(source), "export const english = ")
	object, _, _ = strings.Cut(object, ",\n};")
	var inside map[string]string
	if err := json.Unmarshal([]byte(object+"}"), &inside); err != nil {
		t.Fatal(err)
	}
	for id, text := range messages(t) {
		if !strings.HasPrefix(id, "card.") {
			continue
		}
		if inside[id] != text {
			t.Errorf("%s is %q in the card, %q in the message file", id, inside[id], text)
		}
		delete(inside, id)
	}
	for id := range inside {
		t.Errorf("the message file lacks %s", id)
	}
}

func TestTheChatElementsEnglishIsThatOfTheMessageFile(t *testing.T) {
	source, err := os.ReadFile("static/chat/texts.js")
	if err != nil {
		t.Fatal(err)
	}
	all, inside := messages(t), regexp.MustCompile(`(?m)^  ("[a-z._]+"): (".*"),$`).FindAllStringSubmatch(string(source), -1)
	for _, m := range inside {
		var id, text string
		if err := errors.Join(json.Unmarshal([]byte(m[1]), &id), json.Unmarshal([]byte(m[2]), &text)); err != nil || all[id] != text {
			t.Errorf("%s is %q in the element, %q in the message file (%v)", id, text, all[id], err)
		}
	}
	if len(inside) < 10 {
		t.Errorf("only %d texts", len(inside))
	}
}

// messages returns the English texts by id.
func messages(t *testing.T) map[string]any {
	t.Helper()
	data, err := os.ReadFile("../../locales/active.en.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]any
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// sources returns the content of our own files, without the vendored ones.
func sources(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	err := fs.WalkDir(os.DirFS("static"), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "vendor":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(filepath.Join("static", name))
		texts[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestNoTextCanBecomeCode(t *testing.T) {
	for name, text := range sources(t) {
		if ext := path.Ext(name); ext == ".md" || ext == ".json" {
			continue // browsers do not load them
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", " style=", " onclick=", "<style", "http://", "https://"} {
			if strings.Contains(text, bad) && (name != "icon.svg" || bad != "http://") {
				t.Errorf("%s contains %s", name, bad)
			}
		}
	}
}

func TestEveryTextOfThePageExistsAndIsUsed(t *testing.T) {
	texts := messages(t)
	everything := ""
	for name, source := range sources(t) {
		everything += source
		if path.Ext(name) == ".json" {
			continue // "card.js" there is a file
		}
		for _, m := range regexp.MustCompile(`"((?:page|card|admin)\.[a-z_0-9]*[a-z0-9])"`).FindAllStringSubmatch(source, -1) {
			if _, ok := texts[m[1]]; !ok {
				t.Errorf("%s: no text %s", name, m[1])
			}
		}
	}
	for id := range texts {
		if strings.HasPrefix(id, "page.") && !strings.Contains(everything, `"`+id+`"`) {
			t.Errorf("no file uses the text %s", id)
		}
	}
}
