package web_test

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/web"
)

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	web.Handler().ServeHTTP(w, r)
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
	for _, ref := range regexp.MustCompile(`(?:src|href)="(/[^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1) {
		w := get(t, ref[1])
		if w.Code != 200 || w.Header().Get("Content-Type") == "" {
			t.Errorf("%s: %d", ref[1], w.Code)
		}
		if again := get(t, ref[1], "If-None-Match", w.Header().Get("ETag")); again.Code != 304 || again.Body.Len() != 0 {
			t.Errorf("%s again: %d", ref[1], again.Code)
		}
	}
}

// sources are the texts of the page's files.
func sources(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	err := fs.WalkDir(os.DirFS("static"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
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
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", " style=", " onclick=", "<style", "http://", "https://"} {
			if strings.Contains(text, bad) && (name != "icon.svg" || bad != "http://") {
				t.Errorf("%s holds %s", name, bad)
			}
		}
	}
}

func TestEveryTextOfThePageExists(t *testing.T) {
	data, err := os.ReadFile("../../locales/active.en.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]any
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	for name, source := range sources(t) {
		for _, id := range regexp.MustCompile(`\b(?:page|admin)\.[a-z_0-9]+\b`).FindAllString(source, -1) {
			if strings.HasSuffix(id, ".html") || strings.HasSuffix(id, ".js") || strings.HasSuffix(id, ".css") || strings.HasSuffix(id, "_") {
				continue // a file, or the beginning of ids
			}
			if _, ok := texts[id]; !ok {
				t.Errorf("%s: no text %s", name, id)
			}
		}
	}
}
