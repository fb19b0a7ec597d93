package documents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/config/configtest"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

func TestSearchReadAndPassage(t *testing.T) {
	b := open(t, map[string]string{"civil law/tenancy.md": "# Tenancy Act\n\n## Notice\n\nThree \"months\" <b>.", "no.json": "{}", ".hidden/x.md": "# notice"})
	r := b.search(t, "notice")
	if len(r.Items) != 1 || r.Next != nil || r.Note != "" {
		t.Fatalf("%+v", r)
	}
	hit := r.Items[0]
	if hit.Title != "Tenancy Act › Notice" || hit.Work != "Tenancy Act" || hit.Link != "/v1/apps/law/documents/laws/"+hit.ID || hit.Snippet != `Three "months" <b>.` {
		t.Errorf("%+v", hit)
	}
	out, refused := b.run(t, "laws__read", `{"id": "`+hit.ID+`"}`)
	want := `{"id":"` + hit.ID + `","title":"Tenancy Act › Notice","link":"` + hit.Link + `","text":"Three \"months\" <b>."}`
	if refused != nil || out.Result != want {
		t.Errorf("%s, want %s", out.Result, want)
	}
	if len(out.Content) != 1 || string(out.Content[0].Part) != `{"mimeType":"application/json","name":"Tenancy Act › Notice","title":"Tenancy Act › Notice","type":"resource_link","uri":"`+hit.Link+`"}` {
		t.Errorf("%+v", out.Content)
	}
	p, ok, err := b.Passage(t.Context(), hit.ID)
	if !ok || err != nil || !reflect.DeepEqual(p, tools.Passage{ID: hit.ID, Title: hit.Title, Work: hit.Work, Link: hit.Link, Text: `Three "months" <b>.`, Format: "markdown"}) {
		t.Errorf("%+v %v", p, err)
	}
	for _, id := range []string{"x", "../no.json", "/etc/passwd", hit.ID + "x", "%2e%2e"} {
		raw, _ := json.Marshal(map[string]string{"id": id})
		if _, refused := b.run(t, "laws__read", string(raw)); refused == nil || refused.Code != "NOT_FOUND" {
			t.Errorf("%s: %v", id, refused)
		}
	}
}

