package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

var update = flag.Bool("update", false, "rewrite the transcripts with what happens")

// TestTranscripts checks whole conversations, word by word: what the client sends
// and receives, and what the model gets. A transcript is a txtar archive:
//
//	config/...  the configuration directory; "$MODEL_URL" in it is the model's server
//	model.json  what the model answers, one entry a request (see modeltest.ParseScript)
//	environment variables, lines NAME=value
//	server.json the answers of a server for tools to call; its address
//	            in the configuration is http://server.test; that of an MCP server (see
//	            serveMCP) is http://mcp.test
//	wire        lines "> " sent and "< " received; "! restart" ends the process and starts it again;
//	            "! stop at NAME" presses stop when the next stream has an event of that name;
//	            "! leave after N" leaves the next stream after so many events. Last-Event-ID is as
//	            it is written here: 1.2. A header "File: NAME "CONTENT"" makes the body a form with that file
//	upstream    the messages of each request to the model
//	fields      the path of each request to the model, and its body but for the messages and
//	            what the tools are said to do
//	metrics     at the end, those of GET /metrics whose names stand here
//	served      the requests to the server, in the order of their answers
//
// Ids and times are replaced by their order of appearance.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, archive)
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i, f := range got.Files {
				if want := archive.Files[i].Data; !bytes.Equal(f.Data, want) {
					t.Errorf("%s differs (-update rewrites it):\n%s", f.Name, firstDifference(want, f.Data))
				}
			}
		})
	}
}

func firstDifference(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			line := func(s []string) string {
				if i < len(s) {
					return s[i]
				}
				return "(end)"
			}
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, line(w), line(g))
		}
	}
	return ""
}

// play repeats the requests of the transcript's client, and returns what happened now.
func play(t *testing.T, archive *txtar.Archive) *txtar.Archive {
	t.Helper()
	config := map[string]string{}
	var script []modeltest.Response
	var wire string
	var environment []string
	var server *toolServer
	for _, f := range archive.Files {
		switch {
		case f.Name == "environment":
			environment = strings.Fields(string(f.Data))
		case f.Name == "server.json":
			server = serveTools(t, f.Data)
		case strings.HasPrefix(f.Name, "config/"):
			config[strings.TrimPrefix(f.Name, "config/")] = string(f.Data)
		case f.Name == "model.json":
			var err error
			if script, err = modeltest.ParseScript(f.Data); err != nil {
				t.Fatal(err)
			}
		case f.Name == "wire":
			wire = string(f.Data)
		}
	}
	model := modeltest.New(t, script...)
	for name, text := range config {
		if server != nil {
			text = strings.ReplaceAll(text, "http://server.test", server.url)
		}
		if strings.Contains(text, "http://mcp.test") {
			text = strings.ReplaceAll(text, "http://mcp.test", serveMCP(t))
		}
		config[name] = text
	}
	p := start(t, model.URL, config, environment...)
	n := &normalizer{fence: map[string]int64{}, seen: map[string]string{}, count: map[string]int{}}
	var out strings.Builder
	var request []string
	var stopAt string
	var leave int
	flush := func() {
		if len(request) > 0 {
			out.WriteString(exchange(p, n, request, stopAt, leave))
			request, stopAt, leave = nil, "", 0
		}
	}
	for line := range strings.Lines(wire) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "> "):
			request = append(request, strings.TrimPrefix(line, "> "))
			out.WriteString(line + "\n")
			continue
		case line == "! restart":
			flush()
			out.WriteString(line + "\n")
			p.restart()
		case strings.HasPrefix(line, "! stop at "):
			flush()
			out.WriteString(line + "\n")
			stopAt = strings.TrimPrefix(line, "! stop at ")
		case strings.HasPrefix(line, "! leave after "):
			flush()
			out.WriteString(line + "\n")
			var err error
			if leave, err = strconv.Atoi(strings.TrimPrefix(line, "! leave after ")); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(line, "#"):
			flush()
			out.WriteString(line + "\n")
		default:
			flush()
			if line == "" {
				out.WriteString("\n")
			}
		}
	}
	flush()
	var upstream, fields strings.Builder
	for i, r := range model.Requests() {
		fmt.Fprintf(&upstream, "request %d\n", i+1)
		fmt.Fprintf(&fields, "request %d %s\n  %s\n", i+1, r.Path, fieldsOf(t, r.Raw))
		var messages []any
		for _, m := range r.Body.Messages {
			messages = append(messages, m)
		}
		for _, m := range r.Messages.Messages {
			messages = append(messages, m)
		}
		// Of Gemini and Responses as they were sent: the server's own parts and items among them.
		var sent struct{ Contents, Input []json.RawMessage }
		if err := json.Unmarshal(r.Raw, &sent); err != nil {
			t.Fatal(err)
		}
		for _, m := range slices.Concat(sent.Contents, sent.Input) {
			messages = append(messages, m)
		}
		for _, m := range messages {
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			upstream.WriteString("  " + n.apply(string(b)) + "\n")
		}
	}
	result := &txtar.Archive{Comment: archive.Comment}
	for _, f := range archive.Files {
		switch f.Name {
		case "wire":
			f.Data = []byte(out.String())
		case "upstream":
			f.Data = []byte(upstream.String())
		case "fields":
			f.Data = []byte(fields.String())
		case "metrics":
			f.Data = metricsOf(p.body("GET", "/metrics", ""), string(f.Data))
		case "served":
			f.Data = []byte(server.log())
		}
		result.Files = append(result.Files, f)
	}
	return result
}

