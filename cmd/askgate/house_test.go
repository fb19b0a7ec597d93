// These tests check the rules of this repository for imports.
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

// rooms is the import table, the lowest level first. A package may import only the packages that
// its row names, and a row may name only rows above it. So there is no import cycle, not even
// through tests. A new package gets a row here, at the lowest level that it can
// have.
//
// The packages of one folder have the same level, so that an adapter can be next to
// its contract.
var rooms = []struct {
	level   int
	path    string
	imports string
}{
	{0, "gateway/smallstack", ""},
	{0, "gateway/outage", ""},    // what is down, in the log
	{0, "gateway/redisconn", ""}, // one server, Sentinel or a cluster
	{0, "tools/confusable", ""},  // what a person sees of a text
	{0, "tools/textsearch", ""},  // words in what was said, and near ones
	{0, "docs", ""},              // what the documentation gives to programs
	{1, "locales", ""},
	{1, "gateway/sse", "gateway/smallstack"},
	{1, "gateway/seal", ""},
	{1, "gateway/gatewaytest", ""}, // gateways for tests, as processes
	{1, "gateway/prove/testenv", ""},
	{1, "gateway/prove/redistest", "gateway/prove/testenv gateway/redisconn"},
	{1, "gateway/prove/npmtest", "gateway/prove/testenv"},
	{1, "gateway/limit", ""},
	{1, "gateway/limit/limittest", "gateway/limit"},
	{1, "gateway/limit/redislimit", "gateway/outage gateway/redisconn gateway/limit"},
	{1, "tools", "tools/textsearch"},
	{1, "tools/calculator", "tools"},
	{1, "tools/extract", ""}, // texts of PDF and DOCX files, in a child process
	{1, "tools/clock", "tools"},
	{1, "tools/approval", "tools"},
	{1, "tools/placeholder", "tools"}, // of the caller, in the texts of the configuration
	{1, "tools/outgoing", ""},         // whatever a tool calls, it calls through this
	{1, "tools/strictjson", ""},
	{1, "tools/elicit", "tools tools/confusable"}, // forms of MCP servers as questions
	{1, "tools/arguments", "tools tools/strictjson"},
	{1, "tools/askuser/pattern", "tools"},
	{1, "tools/askuser/pattern/patterneval", "tools/askuser/pattern"},
	{1, "tools/askuser/secret", "tools tools/confusable"},
	{1, "tools/askuser/secret/secreteval", "tools tools/askuser/secret"},
	{1, "tools/grounding", ""}, // which arguments no one gave
	{1, "tools/grounding/groundingtest", "tools/grounding"},
	{1, "tools/grounding/groundingeval", "tools/grounding tools/grounding/groundingtest"},
	{1, "tools/askuser", "tools tools/placeholder tools/askuser/pattern tools/askuser/secret tools/confusable tools/strictjson"},
	{1, "tools/memory", "tools tools/askuser"},
	{1, "tools/options", "tools tools/askuser tools/confusable tools/textsearch"}, // what is legal in an option, askuser says

	{2, "config", "gateway/redisconn tools/placeholder tools tools/arguments tools/outgoing tools/textsearch"},
	{2, "config/configtest", "config"},
	{2, "gateway/chat", "tools tools/arguments"},
	{2, "gateway/client", "gateway/sse tools tools/elicit"},             // for programs of others, too
	{2, "gateway/client/hook", "gateway/client tools tools/confusable"}, // hooks of coding agents
	{2, "gateway/doctor", "gateway/sse gateway/limit"},
	{2, "gateway/token", "gateway/outage tools/outgoing"},

	// Types of tools, which have their own keys, and the package that runs them.
	{3, "tooltypes/clienttool", "config tools"},
	{3, "tooltypes/demotools", "config tools"},
	{3, "tooltypes/httptool", "config tools tools/arguments tools/outgoing tools/placeholder"},
	{3, "tooltypes/mcptool", "gateway/outage config tools tools/arguments tools/elicit tools/outgoing tools/placeholder"},
	{3, "tooltypes/documents/passages", "tools tools/extract"},
	{3, "tooltypes/documents/index", "tools tooltypes/documents/passages tools/textsearch"},
	{3, "tooltypes/documents", "tools/extract config tools tools/arguments tooltypes/documents/index tooltypes/documents/passages"},
	{3, "tooltypes/documents/documentsbench", "tools/extract config tools tooltypes/documents tooltypes/documents/passages"}, // a command
	{3, "toolexec", "tools tools/arguments tools/options tools/grounding tools/placeholder config"},

	{3, "gateway/model", "tools"},
	{3, "gateway/model/modeltest/strict", "gateway/model"},
	{3, "gateway/model/modeltest", "gateway/model gateway/model/modeltest/strict"},
	{3, "gateway/model/modeltest/scripted", "gateway/model/modeltest"},
	{3, "gateway/model/httpconn", ""},
	{3, "gateway/model/upstream", "gateway/model gateway/model/httpconn tools"},
	{3, "gateway/model/modeltest/claims", "gateway/model gateway/model/modeltest gateway/model/upstream"}, // what all providers hold
	{3, "gateway/model/toolschema", "tools"},
	{3, "gateway/model/adapt", "gateway/smallstack gateway/model gateway/model/toolschema gateway/model/upstream tools"},
	{3, "gateway/model/responses", "gateway/model gateway/model/adapt gateway/model/toolschema gateway/model/upstream tools tools/arguments"},
	{3, "gateway/model/openai", "gateway/smallstack gateway/model gateway/model/adapt gateway/model/responses gateway/model/toolschema gateway/model/upstream tools tools/arguments"},
	{3, "gateway/model/anthropic", "gateway/model gateway/model/adapt gateway/model/toolschema gateway/model/upstream tools tools/arguments"},
	{3, "gateway/model/gemini", "gateway/model gateway/model/adapt gateway/model/toolschema gateway/model/upstream tools tools/arguments"},
	{3, "gateway/model/trial", "gateway/model tools"},                                    // whether people can be asked through a model
	{3, "gateway/model/contextwindow", "tools/extract gateway/model gateway/chat tools"}, // how much of a chat
	{3, "gateway/model/demo", "gateway/model tools"},                                     // its texts come as a function: locales stay out
	{3, "gateway/stream", "gateway/chat gateway/sse"},
	{3, "gateway/stream/hubtest", "gateway/stream gateway/chat gateway/sse"},
	{3, "gateway/stream/redishub", "gateway/outage gateway/redisconn gateway/stream gateway/chat gateway/seal"},
	{3, "gateway/files", "tools"}, // the bytes of what people upload
	{3, "gateway/store", "gateway/chat tools tools/textsearch"},
	{3, "gateway/store/storetest", "gateway/store gateway/chat tools tools/textsearch"},
	{3, "gateway/store/sqldb", "gateway/outage gateway/store gateway/chat gateway/seal tools tools/textsearch"},

	{3, "gateway/trace", "gateway/outage gateway/chat tools"},
	{3, "gateway/trace/tracetest", ""},
	{3, "gateway/attempts", ""}, // what webhooks and channels have in common

	{4, "gateway/prove/testdb", "gateway/store gateway/store/sqldb"},
	{4, "gateway/store/storecopy", "gateway/files gateway/store gateway/store/sqldb"}, // rows as they are, and bytes
	{4, "gateway/follow", "gateway/store gateway/stream gateway/chat gateway/sse tools tools/arguments"},
	{4, "gateway/inbox", "gateway/store gateway/stream gateway/chat gateway/sse tools"},
	// The turn engine, its lowest package first.
	{4, "gateway/turn/budget", "gateway/store gateway/model gateway/chat toolexec tools config"},
	{4, "gateway/turn/uploads", "tools/extract gateway/model/contextwindow gateway/turn/budget gateway/store gateway/files gateway/chat tools config"},
	{4, "gateway/turn/history", "gateway/store gateway/chat toolexec tools"},
	{4, "gateway/turn/prompt", "tools/extract gateway/turn/history gateway/turn/uploads gateway/store gateway/model gateway/model/contextwindow gateway/chat toolexec tools tools/memory tools/grounding config"},
	{4, "gateway/turn/reuse", "gateway/turn/history gateway/store gateway/chat toolexec tools tools/askuser config"},
	{4, "gateway/turn/title", "gateway/turn/budget gateway/store gateway/model gateway/chat tools config"},
	{4, "gateway/turn/record", "gateway/store gateway/chat tools config"},
	{4, "gateway/turn/claims", "gateway/seal gateway/chat tools"}, // of callers' tokens
	{4, "gateway/turn/metrics", "gateway/model gateway/chat gateway/turn/reuse tools config"},
	{4, "gateway/turn/run", "gateway/outage gateway/smallstack gateway/turn/budget gateway/turn/claims gateway/turn/uploads gateway/turn/history gateway/turn/prompt gateway/turn/reuse gateway/turn/title gateway/turn/record gateway/turn/metrics gateway/store gateway/stream gateway/model gateway/trace gateway/chat gateway/limit toolexec tools tools/arguments config"},
	{4, "gateway/turn/forget", "gateway/turn/record gateway/turn/reuse gateway/turn/uploads gateway/store gateway/chat toolexec tools"}, // an answer, wherever it stands
	{4, "gateway/turn", "tools/extract gateway/outage gateway/seal gateway/turn/budget gateway/turn/forget gateway/turn/claims gateway/turn/uploads gateway/turn/prompt gateway/turn/reuse gateway/turn/title gateway/turn/record gateway/turn/metrics gateway/turn/run gateway/store gateway/files gateway/sse gateway/stream gateway/model gateway/trace gateway/chat toolexec tools config"},

	{4, "gateway/report", "gateway/store gateway/chat tools"},

	{4, "gateway/notify", "gateway/attempts gateway/outage gateway/store gateway/seal gateway/chat tools tools/outgoing tooltypes/documents tooltypes/documents/index config"},

	{5, "gateway/channels", "gateway/attempts gateway/notify gateway/outage gateway/store gateway/seal gateway/chat tools config"},
	{5, "gateway/channels/mail", "gateway/channels tools tools/outgoing config"},
	{5, "gateway/channels/mail/mailtest", ""},

	{5, "gateway/host", "gateway/inbox gateway/turn gateway/turn/budget gateway/turn/uploads gateway/store gateway/stream gateway/sse gateway/limit gateway/chat gateway/token gateway/seal tools tools/confusable tools/strictjson config locales"},
	{6, "gateway/native", "gateway/host gateway/client gateway/client/hook gateway/inbox gateway/follow gateway/notify gateway/smallstack gateway/turn gateway/turn/uploads gateway/store gateway/stream gateway/sse gateway/chat tools tools/confusable tools/textsearch config"},
	{6, "gateway/channels/slack", "gateway/channels gateway/host gateway/turn gateway/store gateway/chat tools tools/outgoing tools/strictjson config"},
	{6, "gateway/channels/slack/slacktest", ""},
	{6, "gateway/admin", "gateway/host gateway/doctor gateway/report gateway/turn gateway/store gateway/chat gateway/model/trial gateway/model/upstream tools config"},
	{6, "gateway/front", "gateway/host gateway/smallstack gateway/turn gateway/turn/uploads gateway/store gateway/stream gateway/sse gateway/chat tools tools/arguments tools/strictjson config"},
	{6, "gateway/front/aisdk", "gateway/front gateway/host gateway/turn gateway/store gateway/chat tools tools/strictjson"},
	{6, "gateway/front/agui", "gateway/front gateway/host gateway/turn gateway/store gateway/stream gateway/chat tools config"},
	{6, "gateway/front/mcp", "gateway/front gateway/host gateway/turn gateway/chat tools config"},
	{6, "gateway/front/openai", "gateway/front gateway/host gateway/turn gateway/store gateway/chat tools config"},
	{6, "gateway/front/fronttest", "gateway/gatewaytest gateway/model/modeltest"},

	{7, "gateway/web", ""},
	{7, "gateway/web/bundle", ""}, // a command
	{7, "gateway/api", "docs gateway/host gateway/native gateway/channels/slack gateway/admin gateway/front gateway/client/hook gateway/files gateway/doctor gateway/notify gateway/turn gateway/turn/budget gateway/turn/uploads gateway/follow gateway/inbox gateway/store gateway/stream gateway/sse gateway/limit gateway/chat gateway/model/upstream tools tools/textsearch config locales"},

	{8, "gateway", "tools/extract gateway/channels gateway/api gateway/admin gateway/files gateway/notify gateway/front gateway/web gateway/turn gateway/follow gateway/inbox gateway/store gateway/stream gateway/model gateway/model/upstream gateway/trace gateway/chat gateway/limit toolexec tools config locales"},

	{9, "gateway/prove/streambench", "gateway/gatewaytest gateway/model/modeltest gateway/prove/testenv"}, // a command: it sees the gateway from outside
	// Another prover; it fills stores itself.
	{9, "gateway/prove/chaos", "gateway/gatewaytest gateway/model/modeltest gateway/prove/testenv gateway/store gateway/store/sqldb gateway/chat gateway/sse tools"},
	// Likewise, with a gateway in the process.
	{9, "gateway/prove/askbench", "gateway gateway/chat gateway/limit gateway/model gateway/model/upstream gateway/report gateway/store gateway/store/sqldb gateway/stream toolexec tools tools/askuser tooltypes/httptool tools/grounding/groundingtest config locales"},
	{9, "gateway/prove/scale", "gateway/gatewaytest gateway/model/modeltest gateway/prove/testenv gateway/chat gateway/sse"}, // a command, from outside
	{9, "gateway/prove/simulation", ""},  // tests only: a thousand nodes in one process
	{9, "gateway/prove/browsertest", ""}, // tests only, from where the reader sits
	{9, "gateway/prove/figures", ""},     // runs the other provers, and writes what they measured
	{9, "gateway/prove/idle", ""},        // tests only: a node in which nothing happens, from outside
	{9, "gateway/prove/providers", ""},   // tests only: conversations with the servers of all providers
	{9, "gateway/prove/weave", ""},       // tests only: a gateway inside, and clients of all fronts
	{9, "gateway/prove/witness", ""},     // tests only, in a module of its own: the vendors' SDKs
	{9, "gateway/prove/chart", ""},       // tests only, likewise: Helm and kustomize
	// Tests only: the clients that people use.
	{9, "gateway/prove/clients/agui", ""},
	{9, "gateway/prove/clients/aisdk", ""},
	{9, "gateway/prove/clients/aisdkopenai", ""},
	{9, "gateway/prove/clients/compatible", ""},
	{9, "gateway/prove/clients/copilotkit", ""},
	{9, "gateway/prove/clients/langchain", ""},
	{9, "gateway/prove/clients/mcp", ""},
	{9, "gateway/prove/clients/agents", ""},
	{9, "gateway/prove/clients/agentssdk", ""},
	{9, "gateway/prove/clients/openai", ""},
	{9, "gateway/prove/clients/responses", ""},
	{9, "gateway/prove/clients/slack", ""},
	{9, "cmd/askgate", "tools/extract gateway gateway/channels gateway/channels/mail gateway/channels/slack gateway/chat gateway/client gateway/client/hook gateway/doctor gateway/files gateway/front gateway/front/aisdk gateway/front/agui gateway/front/mcp gateway/front/openai gateway/limit gateway/limit/redislimit gateway/model gateway/model/anthropic gateway/model/demo gateway/model/gemini gateway/model/openai gateway/model/trial gateway/model/upstream gateway/notify gateway/outage gateway/report gateway/seal gateway/smallstack gateway/sse gateway/store gateway/store/sqldb gateway/store/storecopy " +
		"gateway/stream gateway/stream/redishub gateway/trace toolexec tools tools/approval tools/arguments tools/askuser tools/calculator tooltypes/clienttool tools/clock tooltypes/demotools tooltypes/documents tooltypes/httptool tooltypes/mcptool tools/memory config locales"},
}

