package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/askgate/askgate/gateway/prove/npmtest"
	"github.com/askgate/askgate/gateway/prove/testenv"
)

// npmPackages has the npm packages that tests use.
const npmPackages = "../prove/npm"

// manifest is package.json.
type manifest struct {
	Name, Version, License, Types, CustomElements string
	Exports                                       map[string]any
	SideEffects                                   []string
	Scripts, Dependencies                         map[string]string
}

func readManifest(t *testing.T) (m manifest) {
	t.Helper()
	decodeFile(t, "static/package.json", &m)
	return m
}

func decodeFile(t *testing.T, name string, to any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// run runs a Node.js program, or npm, in a folder.
func run(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", program, args, err, out, &errs)
	}
	return out
}

// pack packs the folder as npm would publish it, without building anything, and returns the names
// of the files in it and the archive.
func pack(t *testing.T) (names []string, archive string) {
	t.Helper()
	folder, err := filepath.Abs("static")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var packed []struct {
		Filename string
		Files    []struct{ Path string }
	}
	out := run(t, dir, testenv.NPM(t), "pack", "--json", "--ignore-scripts", "--pack-destination", dir, folder)
	if err := json.Unmarshal(out, &packed); err != nil || len(packed) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	for _, f := range packed[0].Files {
		names = append(names, f.Path)
	}
	return names, filepath.Join(dir, packed[0].Filename)
}

