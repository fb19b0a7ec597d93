// The rules of the house, as ordinary tests.
package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/askgate/askgate/"

// rooms is the import table, from the ground up. A package may import only what
// its row names, and a row may name only rows above it: so arrows point down, and
// there is no circle, not even through tests. A new package gets a row here, as
// low as it can stand.
//
// Levels are floors: the packages of one folder share one, so that an adapter can
// stand beside its contract.
var rooms = []struct {
	level   int
	path    string
	imports string
}{
	{0, "gateway/aside", ""},
	{0, "tools/looks", ""}, // what a person sees of a text
	{0, "docs", ""},        // what the documentation gives to programs
	{1, "locales", ""},
	{1, "gateway/sse", "gateway/aside"},
	{1, "gateway/seal", ""},
	{1, "gateway/prove/testenv", ""},
	{1, "gateway/prove/redistest", "gateway/prove/testenv"},
	{1, "gateway/prove/npmtest", "gateway/prove/testenv"},
	{1, "gateway/limit", ""},
	{1, "gateway/limit/limittest", "gateway/limit"},
	{1, "gateway/limit/redislimit", "gateway/limit"},
	{1, "tools", ""},
	{1, "tools/calculator", "tools"},
	{1, "tools/clock", "tools"},
	{1, "tools/approval", "tools"},
	{1, "tools/outgoing", ""}, // whatever a tool calls, it calls through this
	{1, "tools/strictjson", ""},
	{1, "tools/arguments", "tools tools/strictjson"},
	{1, "tools/askuser/pattern", "tools"},
	{1, "tools/askuser/pattern/patterneval", "tools/askuser/pattern"},
	{1, "tools/askuser/secret", "tools tools/looks"},
	{1, "tools/askuser/secret/secreteval", "tools tools/askuser/secret"},
	{1, "tools/askuser", "tools tools/askuser/pattern tools/askuser/secret tools/looks tools/strictjson"},
	{1, "tools/options", "tools tools/askuser tools/looks"}, // what is legal in an option, askuser says

	{2, "config", "tools tools/outgoing"},
	{2, "config/configtest", "config"},
	{2, "gateway/chat", "tools tools/arguments"},
	{2, "gateway/client", "gateway/sse tools"}, // for programs of others, too
	{2, "gateway/doctor", "gateway/sse gateway/limit"},
	{2, "gateway/token", "tools/outgoing"},

	// Types of tools, which bring their own keys, and who runs them.
	{3, "tools/clienttool", "config tools"},
	{3, "tools/httptool", "config tools tools/arguments tools/outgoing"},
	{3, "tools/mcptool", "config tools tools/arguments tools/looks tools/outgoing"},
	{3, "toolexec", "tools tools/arguments tools/options config"},

	{3, "gateway/model", "tools"},
	{3, "gateway/model/modeltest", "gateway/model"},
	{3, "gateway/model/modeltest/scripted", "gateway/model/modeltest"},
	{3, "gateway/model/direct", ""},
	{3, "gateway/model/upstream", "gateway/model gateway/model/direct tools"},
	{3, "gateway/model/openai", "gateway/aside gateway/model gateway/model/upstream tools"},
	{3, "gateway/model/anthropic", "gateway/aside gateway/model gateway/model/upstream tools"},
	{3, "gateway/model/fit", "gateway/model gateway/chat tools"}, // how much of a chat
	{3, "gateway/model/demo", "gateway/model tools"},             // its texts come as a function: locales stay out
	{3, "gateway/stream", "gateway/chat gateway/sse"},
	{3, "gateway/stream/hubtest", "gateway/stream gateway/chat gateway/sse"},
	{3, "gateway/stream/redishub", "gateway/stream gateway/chat"},
	{3, "gateway/store", "gateway/chat tools"},
	{3, "gateway/store/storetest", "gateway/store gateway/chat tools"},
	{3, "gateway/store/sqldb", "gateway/store gateway/chat tools"},

	{3, "gateway/trace", "gateway/chat tools"},
	{3, "gateway/trace/tracetest", ""},

	{4, "gateway/prove/testdb", "gateway/store gateway/store/sqldb"},
	{4, "gateway/follow", "gateway/store gateway/stream gateway/chat gateway/sse tools tools/arguments"},
	{4, "gateway/feed", "gateway/store gateway/stream gateway/chat gateway/sse tools"},
	{4, "gateway/turn", "gateway/store gateway/stream gateway/model gateway/model/fit gateway/trace gateway/chat gateway/limit toolexec tools tools/arguments config"},

	{4, "gateway/notify", "gateway/store gateway/seal gateway/chat tools tools/outgoing config"},

	{5, "gateway/front", "gateway/turn gateway/store gateway/stream gateway/sse gateway/chat tools tools/strictjson config"},
	{5, "gateway/front/aisdk", "gateway/front gateway/turn gateway/store gateway/chat tools tools/strictjson"},
	{5, "gateway/front/agui", "gateway/front gateway/turn gateway/store gateway/stream gateway/chat tools config"},
	{5, "gateway/front/mcp", "gateway/front gateway/turn gateway/chat tools"},
	{5, "gateway/front/openai", "gateway/front gateway/turn gateway/store gateway/chat tools config"},
	{5, "gateway/front/fronttest", "gateway/model/modeltest"},
	{5, "gateway/front/fronttest/clients", "gateway/front gateway/front/fronttest gateway/sse"},

	{6, "gateway/web", ""},
	{6, "gateway/api", "docs gateway/notify gateway/aside gateway/front gateway/turn gateway/follow gateway/feed gateway/store gateway/stream gateway/sse gateway/limit gateway/chat gateway/doctor gateway/token gateway/seal tools tools/strictjson config locales"},

	{7, "gateway", "gateway/api gateway/notify gateway/front gateway/web gateway/turn gateway/follow gateway/feed gateway/store gateway/stream gateway/model gateway/trace gateway/chat gateway/limit toolexec tools config locales"},

	{8, "gateway/prove/streambench", "gateway/model/modeltest gateway/prove/testenv"}, // a command: it sees the gateway from outside
	// Another one; it fills stores itself.
	{8, "gateway/prove/neverlost", "gateway/model/modeltest gateway/prove/testenv gateway/store gateway/store/sqldb gateway/chat gateway/sse tools"},
	{8, "gateway/prove/browsertest", ""}, // tests only, from where the reader sits
	// Tests only: the clients that people use.
	{8, "gateway/prove/clients/agui", ""},
	{8, "gateway/prove/clients/aisdk", ""},
	{8, "gateway/prove/clients/copilotkit", ""},
	{8, "gateway/prove/clients/mcp", ""},
	{8, "gateway/prove/clients/openai", ""},
	{8, "gateway/prove/clients/responses", ""},
	{8, "cmd/askgate", "gateway gateway/chat gateway/client gateway/doctor gateway/front gateway/front/aisdk gateway/front/agui gateway/front/mcp gateway/front/openai gateway/limit gateway/limit/redislimit gateway/model gateway/model/anthropic gateway/model/demo gateway/model/openai gateway/seal gateway/sse gateway/store gateway/store/sqldb " +
		"gateway/stream gateway/stream/redishub gateway/trace toolexec tools tools/approval tools/askuser tools/calculator tools/clienttool tools/clock tools/httptool tools/mcptool config locales"},
}