// A search names the works that match about equally well, so that the model can ask which one is
// meant, as its description explains.
func TestWorksThatFitAlikeAreNamed(t *testing.T) {
	files := map[string]string{
		"a.md": "# Tenancy\n\n## Notice\n\nmonths\n\n## Notice again\n\nmonths", "b.md": "# Labour\n\n## Notice\n\nweeks", "c.md": "# Harbour\n\nNotice is given, in weeks, and signals.",
	}
	for i := range 12 {
		files[fmt.Sprintf("m%d.md", i)] = fmt.Sprintf("# Many %d", i)
	}
	b := open(t, files)
	for query, want := range map[string][]string{
		"notice":          {"Tenancy", "Labour"}, // in titles; the text of a third does not match as well
		"notice tenancy":  nil,                   // one work
		"weeks":           {"Labour", "Harbour"},
		"labuor":          nil,
		"months signals":  nil, // any of the words
		"nothing of that": nil,
	} {
		got := b.search(t, query).Works
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if n := len(b.search(t, "many").Works); n != 10 {
		t.Errorf("%d works are named", n)
	}
	if out, _ := b.run(t, "laws__search", `{"query": "many", "cursor": "2"}`); strings.Contains(out.Result, "works") {
		t.Error("not on the first page:", out.Result)
	}
	if d := b.Members("en")[0].Description; !strings.Contains(d, "`works` lists") || !strings.Contains(d, "ask with these works as options") {
		t.Error(d)
	}
}

func TestLinksAreMadeOfPathAndAnchor(t *testing.T) {
	b := open(t, map[string]string{
		"civil law/a&b.md": "# Tenancy\n\n## Notice\n\nx", "plain.txt": "words alone", "l.jsonl": `{"id":"1","title":"Quinces","text":"x","link":"https://own.example/1"}`,
	}, func(o *documents.Options) { o.Link = "https://laws.example.org/{path}#{anchor}" })
	for query, want := range map[string]string{
		"notice": "https://laws.example.org/civil%20law/a&b.md#notice", "alone": "https://laws.example.org/plain.txt", "quinces": "https://own.example/1",
	} {
		if r := b.search(t, query); len(r.Items) != 1 || r.Items[0].Link != want {
			t.Errorf("%s: %+v", query, r.Items)
		}
	}
}

func TestFaultyCallsSayHowToFixThem(t *testing.T) {
	b := open(t, map[string]string{"a.md": "# A\n\nx"})
	for arguments, want := range map[string]string{
		`{}`: "query", `{"query": ""}`: "query", `{"query": "?! …"}`: "has no words", `{"query": "` + strings.Repeat("x", 10_000) + `"}`: "query", `{"query": 5}`: "query",
		`{"query": "x", "limit": 0}`: "limit", `{"query": "x", "cursor": "-1"}`: "nextCursor", `{"query": "x", "cursor": "1001"}`: "nextCursor", `{"query": "x", "path": "/"}`: "path",
	} {
		if _, refused := b.run(t, "laws__search", arguments); refused == nil || refused.Code != tools.CodeInvalidArguments || !strings.Contains(refused.Message, want) {
			t.Errorf("%.60s: %v", arguments, refused)
		}
	}
	b = open(t, map[string]string{"a.md": "---\nid: x\n---\n# A\n\nx"}, func(o *documents.Options) { o.Versions = &passages.Versions{Key: "id", From: "from", To: "to"} })
	for _, day := range []string{"yesterday", "9999-01-01", "2015-02-30"} {
		if _, refused := b.run(t, "laws__search", `{"query": "x", "asOf": "`+day+`"}`); refused == nil || refused.Message != "`asOf` is not a day from 0001-01-01 to 9998-12-31; write it like 2026-01-31" {
			t.Errorf("%s: %v", day, refused)
		}
	}
	if err := b.Ready(t.Context(), "laws__delete"); err == nil {
		t.Error("there is no such function")
	}
}

// Pages are bounded in bytes as well, and lead on to the rest.
func TestAPageHasRoomForWhatAModelReads(t *testing.T) {
	var lines strings.Builder
	for i := range 60 {
		raw, _ := json.Marshal(map[string]any{"id": i, "title": strings.Repeat("租", 190), "text": "needle", "link": "https://x.example/" + strings.Repeat("y", 1900)})
		lines.Write(append(raw, '\n'))
	}
	b := open(t, map[string]string{"l.jsonl": lines.String()})
	seen, cursor := 0, ""
	for {
		out, _ := b.run(t, "laws__search", `{"query": "needle", "limit": 50`+cursor+`}`)
		var r reply
		if err := json.Unmarshal([]byte(out.Result), &r); err != nil || len(out.Result) > 64<<10 {
			t.Fatal(len(out.Result), err)
		}
		seen += len(r.Items)
		if r.Next == nil {
			break
		}
		cursor = `, "cursor": "` + *r.Next + `"`
	}
	if seen != 60 {
		t.Error(seen)
	}
}

func TestChangesAreFound(t *testing.T) {
	b := open(t, map[string]string{"a.md": "# A\n\napples", "b/b.md": "# B\n\npears"})
	b.finds(t, "pears", "pears")
	write := func(name, text string) { configtest.Files{name: text}.Write(t, b.folder) }
	write("a.md", "# A\n\nquince") // as long as before
	b.finds(t, "quince", "quince")
	b.finds(t, "apples", "")
	write("c.md", "# C\n\ncherries")
	b.finds(t, "cherries", "cherries")
	if err := os.RemoveAll(filepath.Join(b.folder, "b")); err != nil {
		t.Fatal(err)
	}
	b.finds(t, "pears", "")
	// Another process uses the existing index, and finds what changed meanwhile.
	b.end()
	write("c.md", "# C\n\nplums")
	b.open(t)
	b.finds(t, "plums", "plums")
	b.finds(t, "quince", "quince")
	// A folder that is unavailable keeps its index.
	if err := os.Rename(b.folder, b.folder+".away"); err != nil {
		t.Fatal(err)
	}
	until(t, "the error is reported", func() bool { return b.shelf.Statuses()[0].Err != nil })
	b.finds(t, "quince", "quince")
	if err := os.Rename(b.folder+".away", b.folder); err != nil {
		t.Fatal(err)
	}
	until(t, "the error is gone", func() bool { return b.shelf.Statuses()[0].Err == nil })
}

func TestNothingOutsideOfTheFolderIsRead(t *testing.T) {
	b := open(t, map[string]string{"real/a.md": "# A\n\ninside"})
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("# S\n\nsecret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"in.md": "real/a.md", "out.md": outside, "up.md": "../../../../../../etc/passwd", "dir": filepath.Dir(outside), "loop.md": "loop.md"} {
		if err := os.Symlink(to, filepath.Join(b.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the links are checked", func() bool { return strings.Count(b.log.String(), "a document is left out") == 3 })
	until(t, "the link within is followed", func() bool { return len(b.search(t, "inside").Items) == 2 })
	b.finds(t, "secret", "")
	if n := strings.Count(b.log.String(), "is a symbolic link that cannot be followed within the folder"); n != 3 || strings.Contains(b.log.String(), filepath.Dir(outside)) {
		t.Error(b.log.String())
	}
}

func TestWhatCannotBeReadIsNamedOnce(t *testing.T) {
	b := open(t, map[string]string{"bad.md": "K\xfcndigung", "l.jsonl": "{\"id\":1,\"text\":\"good\"}\nbroken\n", "ok.md": "# Fine\n\nfine", "huge.txt": strings.Repeat("x ", passages.MaxFile)})
	b.finds(t, "good", "good")
	st := b.shelf.Statuses()[0]
	if st.Documents != 2 || st.Faulty != 3 || !st.Ready || st.String() != "2 documents, 2 passages, 3 left out" {
		t.Errorf("%+v %s", st, st)
	}
	configtest.Files{"ok.md": "# Fine\n\nchanged"}.Write(t, b.folder)
	b.finds(t, "changed", "changed")
	for _, line := range []string{"file=bad.md error=\"is not UTF-8", "file=l.jsonl line=2 error=\"is not a JSON object", "file=huge.txt error=\"is larger than 10 MiB"} {
		if n := strings.Count(b.log.String(), line); n != 1 {
			t.Errorf("%s: %d times in\n%s", line, n, b.log)
		}
	}
	if strings.Contains(b.log.String(), "broken") {
		t.Error("the log has a document's text")
	}
	configtest.Files{"bad.md": "Fixed, and longer."}.Write(t, b.folder)
	b.finds(t, "fixed", "Fixed")
}

// The state of a library, as an admin reads it.
func TestAStatusInWords(t *testing.T) {
	st := documents.Status{Documents: 400, Passages: 1200, Faulty: 2, Read: 400, Of: 12237, Err: errors.New("permission denied")}
	if got := st.String(); got != "400 documents, 1200 passages, 2 left out, indexing: 400 of 12237 files, fault: permission denied" {
		t.Error(got)
	}
}

func indexFile(t *testing.T, b *bench) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(b.cache, "laws-*.db"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	return files[0]
}

// An index that is damaged, during use or before, is rebuilt.
func TestADamagedIndexIsMadeAnew(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("work-%d.md", i)] = "# Work\n\nneedle " + strings.Repeat("words and words ", 50)
	}
	b := open(t, files)
	b.finds(t, "needle", "needle")
	b.end()
	whole, err := os.ReadFile(indexFile(t, b))
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"no database": []byte(strings.Repeat("garbage ", 1000)),
		"cut off":     whole[:len(whole)/2],
		"overwritten": append(bytes.Clone(whole[:8192]), bytes.Repeat([]byte{0xab}, len(whole)-8192)...),
		"empty":       {},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(indexFile(t, b), damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			b.open(t)
			until(t, "everything is found again", func() bool {
				out, err := b.Run(t.Context(), tools.Call{Name: "laws__search", Arguments: `{"query": "needle"}`})
				return err == nil && strings.Contains(out.Result, "needle") && b.shelf.Statuses()[0].Documents == 300
			})
			b.end()
		})
	}
}

