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

// texts stands in for the locales, which are none of this package's business.
func texts(tag string) map[string]string { return map[string]string{"card.send": "send in " + tag} }

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	web.Handler(texts).ServeHTTP(w, r)
	return w
}

func TestPageAndItsFilesAreServed(t *testing.T) {
	page := get(t, "/")
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
	for _, path := range []string{"/assets/", "/assets/nothing.js", "/assets/../web.go", "/index.html"} {
		if w := get(t, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// sources are the texts of our own files; what is vendored is not ours to judge.
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
		for _, m := range regexp.MustCompile(`"((?:page|card)\.[a-z_]*[a-z])"`).FindAllStringSubmatch(source, -1) {
			if _, ok := texts[m[1]]; !ok {
				t.Errorf("%s: no text %s", name, m[1])
			}
		}
	}
}