// fieldsOf returns the body of a request without its messages, and without the descriptions and
// parameters of its tools.
func fieldsOf(t *testing.T, raw []byte) []byte {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Fatal(err)
	}
	for _, messages := range []string{"messages", "input", "contents"} {
		delete(body, messages)
	}
	tools, _ := body["tools"].([]any)
	for _, entry := range tools {
		tool, _ := entry.(map[string]any)
		if function, ok := tool["function"].(map[string]any); ok {
			tool = function
		}
		for _, long := range []string{"description", "parameters", "input_schema"} {
			delete(tool, long)
		}
	}
	short, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// metricsOf returns the values of the metrics in named, one per line, from a scrape.
func metricsOf(scrape, named string) []byte {
	name := func(line string) string { return line[:strings.IndexAny(line+"{", "{ \n")] }
	names := map[string]bool{}
	for line := range strings.Lines(named) {
		names[name(line)] = true
	}
	var out []byte
	for line := range strings.Lines(scrape) {
		if names[name(line)] {
			out = append(out, line...)
		}
	}
	return out
}

// exchange sends one request, "METHOD PATH", headers, and a body that begins with
// "{", and records the response. At the first event with the name stopAt, it stops the chat.
// After a number of events it closes the stream; 0: it reads to the end.
func exchange(p *process, n *normalizer, request []string, stopAt string, leave int) string {
	method, path, _ := strings.Cut(request[0], " ")
	if _, id, ok := strings.Cut(path, "/chats/"); ok {
		n.chat, _, _ = strings.Cut(id, "/")
	}
	var header []string
	body := ""
	for _, line := range request[1:] {
		if name, value, ok := strings.Cut(line, ": "); ok && body == "" && !strings.HasPrefix(line, "{") {
			if name == "Last-Event-ID" {
				value = n.unevent(value)
			}
			if name == "File" { // a form with it: its name, and in quotes what it holds
				name = "Content-Type"
				body, value = formOf(p.t, value)
			}
			header = append(header, name, value)
		} else {
			body += n.back(line)
		}
	}
	if m := newChat.FindStringSubmatch(body); m != nil {
		n.chat = m[1] // a fork's events are those of the chat that it begins
	}
	for id, short := range n.seen {
		path = strings.TrimSuffix(strings.ReplaceAll(path+"/", short+"/", id+"/"), "/")
	}
	resp := p.do(method, path, body, header...)
	var out strings.Builder
	media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	fmt.Fprintf(&out, "< %s %s\n", strings.SplitN(resp.Status, " ", 2)[0], media)
	if media == "text/event-stream" {
		defer resp.Body.Close()
		for ev, err := range sse.Read(resp.Body) {
			if err != nil {
				p.t.Fatal(err)
			}
			fmt.Fprintf(&out, "< %s %s %s\n", n.event(ev.ID), ev.Name, n.apply(string(ev.Data)))
			if ev.Name == stopAt {
				stopAt = ""
				_ = p.do("POST", path[:strings.LastIndexByte(path, '/')]+"/stop", "").Body.Close()
			}
			if leave--; leave == 0 {
				break
			}
		}
		return out.String()
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		out.WriteString("< " + n.apply(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}

// formOf returns the form that sends a file, and its media type.
func formOf(t *testing.T, file string) (body, media string) {
	name, content, _ := strings.Cut(file, " ")
	content, err := strconv.Unquote(content)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var b strings.Builder
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// normalizer replaces what differs between two runs of the same conversation.
type normalizer struct {
	chat  string           // that is spoken of
	fence map[string]int64 // of each chat, before the first run's
	seen  map[string]string
	count map[string]int
}

var (
	mintedID  = regexp.MustCompile(`\b(turn|msg|clr|call|mem|fil)_[a-z2-7]{26}\b`)
	eventID   = regexp.MustCompile(`\b\d{23}\b`)
	newChat   = regexp.MustCompile(`"newChatId": *"([^"]+)"`)
	timestamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

func (n *normalizer) apply(s string) string {
	s = mintedID.ReplaceAllStringFunc(s, func(id string) string {
		if n.seen[id] == "" {
			kind, _, _ := strings.Cut(id, "_")
			n.count[kind]++
			n.seen[id] = fmt.Sprintf("%s#%d", kind, n.count[kind])
		}
		return n.seen[id]
	})
	s = eventID.ReplaceAllStringFunc(s, n.event)
	return timestamp.ReplaceAllString(s, "TIME")
}

// event writes the id of an event as the number of the run, counted from the first, and that of the event.
func (n *normalizer) event(id string) string {
	parsed, err := chat.ParseEventID(id)
	if err != nil {
		return id
	}
	if n.fence[n.chat] == 0 {
		n.fence[n.chat] = parsed.Fence - 1
	}
	return fmt.Sprintf("%d.%d", parsed.Fence-n.fence[n.chat], parsed.Seq)
}

// unevent reverses event.
func (n *normalizer) unevent(s string) string {
	var id chat.EventID
	if _, err := fmt.Sscanf(s, "%d.%d", &id.Fence, &id.Seq); err != nil {
		return s
	}
	id.Fence += n.fence[n.chat]
	return id.String()
}

// back replaces the ids of the transcript by the real ones, so that a request can name them.
func (n *normalizer) back(s string) string {
	for id, short := range n.seen {
		s = strings.ReplaceAll(s, `"`+short+`"`, `"`+id+`"`)
	}
	return s
}