// Searches work while the folder is being indexed, and report that there may be more.
func TestSearchesGoOnWhileIndexing(t *testing.T) {
	b := open(t, map[string]string{"a.md": "# A\n\nneedle"})
	b.finds(t, "needle", "needle")
	files := configtest.Files{}
	for i := range 1500 {
		files[strings.Repeat("d/", i%3)+strings.Repeat("y", i%200+1)+string(rune('a'+i/200))+".md"] = "# Work\n\nhay and hay"
	}
	files.Write(t, b.folder)
	until(t, "all are indexed", func() bool {
		if r := b.search(t, "needle"); len(r.Items) != 1 {
			t.Fatal(r)
		}
		return b.shelf.Statuses()[0].Documents == 1+len(files)
	})
}

// The index of the program's built-in documents needs no disk.
func TestBuiltInFolders(t *testing.T) {
	b := open(t, nil, func(o *documents.Options) {
		o.Folder = config.Folder{Path: "laws", Built: fstest.MapFS{"a.md": {Data: []byte("# Harbour Code\n\nberth")}}}
	})
	b.finds(t, "berth", "berth")
	if _, err := os.Stat(b.cache); err == nil {
		t.Error("it wrote a file")
	}
}

// One index serves all apps that list a tool, and a reloaded configuration.
func TestAnIndexIsShared(t *testing.T) {
	b := open(t, map[string]string{"a.md": "# A\n\nneedle"})
	b.finds(t, "needle", "needle")
	o := documents.Options{ID: "laws", Folder: config.Folder{Path: b.folder}, Include: include, About: config.NewText("changed"), Link: "https://x.example/{id}"}
	other, err := b.shelf.Tool("other", o)
	if err != nil || len(b.shelf.Statuses()) != 1 {
		t.Fatal(err, b.shelf.Statuses())
	}
	_ = b.Close() // it has no error
	out, err := other.Run(t.Context(), tools.Call{Name: "laws__search", Arguments: `{"query": "needle"}`})
	if err != nil || !strings.Contains(out.Result, "https://x.example/") {
		t.Error(out.Result, err)
	}
	_ = other.Close() // likewise
	b.shelf.Wait(context.Background())
	if len(b.shelf.Statuses()) != 0 {
		t.Error("the index is no longer used")
	}
}

