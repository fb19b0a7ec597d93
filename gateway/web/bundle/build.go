package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// pages are the pages in static.
var pages = []string{"index.html", "admin.html", "answer.html"}

// workers are loaded by address, not by import. Each is replaced in the one module that names it.
var workers = map[string]struct{ in, address, to string }{
	"card/matcher.js":  {in: "card/match.js", address: "./matcher.js", to: "./%s"},
	"page/colorist.js": {in: "page/colors.js", address: "/assets/page/colorist.js", to: "/assets/dist/%s"},
	"page/sharing.js":  {in: "page/tabs.js", address: "/assets/page/sharing.js", to: "/assets/dist/%s"},
}

var (
	named = regexp.MustCompile(`(<(?:script|link) [^>]*(?:src|href)=")((?:\.\./)?assets/)([^"]+\.(?:js|css))(">(?:</script>)?)`)
	isRef = regexp.MustCompile(`<script type="module" `)
)

// stable are files that keep their names, because they have to be found when others are gone.
var stable = []string{"reload.js"}

// build returns the content of dist by name.
func build(static string) (map[string][]byte, error) {
	root, err := filepath.Abs(static)
	if err != nil {
		return nil, err
	}
	b := &bundler{root: root, files: map[string][]byte{}, names: map[string]string{}, imports: map[string][]string{}}
	if err := b.addWorkers(); err != nil {
		return nil, err
	}
	html := map[string][]byte{}
	var modules, others []string
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			return nil, err
		}
		html[page] = text
		for _, m := range named.FindAllSubmatch(text, -1) {
			source := string(m[3])
			switch {
			case slices.Contains(stable, source):
			case isRef.Match(m[1]):
				modules = append(modules, source)
			default:
				others = append(others, source)
			}
		}
	}
	for _, source := range modules { // one by one: few large files arrive sooner than many that pages share
		if err := b.add(source, api.FormatESModule, true); err != nil {
			return nil, err
		}
	}
	for _, source := range others { // styles, and scripts that run before the page is drawn
		if err := b.add(source, api.FormatIIFE, false); err != nil {
			return nil, err
		}
	}
	for page, text := range html {
		b.files[page] = b.page(text)
	}
	return b.files, nil
}

type bundler struct {
	root    string
	files   map[string][]byte
	names   map[string]string   // of what an entry point gives, by the entry point
	imports map[string][]string // the files that a file imports statically, by name
}

func (b *bundler) addWorkers() error {
	for _, worker := range slices.Sorted(maps.Keys(workers)) {
		if err := b.add(worker, api.FormatESModule, false); err != nil {
			return err
		}
	}
	return nil
}

// metafile is the part of esbuild's description of a build that is needed here.
type metafile struct {
	Outputs map[string]struct {
		EntryPoint string
		Imports    []struct{ Path, Kind string }
	}
}

// add bundles a file with all that it imports. With split, what import() loads becomes files of their
// own.
func (b *bundler) add(source string, format api.Format, split bool) error {
	name := strings.TrimSuffix(strings.ReplaceAll(source, "/", "-"), path.Ext(source))
	points := []api.EntryPoint{{InputPath: "./" + source, OutputPath: name}}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: b.root, EntryPointsAdvanced: points, Outdir: ".", Bundle: true, Splitting: split, Metafile: true,
		EntryNames: "[name]-[hash]", ChunkNames: "[name]-[hash]", OutExtension: map[string]string{".js": ".min.js", ".css": ".min.css"},
		Format: format, Target: api.ES2022, Platform: api.PlatformBrowser, Charset: api.CharsetUTF8, IgnoreAnnotations: true,
		LegalComments:    api.LegalCommentsEndOfFile,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Plugins: []api.Plugin{{Name: "modules", Setup: func(build api.PluginBuild) { b.load(build, filepath.Join(b.root, filepath.FromSlash(source))) }}},
	})
	var faults []error
	for _, m := range slices.Concat(result.Errors, result.Warnings) {
		at := ""
		if m.Location != nil {
			at = fmt.Sprintf("%s:%d: ", m.Location.File, m.Location.Line)
		}
		faults = append(faults, errors.New(at+m.Text))
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	var meta metafile
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return fmt.Errorf("esbuild's metafile: %w", err)
	}
	for _, f := range result.OutputFiles {
		b.files[filepath.Base(f.Path)] = f.Contents
	}
	for name, output := range meta.Outputs {
		name = path.Base(name)
		if output.EntryPoint != "" {
			b.names[output.EntryPoint] = name
		}
		for _, i := range output.Imports {
			if i.Kind == "import-statement" {
				b.imports[name] = append(b.imports[name], path.Base(i.Path))
			}
		}
	}
	return nil
}

// load reads modules for esbuild. It replaces the addresses of workers in those that start them. To what
// import() loads, it adds an import of the entry point, which is there by then: all that the entry point
// needs at first is then shared by all files, and so becomes one file in place of one for each set of
// files that share it.
func (b *bundler) load(build api.PluginBuild, entry string) {
	var lazy sync.Map // paths of what import() loads
	build.OnResolve(api.OnResolveOptions{Filter: `^\.{1,2}/`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		if args.Kind == api.ResolveJSDynamicImport {
			lazy.Store(filepath.Join(args.ResolveDir, filepath.FromSlash(args.Path)), true)
		}
		return api.OnResolveResult{}, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: `\.js$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		text, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		for worker, w := range workers {
			if filepath.Join(b.root, filepath.FromSlash(w.in)) != args.Path {
				continue
			}
			if bytes.Count(text, []byte(w.address)) != 1 {
				return api.OnLoadResult{}, fmt.Errorf("%s must name its worker %s once", w.in, w.address)
			}
			text = bytes.Replace(text, []byte(w.address), fmt.Appendf(nil, w.to, b.names[worker]), 1)
		}
		if _, is := lazy.Load(args.Path); is {
			text = fmt.Appendf(text, "\nimport %q;\n", entry)
		}
		contents := string(text)
		return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
	})
}

// page returns a page that loads the bundled files. It names all modules, so that the browser
// requests them at once instead of one import after another.
func (b *bundler) page(text []byte) []byte {
	return named.ReplaceAllFunc(text, func(ref []byte) []byte {
		m := named.FindSubmatch(ref)
		source := string(m[3])
		if slices.Contains(stable, source) {
			return ref
		}
		name := b.names[source]
		line := slices.Concat(m[1], m[2], []byte("dist/"), []byte(name), m[4])
		if isRef.Match(m[1]) {
			for _, module := range b.needed(name) {
				line = fmt.Appendf(line, "\n<link rel=\"modulepreload\" href=\"%sdist/%s\">", m[2], module)
			}
		}
		return line
	})
}

// needed returns all files that a file imports, directly or not, sorted.
func (b *bundler) needed(name string) []string {
	found := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		for _, next := range b.imports[name] {
			if !found[next] {
				found[next] = true
				visit(next)
			}
		}
	}
	visit(name)
	return slices.Sorted(maps.Keys(found))
}