// outside says which packages may import what others made, so that a library can
// be replaced in one place. A slash at the end covers everything below a folder.
// Tests may use what they need, but for the pattern engine.
var outside = map[string]string{
	"github.com/cenkalti/backoff/v5":           "gateway/client gateway/model/upstream gateway/stream/redishub tools/mcptool tools/httptool",
	"github.com/dlclark/regexp2/v2":            "tools/askuser/", // a browser's patterns, nowhere else
	"github.com/fsnotify/fsnotify":             "config",
	"github.com/gin-gonic/gin":                 "gateway/api",
	"github.com/go-jose/go-jose/v4":            "gateway/token",
	"github.com/go-json-experiment/json":       "config tools/arguments tools/options tools/strictjson tools/askuser gateway/api", // encoding/json/v2, until Go has it without a flag
	"github.com/go-logr/logr":                  "gateway/trace",
	"github.com/go-redis/redis_rate/v10":       "gateway/limit/redislimit",
	"github.com/jackc/pgx/v5":                  "gateway/store/sqldb gateway/prove/neverlost",
	"github.com/modelcontextprotocol/go-sdk":   "tools/mcptool gateway/front/mcp",
	"github.com/nicksnyder/go-i18n/v2":         "locales",
	"github.com/pressly/goose/v3":              "gateway/store/sqldb",
	"github.com/prometheus/client_golang":      "toolexec gateway/turn gateway/notify gateway/trace gateway/api gateway gateway/stream/redishub gateway/limit/redislimit cmd/askgate",
	"github.com/redis/go-redis/v9":             "gateway/stream/redishub gateway/limit/redislimit gateway/prove/redistest",
	"github.com/santhosh-tekuri/jsonschema/v6": "config tools/arguments",
	"github.com/spf13/cobra":                   "cmd/askgate",
	"github.com/spf13/pflag":                   "cmd/askgate",
	"github.com/tailscale/hujson":              "config",
	"go.mau.fi/util":                           "tools/looks",
	"go.opentelemetry.io/otel":                 "gateway/trace", // with its sdk and its exporter, which are modules of their own
	"go.opentelemetry.io/proto/otlp":           "gateway/trace/tracetest",
	"golang.org/x/sync":                        "toolexec",
	"golang.org/x/text":                        "locales config tools/arguments tools/httptool tools/looks tools/options tools/askuser/secret gateway/api",
	"golang.org/x/time":                        "gateway/limit cmd/askgate",
	"google.golang.org/protobuf":               "gateway/trace/tracetest",
	"modernc.org/sqlite":                       "gateway/store/sqldb",
}