func TestAnIndexWithoutAPlaceIsAFault(t *testing.T) {
	b := open(t, map[string]string{"a.md": "# A\n\nneedle"}, func(*documents.Options) {})
	b.end()
	if err := os.RemoveAll(b.cache); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b.cache, nil, 0o600); err != nil { // a file in place of the folder
		t.Fatal(err)
	}
	b.open(t)
	if _, refused := b.run(t, "laws__search", `{"query": "needle"}`); refused == nil || refused.Code != tools.CodeToolFailed {
		t.Error(refused)
	}
	if !strings.Contains(b.log.String(), "documents.cache") {
		t.Error(b.log.String())
	}
}

// fields returns n fields as they are configured.
func fields(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"f%d": {"type": "number"}`, i)
	}
	return strings.Join(list, ", ")
}

func TestFieldsAndVersionsOfAnEntry(t *testing.T) {
	s, err := configtest.Load(t, configtest.Tools(`{"id": "laws", "type": "documents", "documents": {"path": "laws", "fields": {"status": {"type": "enum"}, "DC.date": {"type": "date"}, "a": {"type": "list"}, "b": {"type": "number"}}, "versions": {"key": "elí"}}}`), nil, documents.Type(nil))
	if err != nil {
		t.Fatal(err)
	}
	entry, _ := s.Tool("assistant", "laws")
	o := entry.Own.(*documents.Options)
	if want := map[string]passages.Kind{"status": passages.Enum, "DC.date": passages.Date, "a": passages.List, "b": passages.Number}; !maps.Equal(o.Fields, want) || *o.Versions != (passages.Versions{Key: "elí", From: "valid_from", To: "valid_to"}) {
		t.Errorf("%+v", o.Settings)
	}
}

// A document whose front matter cannot be used is found, and is not counted among those left out.
func TestADocumentIsReadWithoutWhatCannotBeUsed(t *testing.T) {
	b := open(t, map[string]string{"a.md": "---\ntitle: Law: x\nid: secret\n---\n# Quinces\n\nneedle", "b.md": "---\ntitle: Pears\nrank: high\n---\n\nneedle", "c.md": "K\xfcndigung"},
		func(o *documents.Options) { o.Fields = map[string]passages.Kind{"rank": passages.Number} })
	b.finds(t, "quinces", "needle")
	b.finds(t, "pears", "needle")
	if st := b.shelf.Statuses()[0]; st.Documents != 2 || st.Faulty != 1 {
		t.Errorf("%+v", st)
	}
	const read = `msg="a document is read without something that it says about itself" tool=laws file=`
	for _, want := range []string{read + `a.md line=2 error="has front matter that is not YAML`, read + `b.md line=3 error="has a member \"rank\" that is not a number`, `msg="a document is left out" tool=laws file=c.md error="is not UTF-8`} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("no %s in\n%s", want, b.log)
		}
	}
	if strings.Contains(b.log.String(), "secret") || strings.Contains(b.log.String(), "Law: x") {
		t.Error("the log has a document's text")
	}
}

func TestKeysOfAnEntry(t *testing.T) {
	types := []config.ToolType{documents.Type(nil)}
	entry := func(keys string) configtest.Files {
		return configtest.Tools(`{"id": "laws", "type": "documents", "documents": {` + keys + `}}`)
	}
	for keys, want := range map[string]string{
		`"path": "laws", ¶"inclde": []`:                                             `did you mean "include"?`,
		`"path": "laws", "include": [¶"../*"]`:                                      "not a pattern",
		`"path": "laws", "include": [¶"[a"]`:                                        "not a pattern",
		`"path": "laws", "link": ¶"javascript:alert(1)"`:                            "not a web address",
		`"path": "laws", "link": ¶"https://{path}/x"`:                               "host",
		`"path": "laws", "link": ¶"https://x.example/{page}"`:                       "{page}",
		`"path": "laws", "title": ¶"h1 >"`:                                          "selector",
		`"path": "laws", "title": ¶"/a~2"`:                                          "JSON pointer",
		`"path": "laws", "link": ¶""`:                                               "empty",
		`"path": "laws", "fields": ¶[]`:                                             "an object",
		`"path": "laws", "fields": {"status": ¶"enum"}`:                             `want an object like {"type": "enum"}, not a string`,
		`"path": "laws", "fields": {"status": ¶{}}`:                                 `"type" is missing; write {"type": "enum"}`,
		`"path": "laws", "fields": {"a": {"type": ¶"text"}}`:                        "unknown type",
		`"path": "laws", "fields": {¶"a b": {"type": "date"}}`:                      "is not a name for a field",
		`"path": "laws", "fields": {"title": ¶{"type": "enum"}}`:                    "is reserved",
		`"path": "laws", "fields": {"id": ¶{"type": "enum"}}`:                       "is reserved",
		`"path": "laws", "fields": {"query": ¶{"type": "enum"}}`:                    "is reserved",
		`"path": "laws", "fields": {` + fields(50) + `, ¶"more": {"type": "list"}}`: "the limit is 50",
		`"path": "laws", "versions": ¶{}`:                                           `"key" is missing; name the member, like "id"`,
		`"path": "laws", "versions": {"key": ¶""}`:                                  "empty",
		`"path": "laws", "versions": {"key": ¶"` + strings.Repeat("x", 101) + `"}`:  "more than 100 characters",
		`"path": "laws", "versions": ¶{"key": "id", "to": "valid_from"}`:            "must be different members",
	} {
		configtest.Faulty(t, entry(keys), nil, types, want)
	}
	configtest.Faulty(t, configtest.Tools(`{"id": "laws", "type": "documents", "documents": ¶{}}`), nil, types, `"path" is missing`)
	template := func(tool string) configtest.Files {
		return configtest.Tools(`{"id": "laws", "type": "documents", "documents": {"path": "laws"}}, {"id": "ask_user", "type": "ask_user", "templates": {"which": {"question": "Which?", "optionsFrom": {"tool": ` + tool + `, "arguments": {"query": "{topic}"}, "label": "/title", "value": "/id"}}}}`)
	}
	configtest.Faulty(t, template(`¶"laws__read"`), nil, types, "name laws__search")
	configtest.Faulty(t, template(`¶"laws"`), nil, types, "name laws__search")
	for argument, want := range map[string]string{
		`"asOf": "2020-01-01"`:       `no argument "asOf"`, // without versions
		`"filter": {"rank": 1}`:      `no argument "filter"`,
		`"filter": {"staus": "{s}"}`: `no field "staus"; did you mean "status"?`,
	} {
		files := template(`¶"laws__search"`)
		text := strings.Replace(files["tools.json"], `"query": "{topic}"`, `"query": "{topic}", `+argument, 1)
		if strings.Contains(argument, "staus") {
			text = strings.Replace(text, `"path": "laws"`, `"path": "laws", "fields": {"status": {"type": "enum"}}`, 1)
		}
		files["tools.json"] = text
		configtest.Faulty(t, files, nil, types, want)
	}
	if _, err := configtest.Load(t, template(`"laws__search"`), nil, types...); err != nil {
		t.Error(err)
	}
	files := entry(`"path": "laws"`)
	files["apps/a.json"] = `{"id": "a", "tools": ["laws__read", "laws__diff"]}`
	s, err := configtest.Load(t, files, nil, types...)
	if err != nil || !strings.Contains(fmt.Sprint(s.Warnings), `tools[1]: tool "laws__diff" is not among the tools of "laws", so it is never offered; correct it, or remove it (known: laws__read, laws__search)`) {
		t.Errorf("%v %v", err, s.Warnings)
	}
}