func TestThePackageHoldsWhatItNames(t *testing.T) {
	names, _ := pack(t)
	m := readManifest(t)
	needed := append(slices.Concat(modules(t, "card/arguments.js"), modules(t, "react.js"), modules(t, "vue.js"), modules(t, "svelte/index.js")), "card/matcher.js", "card/diff.js", "svelte/AskGateChat.svelte", "README.md", "package.json", "vendor/lit.LICENSE", m.CustomElements, m.Types)
	needed = append(needed, m.SideEffects...)
	for _, to := range m.Exports {
		switch to := to.(type) {
		case string:
			needed = append(needed, to)
		case map[string]any:
			for _, target := range to {
				needed = append(needed, target.(string))
			}
		}
	}
	types, err := os.ReadFile("static/" + m.Types)
	if err != nil {
		t.Fatal(err)
	}
	more, err := os.ReadFile("static/react.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range words(string(types)+string(more), `from "(\./[^"]+)\.js"`) {
		needed = append(needed, from+".d.ts")
	}
	for i, name := range needed {
		needed[i] = path.Clean(name)
		if !slices.Contains(names, needed[i]) {
			t.Errorf("%s is named, but not in the package: %v", name, names)
		}
	}
	own := regexp.MustCompile(`\.(js|d\.ts)$`)
	for _, name := range names {
		if own.MatchString(name) && !slices.Contains(needed, name) {
			t.Errorf("%s is in the package, and nothing there uses it", name)
		}
	}
	if len(m.Scripts)+len(m.Dependencies) > 0 {
		t.Errorf("the package must be published without a build: %v %v", m.Scripts, m.Dependencies)
	}
}

// The package is released with the gateway that serves it.
func TestThePackagesVersionIsThatOfTheChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "0.0.0" // before the first release
	if newest := regexp.MustCompile(`(?m)^## \[?v?(\d+\.\d+\.\d+\S*?)\]?(?: |$)`).FindStringSubmatch(string(text)); newest != nil {
		want = newest[1]
	}
	if m := readManifest(t); m.Version != want {
		t.Errorf("package.json has %s, CHANGELOG.md %s", m.Version, want)
	}
}

// A license of the repository must also be the license of the package.
func TestThePackageHasTheRepositorysLicence(t *testing.T) {
	m := readManifest(t)
	whole, err := os.ReadFile("../../LICENSE")
	if os.IsNotExist(err) {
		if m.License != "UNLICENSED" {
			t.Errorf("package.json has %s, and the repository has no LICENSE", m.License)
		}
		return
	}
	own, ownErr := os.ReadFile("static/LICENSE")
	if err != nil || ownErr != nil || !bytes.Equal(whole, own) || m.License == "UNLICENSED" {
		t.Errorf("the package has another license than the repository: %s, %v, %v", m.License, err, ownErr)
	}
}

// unpacked returns a folder with the packages of the tests, including the packed one.
func unpacked(t *testing.T) string {
	t.Helper()
	_, archive := pack(t)
	dir := npmtest.Install(t, npmPackages)
	shared, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "node_modules")
	if err := os.Remove(own); err != nil { // a link to the folder that all tests share
		t.Fatal(err)
	}
	entries, err := os.ReadDir(shared)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(own, "askgate"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(shared, e.Name()), filepath.Join(own, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "tar", "-xzf", archive, "-C", filepath.Join(own, "askgate"), "--strip-components", "1")
	return dir
}

// typed returns the values that a file of types declares or re-exports, sorted.
func typed(t *testing.T, name string) (values []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("static", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^export (?:declare )?(?:function|class|const) (\w+)|^export \{ (.*) \} from`).FindAllStringSubmatch(string(text), -1) {
		values = append(values, strings.Split(m[1]+m[2], ", ")...)
	}
	slices.Sort(values)
	return values
}

// Everything that the types declare exists, an import on a server does nothing, and the examples
// and uses of the types compile in the compiler's strictest mode.
func TestThePackageInUse(t *testing.T) {
	dir := unpacked(t)
	node := testenv.Node(t)
	out := run(t, dir, node, "--input-type=module", "-e", `
		const [root, client, card, react, vue, svelte, chat, form] = await Promise.all(["", "/client", "/card", "/react", "/vue", "/svelte", "/chat", "/form"].map((path) => import("askgate" + path)));
		const manifest = await import("askgate/custom-elements.json", {with: {type: "json"}});
		console.log(JSON.stringify({root: Object.keys(root), client: Object.keys(client), card: Object.keys(card), react: Object.keys(react), vue: Object.keys(vue), svelte: Object.keys(svelte),
			chat: Object.keys(chat), form: Object.keys(form), same: root === client && root.Client === react.Client && card.check === react.check, schema: manifest.default.schemaVersion}))`)
	var got struct {
		Root, Client, Card, React, Vue, Svelte, Chat, Form []string
		Same                                               bool
		Schema                                             string
	}
	if err := json.Unmarshal(out, &got); err != nil || !got.Same || got.Schema == "" {
		t.Fatalf("%v: %s", err, out)
	}
	for _, tt := range []struct {
		export, types string
		values        []string
	}{
		{"askgate", "client.d.ts", got.Root},
		{"askgate/client", "client.d.ts", got.Client},
		{"askgate/card", "card.d.ts", got.Card},
		{"askgate/chat", "chat.d.ts", got.Chat},
		{"askgate/form", "form.d.ts", got.Form},
	} {
		if want := typed(t, tt.types); len(want) == 0 || !slices.Equal(tt.values, want) {
			t.Errorf("%s exports %v\n%s has %v", tt.export, tt.values, tt.types, want)
		}
	}
	all := slices.Concat(typed(t, "askgate.d.ts"), []string{"AskGateChat", "QuestionForm", "useAskGate", "useQuestion"})
	slices.Sort(all)
	for name, values := range map[string][]string{"react": got.React, "vue": got.Vue, "svelte": append(got.Svelte, "AskGateChat")} { // svelte/index.js adds the component, which Node.js cannot load
		slices.Sort(values)
		if !slices.Equal(values, all) {
			t.Errorf("askgate/%s exports %v\nwant %v", name, values, all)
		}
	}
	if both := slices.Sorted(slices.Values(slices.Concat(got.Client, got.Card))); !slices.Equal(both, typed(t, "askgate.d.ts")) {
		t.Errorf("client and card export %v\naskgate.d.ts has %v", both, typed(t, "askgate.d.ts"))
	}

	for _, from := range []string{"../../docs/examples/react", "testdata/types"} {
		if err := os.CopyFS(filepath.Join(dir, path.Base(from)), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		run(t, dir, node, "node_modules/typescript/bin/tsc", "--noEmit", "-p", path.Base(from))
	}
}

// The client and the reducer are for pages with their own card, workers and servers: bundled, they
// are small and need no document.
func TestTheClientAloneIsSmallAndHeadless(t *testing.T) {
	const most = 8000 // bytes, minified and zipped
	dir := npmtest.Install(t, npmPackages)
	entry, err := filepath.Abs("static/client.js")
	if err != nil {
		t.Fatal(err)
	}
	bundle := npmtest.Run(t, dir, "node_modules/esbuild/bin/esbuild", entry, "--bundle", "--minify", "--format=esm", "--log-level=error")
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(bundle) // a buffer cannot fail
	_ = z.Close()
	if zipped.Len() > most || zipped.Len() < 1000 {
		t.Errorf("%d bytes, want at most %d", zipped.Len(), most)
	}
	t.Logf("%d bytes, of %d", zipped.Len(), len(bundle))
	if found := regexp.MustCompile(`\b(?:document|window|localStorage|sessionStorage|customElements|HTMLElement|location)\b`).FindString(string(bundle)); found != "" {
		t.Errorf("it uses %s", found)
	}
}

func TestTheLockNamesNoHost(t *testing.T) {
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(npmPackages, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(`"resolved"`)) || bytes.Contains(text, []byte("registry.")) {
			t.Errorf("%s names a registry; write it with --omit-lockfile-registry-resolved", name)
		}
	}
}

// named is an entry of the element's description.
type named struct{ Name, Attribute, FieldName, Kind string }

func names(list []named, of func(named) string) []string {
	set := map[string]bool{}
	for _, n := range list {
		if s := of(n); s != "" {
			set[s] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func words(text, pattern string) []string {
	var found []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// custom-elements.json, which editors read, agrees with docs/card.md.
func TestTheElementsManifestIsTheContract(t *testing.T) {
	var m struct {
		Modules []struct {
			Path         string
			Declarations []struct {
				TagName                                                     string
				Attributes, Members, Events, Slots, CSSProperties, CSSParts []named
			}
		}
	}
	decodeFile(t, "static/custom-elements.json", &m)
	element := m.Modules[0].Declarations[0]
	text, err := os.ReadFile("../../docs/card.md")
	if err != nil {
		t.Fatal(err)
	}
	card, form, _ := strings.Cut(string(text), "\n## Several questions as one form\n")
	tables := strings.Split(card, "\n\n")
	part := func(has string) string {
		t.Helper()
		i := slices.IndexFunc(tables, func(s string) bool { return strings.Contains(s, has) })
		if i < 0 {
			t.Fatalf("docs/card.md has no %q", has)
		}
		return tables[i]
	}
	var properties, attributes []string
	for row := range strings.SplitSeq(part("| property | attribute |"), "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 4 {
			continue
		}
		props := words(cells[1], "`([a-zA-Z]+)`")
		properties = append(properties, props...)
		attributes = append(attributes, words(cells[2], "`([a-z-]+)`")...)
		if strings.Contains(cells[2], "the same") {
			attributes = append(attributes, props...)
		}
	}
	slices.Sort(properties)
	slices.Sort(attributes)
	looks := part("Colors and shape")
	variables, parts, _ := strings.Cut(looks, "there are parts:")
	var custom []string
	for _, name := range words(variables, "`([a-z-]*[a-z])`") {
		custom = append(custom, "--askgate-"+name)
	}
	name := func(n named) string { return n.Name }
	for _, tt := range []struct {
		what      string
		got, want []string
	}{
		{"properties", names(element.Members, func(n named) string { return map[bool]string{true: n.Name}[n.Kind == "field"] }), properties},
		{"attributes", names(element.Attributes, name), attributes},
		{"attributes of properties", names(element.Members, func(n named) string { return n.Attribute }), attributes},
		{"methods", names(element.Members, func(n named) string { return map[bool]string{true: n.Name}[n.Kind == "method"] }), []string{"focus"}},
		{"events", names(element.Events, name), words(part("| event (bubbles"), "(?m)^\\| `([a-z-]+)`")},
		{"slots", names(element.Slots, name), words(card, `<span slot="([a-z]+)">`)},
		{"custom properties", names(element.CSSProperties, name), custom},
		{"parts", names(element.CSSParts, name), words(parts, "`([a-z-]+)`")},
	} {
		if len(tt.want) == 0 || !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: custom-elements.json has %v, docs/card.md %v", tt.what, tt.got, tt.want)
		}
	}
	several := m.Modules[1].Declarations[0]
	form, _, _ = strings.Cut(form, "\n## ")
	var inForm []string
	for row := range strings.SplitSeq(form, "\n") {
		if cells := strings.Split(row, "|"); len(cells) > 2 {
			inForm = append(inForm, words(cells[1], "`([a-zA-Z-]+)`")...)
		}
	}
	slices.Sort(inForm)
	described := append(names(several.Members, func(n named) string { return map[bool]string{true: n.Name}[n.Kind == "field"] }), names(several.Events, name)...)
	slices.Sort(described)
	if len(inForm) == 0 || !slices.Equal(described, inForm) {
		t.Errorf("for the form, custom-elements.json has %v, docs/card.md %v", described, inForm)
	}
	used := ""
	for file, source := range sources(t) {
		if strings.HasPrefix(file, "card/") || file == "palette.js" {
			used += source
		}
	}
	for _, p := range element.CSSProperties {
		if !strings.Contains(used, "var("+p.Name+",") {
			t.Errorf("nothing uses %s", p.Name)
		}
	}
	if got := words(used, `var\((--askgate-[a-z-]+)`); len(got) != len(element.CSSProperties)+1 || !slices.Contains(got, "--askgate-page") { // page is for our own pages
		t.Errorf("the card uses %v", got)
	}
}

func TestTheElementsManifestIsOne(t *testing.T) {
	dir := npmtest.Install(t, npmPackages)
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(dir, "node_modules/custom-elements-manifest/schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	decodeFile(t, "static/custom-elements.json", &v)
	if err := schema.Validate(v); err != nil {
		t.Error(err)
	}
}