// outside says which packages may import which libraries, so that a library can
// be replaced in one place. A trailing slash means everything below a folder.
// Tests may import any library except the pattern engine.
var outside = map[string]string{
	"github.com/andybalholm/cascadia":          "tooltypes/documents/passages",
	"github.com/aymanbagabas/go-udiff":         "tooltypes/documents",
	"github.com/blevesearch/snowballstem":      "tooltypes/documents/index",
	"github.com/bmatcuk/doublestar/v4":         "tooltypes/documents",
	"github.com/cenkalti/backoff/v5":           "gateway/client gateway/model/upstream gateway/stream/redishub tooltypes/mcptool tooltypes/httptool",
	"github.com/dlclark/regexp2/v2":            "tools/askuser/", // a browser's patterns, nowhere else
	"github.com/emersion/go-sasl":              "gateway/channels/mail/mailtest",
	"github.com/emersion/go-smtp":              "gateway/channels/mail/mailtest",
	"github.com/evanw/esbuild":                 "gateway/web/bundle",
	"github.com/fsnotify/fsnotify":             "config",
	"github.com/gabriel-vasile/mimetype":       "gateway/files",
	"github.com/gin-gonic/gin":                 "gateway/host gateway/api",
	"github.com/go-jose/go-jose/v4":            "gateway/token",
	"github.com/go-json-experiment/json":       "config tools/arguments tools/options tools/placeholder tools/strictjson tools/askuser tooltypes/httptool gateway/host gateway/native gateway/front gateway/model/toolschema", // encoding/json/v2, until Go has it without a flag
	"github.com/go-logr/logr":                  "gateway/trace",
	"github.com/go-redis/redis_rate/v10":       "gateway/limit/redislimit",
	"github.com/goccy/go-yaml":                 "tooltypes/documents/passages",
	"github.com/jackc/pgx/v5":                  "gateway/store/sqldb gateway/prove/askbench gateway/prove/chaos gateway/prove/scale gateway/prove/streambench",
	"github.com/minio/minio-go/v7":             "gateway/files",
	"github.com/klippa-app/go-pdfium":          "tools/extract",
	"github.com/modelcontextprotocol/go-sdk":   "tooltypes/mcptool gateway/front/mcp gateway/front/fronttest",
	"github.com/pelletier/go-toml/v2":          "tooltypes/documents/passages",
	"github.com/pressly/goose/v3":              "gateway/store/sqldb",
	"github.com/prometheus/client_golang":      "toolexec gateway/turn gateway/turn/metrics gateway/notify gateway/channels gateway/trace gateway/host gateway/admin gateway/api gateway gateway/stream/redishub gateway/limit/redislimit cmd/askgate gateway/prove/askbench",
	"github.com/redis/go-redis/v9":             "gateway/redisconn gateway/stream/redishub gateway/limit/redislimit gateway/prove/redistest gateway/prove/scale",
	"github.com/santhosh-tekuri/jsonschema/v6": "config tools/arguments",
	"github.com/slack-go/slack":                "gateway/channels/slack",
	"github.com/spf13/cobra":                   "cmd/askgate",
	"github.com/spf13/pflag":                   "cmd/askgate",
	"github.com/tailscale/hujson":              "config",
	"github.com/wneessen/go-mail":              "gateway/channels/mail",
	"github.com/tetratelabs/wazero":            "tools/extract",
	"go.mau.fi/util":                           "tools/confusable",
	"go.opentelemetry.io/otel":                 "gateway/trace", // with its sdk and its exporter, which are modules of their own
	"go.opentelemetry.io/proto/otlp":           "gateway/trace/tracetest",
	"golang.org/x/net":                         "tooltypes/documents/passages gateway/channels/mail",
	"golang.org/x/sync":                        "toolexec",
	"golang.org/x/text":                        "tools tools/textsearch locales config tools/arguments tooltypes/httptool tools/confusable tools/options tools/askuser/secret tools/grounding tooltypes/documents/index gateway/host gateway/native",
	"golang.org/x/time":                        "gateway/limit cmd/askgate",
	"google.golang.org/protobuf":               "gateway/trace/tracetest",
	"modernc.org/sqlite":                       "gateway/store/sqldb tooltypes/documents/index",
}

