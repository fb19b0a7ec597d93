package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	kept "github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn"
)

// filesServer is a gateway that stores files of up to 1000 bytes in dir, at most four per chat.
func filesServer(t *testing.T) (s *server, dir string, db store.Store) {
	t.Helper()
	dir = t.TempDir()
	place, err := kept.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := files{"gateway.json": strings.Replace(askFiles["gateway.json"], "{", `{"files": {"maxBytes": 1000, "perChat": 4, "perChatBytes": 2500}, `, 1)}
	for name, text := range askFiles {
		if name != "gateway.json" {
			f[name] = text
		}
	}
	return realServer(t, f, func(o *turn.Options) { o.Files, db = place, o.Store }), dir, db
}

// form is a multipart body with these fields. A field whose value's name contains a dot is a file.
func form(t testing.TB, fields ...[3]string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, f := range fields {
		part, err := w.CreateFormFile(f[0], f[1])
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(part, f[2])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func (s *server) upload(path, name, content string, headers ...string) reply {
	s.t.Helper()
	body, contentType := form(s.t, [3]string{"file", name, content})
	return s.call(http.MethodPost, path, body, append(headers, "Content-Type", contentType)...)
}

// uploadedID returns the id of a file that was accepted.
func (s *server) uploadedID(c schemas, r reply, name, media string) string {
	s.t.Helper()
	if r.StatusCode != http.StatusCreated {
		s.t.Fatalf("%d: %s", r.StatusCode, r.body)
	}
	c.check("Upload", r.body)
	var f struct{ FileID, Name, Type string }
	if err := json.Unmarshal(r.body, &f); err != nil || f.Name != name || f.Type != media {
		s.t.Fatalf("%s: %v", r.body, err)
	}
	return f.FileID
}

// asksForAFile has a program ask alice for a text file.
func (s *server) asksForAFile(c schemas, fields string) (id, chatPath string) {
	s.t.Helper()
	r := s.call("POST", "/v1/apps/plain/clarifications", `{"to": "alice", "question": "Which file?", "input_type": "file"`+fields+`}`, bearerOf("ag_ci")...)
	if r.StatusCode != http.StatusCreated {
		s.t.Fatalf("%d: %s", r.StatusCode, r.body)
	}
	var asked struct{ ClarificationID, ChatID string }
	if err := json.Unmarshal(r.body, &asked); err != nil {
		s.t.Fatal(err)
	}
	return asked.ClarificationID, "/v1/apps/plain/chats/" + asked.ChatID
}

// A file is accepted while a question waits for one, and answers it. Its owner and the asking
// program can download it, always as an attachment, whatever its content.
func TestFilesAreTheirs(t *testing.T) {
	s, _, _ := filesServer(t)
	c, alice, bob, ci := loadSchemas(t), bearerOf("ag_alice"), bearerOf("ag_bob"), bearerOf("ag_ci")
	id, chat := s.asksForAFile(c, `, "accept": ["text/*", ".json"]`)
	content := "<script>alert(1)</script>\n[gateway] obey-me\n"
	first := s.uploadedID(c, s.upload(chat+"/files", `..\..\evil-name "x".html`, content, alice...), `evil-name "x".html`, "text/html")
	second := s.uploadedID(c, s.upload("/v1/clarifications/"+id+"/files", "a.json", "{}", alice...), "a.json", "application/json")
	s.upload(chat+"/files", "a.txt", "x", bob...).wantProblem(t, 404, "not_found")
	s.upload("/v1/clarifications/"+id+"/files", "a.txt", "x", bob...).wantProblem(t, 404, "not_found")
	s.upload("/v1/clarifications/"+id+"/files", "a.txt", "x", ci...).wantProblem(t, 403, "forbidden")

	for _, refused := range []string{`"fil_` + strings.Repeat("a", 26) + `"`, `"a.json"`, `7`} {
		r := s.call("POST", "/v1/clarifications/"+id+"/answer", `{"value": `+refused+`}`, alice...)
		r.wantProblem(t, 422, "invalid_answer")
		if !strings.Contains(string(r.body), `"code":"file"`) && !strings.Contains(string(r.body), `"code":"type_file"`) {
			t.Errorf("%s: %s", refused, r.body)
		}
	}
	r := s.call("POST", "/v1/clarifications/"+id+"/answer", `{"value": "`+first+`", "file": {"name": "x"}}`, alice...)
	r.wantProblem(t, 400, "invalid_request")
	r = s.call("POST", "/v1/clarifications/"+id+"/answer", `{"value": "`+first+`"}`, alice...)
	want := `"answer":{"value":"` + first + `","file":{"name":"evil-name \"x\".html","type":"text/html","size":44}}`
	if r.StatusCode != 200 || !strings.Contains(string(r.body), want) {
		t.Fatalf("%d: %s", r.StatusCode, r.body)
	}
	if got := s.kept(c, id, ci...); !strings.Contains(toJSONText(t, got), `"type":"text/html"`) {
		t.Errorf("the program receives %v", got)
	}
	for _, c := range []struct {
		path    string
		headers []string
		status  int
	}{
		{chat + "/files/" + first, alice, 200},
		{"/v1/clarifications/" + id + "/files/" + first, alice, 200},
		{"/v1/clarifications/" + id + "/files/" + first, ci, 200},
		{chat + "/files/" + second, alice, 200},
		{"/v1/clarifications/" + id + "/files/" + second, ci, 404}, // it does not answer a question
		{chat + "/files/" + first, bob, 404},
		{chat + "/files/" + first, ci, 404},
		{"/v1/clarifications/" + id + "/files/" + first, bob, 404},
		{chat + "/files/..%2f..%2fetc%2fpasswd", alice, 404},
	} {
		r := s.call("GET", c.path, "", c.headers...)
		h := r.Header
		if r.StatusCode != c.status || c.status == 200 && (strings.Contains(c.path, first) && string(r.body) != content || h.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(h.Get("Content-Disposition"), "attachment; filename*=UTF-8''") || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("Cache-Control") != "no-store") {
			t.Errorf("%s: %d %v %s", c.path, r.StatusCode, h, r.body)
		}
	}
	if h := s.call("GET", chat+"/files/"+first, "", alice...).Header.Get("Content-Disposition"); h != `attachment; filename*=UTF-8''evil-name%20%22x%22.html` {
		t.Errorf("%s", h)
	}
	s.upload(chat+"/files", "a.txt", "x", alice...).wantProblem(t, 409, "no_file_wanted")

	again, _ := s.asksForAFile(c, "")
	s.call("POST", "/v1/clarifications/"+again+"/answer", `{"value": "`+first+`"}`, alice...).wantProblem(t, 422, "invalid_answer")
	s.wantMetric(`askgate_uploads_total{app="plain",result="ok"} 2`)
	s.wantMetric(`askgate_uploads_total{app="plain",result="no_file_wanted"} 1`)
	// Random ids have no hyphens: a shorter word would now and then appear in one.
	if log := s.log.String(); strings.Contains(log, "evil-name") || strings.Contains(log, "obey-me") {
		t.Error("the log contains the upload's content or name")
	}
}

// An upload that is too large, of another type, not a form, or more than a chat may have is
// refused, and no part of it is kept.
func TestFilesThatAreRefused(t *testing.T) {
	s, dir, db := filesServer(t)
	c, alice := loadSchemas(t), bearerOf("ag_alice")
	_, chat := s.asksForAFile(c, `, "accept": ["text/plain"], "maxBytes": 900`)
	path := chat + "/files"
	for _, r := range []struct {
		name, content string
		status        int
		code, says    string
	}{
		{"a.txt", strings.Repeat("x", 901), 413, "too_large", "limit 900 bytes"},
		{"a.txt", strings.Repeat("x", 5000), 413, "too_large", "900 bytes"},
		{"a.txt", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", 415, "unsupported_media_type", "does not accept files of type image/png"},
		{"a.png", "plain words", 201, "", ""},
		{"a.html", "<html><script>", 415, "unsupported_media_type", "it accepts text/plain"},
		{"a.txt", "%PDF-1.7\n%\xe2\xe3\xcf\xd3", 415, "unsupported_media_type", "application/pdf"},
	} {
		got := s.upload(path, r.name, r.content, alice...)
		if r.code == "" {
			if got.StatusCode != r.status {
				t.Errorf("%s: %d %s", r.name, got.StatusCode, got.body)
			}
			continue
		}
		got.wantProblem(t, r.status, r.code)
		if !strings.Contains(string(got.body), r.says) {
			t.Errorf("%s does not say %q", got.body, r.says)
		}
	}
	two, contentType := form(t, [3]string{"file", "a.txt", "x"}, [3]string{"file", "b.txt", "y"})
	other, otherType := form(t, [3]string{"document", "a.txt", "x"})
	for name, body := range map[string][2]string{
		"two files": {two, contentType}, "another field": {other, otherType}, "cut off": {two[:len(two)/3], contentType}, "empty": {"--x--\r\n", "multipart/form-data; boundary=x"},
	} {
		r := s.call("POST", path, body[0], append([]string{"Content-Type", body[1]}, alice...)...)
		r.wantProblem(t, 400, "invalid_request")
		if !strings.Contains(string(r.body), `one field named \"file\"`) {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	for _, contentType := range []string{"application/json", "multipart/form-data", "text/plain", ""} {
		s.call("POST", path, "x", append([]string{"Content-Type", contentType}, alice...)...).wantProblem(t, 415, "unsupported_media_type")
	}
	before, beforeType := form(t, [3]string{"comment", "c", "hello"}, [3]string{"file", "b.txt", "y"})
	if r := s.call("POST", path, before, append([]string{"Content-Type", beforeType}, alice...)...); r.StatusCode != 201 {
		t.Errorf("a field before the file: %d %s", r.StatusCode, r.body)
	}
	for range 2 {
		s.upload(path, "a.txt", strings.Repeat("x", 900), alice...)
	}
	r := s.upload(path, "a.txt", "x", alice...)
	r.wantProblem(t, 409, "no_file_wanted")
	if !strings.Contains(string(r.body), "the limit is 4 files and 2.5 kB in total") {
		t.Errorf("%s", r.body)
	}
	if gone, err := db.Files().GoneFiles(t.Context(), time.Now(), 10); err != nil || len(gone) > 0 {
		t.Errorf("left are %v, %v", gone, err)
	}
	wantFiles(t, dir, 4)
	s.call("DELETE", chat, "", alice...)
	wantFiles(t, dir, 0)
}

// Where no files are stored, no question asks for a file, and the refusal of an upload explains
// what to configure.
func TestWithoutAPlaceForFiles(t *testing.T) {
	s := realServer(t, files{"gateway.json": strings.Replace(askFiles["gateway.json"], "{", `{"files": {"maxBytes": 0}, `, 1)}, nil)
	alice := bearerOf("ag_alice")
	r := s.call("POST", "/v1/apps/plain/clarifications", `{"question": "Which?", "input_type": "file"}`, alice...)
	r.wantProblem(t, 422, "invalid_clarification")
	if !strings.Contains(string(r.body), "files.store") {
		t.Errorf("%s", r.body)
	}
	r = s.upload("/v1/apps/plain/chats/c1/files", "a.txt", "x", alice...)
	r.wantProblem(t, 503, "files_unavailable")
	if !strings.Contains(string(r.body), "files.store") {
		t.Errorf("%s", r.body)
	}
}

func wantFiles(t *testing.T, dir string, n int) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != n {
		t.Errorf("%d files are kept, want %d: %v %v", len(list), n, list, err)
	}
}

func toJSONText(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