const maxLines = 600 // of a file that is no test: one sitting

// file is one Go file of the repository.
type file struct {
	name  string // from the repository's root
	room  string // its folder
	test  bool
	tree  *ast.File
	lines int
}

var root = filepath.Join("..", "..")

// house is all Go files of the repository, read once for all tests.
func house(t *testing.T) []file {
	t.Helper()
	files, err := readHouse()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("only %d Go files below %s: this test looks in the wrong place", len(files), root)
	}
	return files
}

var readHouse = sync.OnceValues(func() ([]file, error) {
	var files []file
	set := token.NewFileSet()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		tree, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, file{
			name: name, room: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			tree: tree, lines: set.File(tree.Pos()).LineCount(),
		})
		return nil
	})
	return files, err
})

func (f file) imports() []string {
	var paths []string
	for _, i := range f.tree.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

func TestTheImportTableRunsDownhill(t *testing.T) {
	floor := map[string]int{}
	last := 0
	for _, r := range rooms {
		if r.level < last {
			t.Errorf("%s is on level %d and stands after level %d: the table goes up", r.path, r.level, last)
		}
		last = r.level
		for _, to := range strings.Fields(r.imports) {
			level, above := floor[to]
			if !above {
				t.Errorf("%s may import %s, which does not stand above it in the table: an arrow up, or a circle", r.path, to)
			} else if level == r.level && !beside(r.path, to) {
				t.Errorf("%s may import %s of its own level, and from another folder", r.path, to)
			}
		}
		floor[r.path] = r.level
	}
}

// beside says that two packages belong together: one is below the other, or both
// are children of one contract.
func beside(a, b string) bool {
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") || path.Dir(a) == path.Dir(b) && path.Dir(a) != "gateway" && path.Dir(a) != "."
}

func TestImportsKeepToTheTable(t *testing.T) {
	row, allowed, strangers := map[string]int{}, map[string][]string{}, map[string]bool{}
	for i, r := range rooms {
		row[r.path], allowed[r.path] = i, strings.Fields(r.imports)
	}
	for _, f := range house(t) {
		at, ok := row[f.room]
		if !ok {
			if !strangers[f.room] {
				t.Errorf("%s has no row in the import table; add one, as low as it can stand", f.room)
			}
			strangers[f.room] = true
			continue
		}
		for _, to := range f.imports() {
			to, own := strings.CutPrefix(to, module)
			switch {
			case !own:
				continue
			case !f.test:
				if !slices.Contains(allowed[f.room], to) {
					t.Errorf("%s imports %s, which the table does not allow: %q", f.name, to, rooms[at].imports)
				}
			// A test may use more of what is below it, and never what is above.
			case to != f.room && rooms[row[to]].level > rooms[at].level:
				t.Errorf("%s imports %s from a level above", f.name, to)
			}
		}
	}
}

// What proves the product is no part of it: only tests and other provers import it.
func TestNothingShippedImportsAProver(t *testing.T) {
	const provers = "gateway/prove/"
	for _, f := range house(t) {
		for _, to := range f.imports() {
			if strings.HasPrefix(to, module+provers) && !f.test && !strings.HasPrefix(f.room+"/", provers) {
				t.Errorf("%s imports %s, which is for tests", f.name, to)
			}
		}
	}
}

func TestLibrariesStayInTheirPlaces(t *testing.T) {
	for _, f := range house(t) {
		if f.test {
			continue
		}
		for _, to := range f.imports() {
			if host, _, _ := strings.Cut(to, "/"); !strings.Contains(host, ".") || strings.HasPrefix(to, module) {
				continue
			}
			if !inPlace(f.room, to) {
				t.Errorf("%s imports %s: libraries stand behind one package, see the table", f.name, to)
			}
		}
	}
}

func inPlace(room, library string) bool {
	for prefix, places := range outside {
		if library != prefix && !strings.HasPrefix(library, prefix+"/") {
			continue
		}
		return slices.ContainsFunc(strings.Fields(places), func(place string) bool {
			return room == place || strings.HasSuffix(place, "/") && strings.HasPrefix(room+"/", place)
		})
	}
	return false
}

// What go mod tidy would say, without asking for the tests of all libraries' libraries.
func TestTheRequiredLibrariesAreThoseThatAreUsed(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^(?:require )?\t?(\S+) v\S+( // indirect)?$`).FindAllStringSubmatch(string(mod), -1)
	if len(required) == 0 {
		t.Fatal("found no requirement in go.mod")
	}
	known, used := map[string]bool{}, map[string]bool{}
	for _, m := range required {
		known[m[1]] = true
	}
	for _, f := range house(t) {
		for _, to := range f.imports() {
			for to != "." && !known[to] { // modules stand in each other's folders: the nearest is meant
				to = path.Dir(to)
			}
			used[to] = true
		}
	}
	for _, m := range required {
		switch library, direct := m[1], m[2] == ""; {
		case direct && !used[library]:
			t.Errorf("go.mod requires %s, which nothing imports", library)
		case !direct && used[library]:
			t.Errorf("go.mod calls %s indirect, and it is imported here", library)
		}
	}
}

func TestOnlyAskUserKnowsItsPatternEngine(t *testing.T) {
	for _, f := range house(t) {
		for _, to := range f.imports() {
			if strings.Contains(to, "regexp2") && !strings.HasPrefix(f.room+"/", "tools/askuser/") {
				t.Errorf("%s imports %s; patterns are matched by tools/askuser alone", f.name, to)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	said := map[string]string{}
	for _, f := range house(t) {
		if f.test {
			continue
		}
		switch name := f.tree.Name.Name; name {
		case "util", "utils", "common", "helper", "helpers", "misc", "shared", "base", "lib":
			t.Errorf("%s: package %s says nothing about its purpose", f.name, name)
		}
		said[f.room] += f.tree.Doc.Text()
	}
	for room, text := range said {
		if len(strings.Fields(text)) < 8 {
			t.Errorf("%s has no package comment, or hardly one: %q", room, text)
		}
	}
}

func TestFilesCanBeReadAtOneSitting(t *testing.T) {
	for _, f := range house(t) {
		if !f.test && f.lines > maxLines {
			t.Errorf("%s has %d lines; more than %d want to be two files", f.name, f.lines, maxLines)
		}
	}
}

func TestNothingIsLeftForLater(t *testing.T) {
	later := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X|HA` + `CK)\b`)
	for _, f := range house(t) {
		for _, group := range f.tree.Comments {
			if word := later.FindString(group.Text()); word != "" {
				t.Errorf("%s: a comment says %s; do it, or open an issue", f.name, word)
			}
		}
	}
}

// A test that was left out is not a passed one: only testenv may skip, which says what
// is missing, and fails instead of skipping in CI.
func TestTestsDoNotSkip(t *testing.T) {
	for _, f := range house(t) {
		if f.room == "gateway/prove/testenv" {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
				if x, ok := s.X.(*ast.Ident); ok && slices.Contains([]string{"t", "tb", "b", "f"}, x.Name) {
					t.Errorf("%s: a test skips itself; a server that it needs comes from gateway/prove/testenv, and what it cannot test is removed", f.name)
				}
			}
			return true
		})
	}
}

func TestLinksOfTheDocumentationLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Glob(filepath.Join(root, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range slices.Concat(pages, below, top) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			to, _, _ := strings.Cut(m[1], "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), to)); err != nil {
				t.Errorf("%s: a link leads to %s, which is not there", filepath.Base(page), to)
			}
		}
	}
}

// metricsInCode are the names of all metrics, each with a file that has it.
func metricsInCode(t *testing.T) map[string]string {
	t.Helper()
	name := regexp.MustCompile(`^askgate_[a-z0-9_]+$`)
	inCode := map[string]string{}
	for _, f := range house(t) {
		if f.test {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && name.MatchString(s) {
					inCode[s] = f.name
				}
			}
			return true
		})
	}
	if len(inCode) == 0 {
		t.Fatal("found no metric in the code: this test looks for the wrong thing")
	}
	return inCode
}

// plainMetric is a metric's name without what a histogram's series add to it.
func plainMetric(s string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		s = strings.TrimSuffix(s, suffix)
	}
	return s
}

func TestEveryMetricIsInTheOperatorsBook(t *testing.T) {
	inCode := metricsInCode(t)
	book, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	inBook := map[string]bool{}
	for _, s := range regexp.MustCompile(`\baskgate_[a-z0-9_]+\b`).FindAllString(string(book), -1) {
		inBook[s] = true
	}
	for s, where := range inCode {
		if !inBook[s] {
			t.Errorf("%s counts %s, which docs/operations.md does not explain", where, s)
		}
	}
	for s := range inBook {
		if inCode[s] == "" && inCode[plainMetric(s)] == "" {
			t.Errorf("docs/operations.md explains %s, which no code has", s)
		}
	}
}
