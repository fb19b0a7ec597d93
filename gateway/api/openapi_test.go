package api_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askgate/askgate/gateway/api"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/front/agui"
	"github.com/askgate/askgate/gateway/front/aisdk"
	"github.com/askgate/askgate/gateway/front/mcp"
	"github.com/askgate/askgate/gateway/front/openai"
)

// document is docs/openapi.yaml.
type document struct {
	json  []byte
	Paths map[string]map[string]json.RawMessage
}

func loadDocument(t testing.TB) document {
	t.Helper()
	text, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if d.json, err = yaml.YAMLToJSON(text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(d.json, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// schemas compiles parts of the document on demand.
type schemas struct {
	t        testing.TB
	compiler *jsonschema.Compiler
}

func loadSchemas(t testing.TB) schemas {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(loadDocument(t).json))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return schemas{t, c}
}

// check validates data against the schema at a JSON pointer below components/schemas.
func (s schemas) check(pointer string, data []byte) {
	s.t.Helper()
	schema, err := s.compiler.Compile("openapi.json#/components/schemas/" + pointer)
	if err != nil {
		s.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		s.t.Fatalf("%v: %s", err, data)
	}
	if err := schema.Validate(value); err != nil {
		s.t.Errorf("%v\n%s", err, data)
	}
}

func TestDocumentAndRouterHaveTheSamePaths(t *testing.T) {
	a, _, _ := newAPI(t, nil, func(o *api.Options) {
		o.Page = http.NotFoundHandler()
		o.Fronts = []front.Front{aisdk.Front{}, agui.Front{}, &mcp.Front{}, openai.Chat{}, openai.Responses{}}
	})
	var served []string
	for _, route := range a.Routes() {
		method, path, _ := strings.Cut(route, " ")
		if method == http.MethodHead && slices.Contains(a.Routes(), "GET "+path) {
			continue // the document states it once for all
		}
		served = append(served, method+" "+regexp.MustCompile(`[:*](\w+)`).ReplaceAllString(path, "{$1}"))
	}
	var documented []string
	for path, item := range loadDocument(t).Paths {
		for method := range item {
			if method != "parameters" {
				documented = append(documented, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(served)
	slices.Sort(documented)
	if !slices.Equal(served, documented) {
		t.Errorf("served\n%s\ndocumented\n%s", strings.Join(served, "\n"), strings.Join(documented, "\n"))
	}
}

// constants returns the values of one type's constants in a file and the values in more, sorted.
func constants(t *testing.T, path, typ string, more ...string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	list := more
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == typ {
				s, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, s)
			}
		}
		return true
	})
	slices.Sort(list)
	return list
}

// codes are those of problems, events are those of streams.
func codes(t *testing.T) []string {
	return constants(t, "../chat/errors.go", "Code", "method_not_allowed", "not_acceptable", "misdirected_request", "model_error", "auth_unavailable", "invalid_clarification", "invalid_files")
}

func eventNames(t *testing.T) []string { return constants(t, "../chat/event.go", "EventType") }

func TestDocumentHasTheEvents(t *testing.T) {
	var d struct {
		Components struct {
			Schemas struct {
				Events, FeedEvents struct {
					Properties map[string]json.RawMessage
				}
			}
		}
	}
	if err := json.Unmarshal(loadDocument(t).json, &d); err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(d.Components.Schemas.Events.Properties)
	maps.Copy(all, d.Components.Schemas.FeedEvents.Properties) // it has its own
	documented := slices.Sorted(maps.Keys(all))
	if known := eventNames(t); !slices.Equal(known, documented) {
		t.Errorf("events %v\ndocumented %v", known, documented)
	}
}

func TestPagesForPeopleNameEveryCodeAndEvent(t *testing.T) {
	for page, words := range map[string][]string{"http-api.md": codes(t), "protocol.md": eventNames(t)} {
		text, err := os.ReadFile("../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range words {
			if !strings.Contains(string(text), "`"+word+"`") {
				t.Errorf("%s does not name %s", page, word)
			}
		}
	}
}

// An event copied from the document matches what the gateway sends: events that are written out in
// full, and the snapshot, match the schema.
func TestEventsInPagesAreWhole(t *testing.T) {
	s := loadSchemas(t)
	pages, err := filepath.Glob("../../docs/tools/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "../../README.md", "../../docs/frontend.md", "../../docs/protocol.md", "../../docs/protocol-asking.md", "../../docs/protocol-programs.md")
	event, checked := regexp.MustCompile(`(?m)^event: (\S+)\ndata: (\{"chatId":.*\})$`), 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range event.FindAllSubmatch(text, -1) {
			name, data := string(m[1]), regexp.MustCompile(`sha256:\w+\.\.\.`).ReplaceAll(m[2], []byte("sha256:"+strings.Repeat("0", 64)))
			if !json.Valid(data) {
				continue // shortened
			}
			s.check("Events/properties/"+name, data)
			if (name == "clarification" || name == "snapshot") && !bytes.Contains(data, []byte(`"askedBy":`)) {
				t.Errorf("%s: no asker in %s", page, data) // the schema allows old ones without it
			}
			checked++
		}
	}
	if checked < 25 {
		t.Errorf("%d events found", checked)
	}
}

func TestDocumentHasTheCodesAndTheirStatus(t *testing.T) {
	var d struct {
		Components struct {
			Schemas struct {
				Problem struct {
					Properties struct{ Code struct{ Enum []string } }
				}
			}
			Responses map[string]struct {
				Content map[string]struct {
					Codes []string `json:"x-codes"`
				}
			}
		}
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Ref string `json:"$ref"`
			}
		}
	}
	var raw map[string]json.RawMessage
	doc := loadDocument(t)
	if err := json.Unmarshal(doc.json, &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw["components"], &d.Components); err != nil {
		t.Fatal(err)
	}
	known := codes(t)
	enum := slices.Sorted(slices.Values(d.Components.Schemas.Problem.Properties.Code.Enum))
	ofRuns := []string{"context_too_long", "model_rate_limited", "model_timeout", "model_unavailable"} // only in JSON mode, with 502
	if all := slices.Sorted(slices.Values(slices.Concat(known, ofRuns))); !slices.Equal(all, enum) {
		t.Errorf("codes %v\ndocumented %v", all, enum)
	}

	var post struct {
		Responses map[string]struct {
			Ref string `json:"$ref"`
		}
	}
	if err := json.Unmarshal(doc.Paths["/v1/apps/{app}/chats/{chatId}/messages"]["post"], &post); err != nil {
		t.Fatal(err)
	}
	for _, code := range known {
		s := newServer(t, nil, withEngine(&fakeEngine{err: &chat.Error{Code: chat.Code(code)}}))
		r := s.post("c1", `{"message":"hi"}`)
		r.wantProblem(t, r.StatusCode, code)
		switch code {
		case "internal", "method_not_allowed": // possible everywhere
			continue
		case "invalid_clarification", "not_forkable", "no_file_wanted": // only where programs ask, a chat is forked, or files are uploaded
			continue
		case "unsupported_part", "attachments_off", "client_instructions_off": // only fronts return these
			continue
		}
		name := post.Responses[strconv.Itoa(r.StatusCode)].Ref
		name = name[strings.LastIndexByte(name, '/')+1:]
		if !slices.Contains(d.Components.Responses[name].Content["application/problem+json"].Codes, code) {
			t.Errorf("%s with status %d is not documented for messages", code, r.StatusCode)
		}
	}
}

// TestTheDocumentIsServed: to any caller, exactly as in docs.
func TestTheDocumentIsServed(t *testing.T) {
	text, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, withKeys, nil)
	r := s.call("GET", "/openapi.yaml", "")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/yaml" || string(r.body) != string(text) {
		t.Errorf("%d %v, %d bytes", r.StatusCode, r.Header, len(r.body))
	}
	head := s.call("HEAD", "/openapi.yaml", "")
	if head.StatusCode != 200 || head.Header.Get("Content-Length") != strconv.Itoa(len(text)) || len(head.body) != 0 {
		t.Errorf("HEAD: %d %v, %d bytes", head.StatusCode, head.Header, len(head.body))
	}
	if again := s.call("GET", "/openapi.yaml", "", "If-None-Match", r.Header.Get("ETag")); again.StatusCode != 304 || len(again.body) != 0 {
		t.Errorf("again: %d", again.StatusCode)
	}
	s.call("POST", "/openapi.yaml", "{}").wantProblem(t, 405, "method_not_allowed")
}