const maxLines = 600 // in a file that is not a test, so that it can be read in one sitting

// file is one Go file of the repository.
type file struct {
	name  string // from the repository's root
	room  string // its folder
	test  bool
	tree  *ast.File
	lines int
}

var root = filepath.Join("..", "..")

// house returns all Go files of the repository, read once for all tests.
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

var houseSet = token.NewFileSet()

var readHouse = sync.OnceValues(func() ([]file, error) {
	var files []file
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		tree, err := parser.ParseFile(houseSet, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		files = append(files, file{
			name: name, room: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
			tree: tree, lines: houseSet.File(tree.Pos()).LineCount(),
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
			} else if level == r.level && !related(r.path, to) {
				t.Errorf("%s may import %s of its own level, and from another folder", r.path, to)
			}
		}
		floor[r.path] = r.level
	}
}

// related reports whether two packages belong together: one is below the other, or a is below the
// contract of which b is a child.
func related(a, b string) bool {
	contract := path.Dir(b)
	return strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/") || strings.HasPrefix(a, contract+"/") && contract != "gateway" && contract != "."
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
			// A test may import more packages below it, but none above.
			case to != f.room && rooms[row[to]].level > rooms[at].level:
				t.Errorf("%s imports %s from a level above", f.name, to)
			}
		}
	}
}

// The provers are not part of the product: only tests and other provers import them.
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

// go.mod lists the libraries that are used, as after go mod tidy, but without fetching the tests of
// indirect dependencies.
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
