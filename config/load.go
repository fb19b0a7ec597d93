package config

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

const maxApps = 1000

// Load reads and checks the whole configuration in one pass. The error is Faults: all of
// them, ordered by file and position. Safe for concurrent use.
func Load(opts Options) (*Snapshot, error) {
	s, _, err := load(opts)
	return s, err
}

// load is Load, and also returns which files outside the directory it read.
func load(opts Options) (*Snapshot, stamps, error) {
	files := builtin()
	if opts.Dir != "" {
		info, err := os.Stat(opts.Dir)
		switch {
		case err != nil:
			return nil, nil, Faults{whole(opts.Dir, "cannot read the configuration directory: "+reason(err).Error()+"; create one with: askgate init DIR")}
		case !info.IsDir():
			return nil, nil, Faults{whole(opts.Dir, "is not a directory; name the one that contains gateway.json")}
		}
		files = os.DirFS(opts.Dir)
	}
	return loadFrom(opts, files)
}

func loadFrom(opts Options, files fs.FS) (*Snapshot, stamps, error) {
	l := newLoader(opts, files)
	snapshot, p := l.load(opts), l.pass
	faults, warnings := p.loose, Faults(nil)
	for _, s := range p.sources {
		faults = append(faults, s.faults...)
		warnings = append(warnings, s.warnings...)
		if s.dropped > 0 {
			faults = append(faults, Fault{File: s.shown, Line: len(s.lines), Col: 1, Message: "too many faults to list; fix the first " + strconv.Itoa(maxFaults) + " and check again"})
		}
	}
	warnings = append(warnings, p.notes...)
	if len(faults) > 0 {
		faults.sort()
		return nil, p.others, faults
	}
	warnings.sort()
	snapshot.Warnings = warnings
	return snapshot, p.others, nil
}

// loader builds a snapshot from the files of one pass.
type loader struct {
	pass     *pass
	types    toolTypes
	gateway  *gatewayReader
	tools    *toolFiles
	shared   toolSet
	found    []appFiles
	snapshot *Snapshot
}

func newLoader(opts Options, files fs.FS) *loader {
	p := &pass{dir: opts.Dir, files: files, lookup: opts.Env, question: opts.Question, checking: opts.Checking, others: stamps{}, variables: map[string]variableFile{}}
	if p.lookup == nil {
		p.lookup = os.LookupEnv
	}
	types, gateway := newToolTypes(opts.Tools), newGatewayReader(p)
	return &loader{
		pass: p, types: types, gateway: gateway, tools: newToolFiles(p, types, gateway),
		snapshot: &Snapshot{byID: map[string]*App{}, own: map[string]map[string]*Tool{}, claims: map[string][]string{}},
	}
}

func (l *loader) load(opts Options) *Snapshot {
	l.snapshot.fallbacks = l.gateway.read(opts)
	l.snapshot.Gateway = l.gateway.conf
	l.snapshot.Traces = l.pass.traces()
	l.readShared()
	l.snapshot.tools = l.shared.byID
	l.readApps()
	for _, app := range l.snapshot.apps {
		l.snapshot.claims[app.ID] = l.snapshot.claimsOf(app)
	}
	l.knownApps()
	l.changing()
	l.tools.listed.check()
	l.strayFiles()
	return l.snapshot
}

// appFiles are the files of one app.
type appFiles struct{ id, app, tools string }

// listApps finds apps/<id>.json, apps/<id>/app.json and apps/<id>/tools.json,
// ordered by id. twice lists second definitions of an app. Hidden files, which editors and
// Kubernetes create, are ignored.
func listApps(files fs.FS) (found []appFiles, twice []string, err error) {
	entries, err := fs.ReadDir(files, "apps")
	if err != nil {
		return nil, nil, err
	}
	byID := map[string]*appFiles{}
	at := func(id string) *appFiles {
		if byID[id] == nil {
			byID[id] = &appFiles{id: id}
		}
		return byID[id]
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		full := path.Join("apps", name)
		info, err := fs.Stat(files, full) // follows links
		switch {
		case err == nil && info.IsDir():
			for file, field := range map[string]func(*appFiles) *string{
				"app.json":   func(a *appFiles) *string { return &a.app },
				"tools.json": func(a *appFiles) *string { return &a.tools },
			} {
				if _, err := fs.Stat(files, path.Join(full, file)); err == nil {
					dst := field(at(name))
					if *dst != "" {
						twice = append(twice, path.Join(full, file))
						continue
					}
					*dst = path.Join(full, file)
				}
			}
		case strings.HasSuffix(name, ".json"):
			a := at(strings.TrimSuffix(name, ".json"))
			if a.app != "" {
				twice = append(twice, a.app)
			}
			a.app = full
		}
	}
	for _, a := range byID {
		found = append(found, *a)
	}
	sort.Slice(found, func(i, j int) bool { return found[i].id < found[j].id })
	sort.Strings(twice)
	return found, twice, nil
}

// readShared reads the tools that all apps may list. If the directory has neither a tools.json nor an
// apps folder, these are the built-in ones, as the built-in apps need them.
func (l *loader) readShared() {
	_, tools := fs.Stat(l.pass.files, "tools.json")
	_, apps := fs.Stat(l.pass.files, "apps")
	if errors.Is(tools, fs.ErrNotExist) && errors.Is(apps, fs.ErrNotExist) {
		defer l.pass.builtIn()()
	}
	ihub := l.tools.ihubFolder(l.types.unwritten())
	l.shared = l.tools.read("tools.json", ihub.byID)
	for id := range ihub.skipped {
		l.shared.skipped[id] = l.shared.skipped[id] || l.shared.byID[id] == nil
	}
}

func (l *loader) readApps() {
	found, twice, err := listApps(l.pass.files)
	if errors.Is(err, fs.ErrNotExist) {
		// A directory without an apps folder only configures the gateway: the built-in
		// apps are used.
		defer l.pass.builtIn()()
		found, twice, err = listApps(l.pass.files)
	}
	if err != nil {
		l.pass.fault(whole(l.pass.shown("apps"), "cannot be read: "+reason(err).Error()))
		return
	}
	for _, name := range twice {
		id := path.Base(path.Dir(name))
		l.pass.fault(whole(l.pass.shown(name), "app "+id+" is defined twice, here and in apps/"+id+".json; remove one"))
	}
	if len(found) == 0 {
		l.pass.fault(whole(l.pass.shown("apps"), "there are no apps; add apps/<id>.json (askgate init writes examples), or remove the folder to use the built-in apps"))
	}
	if len(found) > maxApps {
		l.pass.fault(whole(l.pass.shown("apps"), "too many apps; the limit is "+strconv.Itoa(maxApps)))
		found = found[:maxApps]
	}
	l.found = found
	for _, a := range found {
		l.readApp(a)
	}
	slices.SortFunc(l.snapshot.apps, func(a, b *App) int { return strings.Compare(a.ID, b.ID) })
	if len(found) > 0 && len(l.snapshot.apps) == 0 {
		l.pass.note(whole(l.pass.shown("apps"), "no app is enabled, so no one can chat; enable one"))
	}
}

// strayFiles warns about files that are not read, which mostly have misspelt names.
func (l *loader) strayFiles() {
	l.pass.ihubStray()
	l.stray(".", []string{"gateway.json", "tools.json"})
	entries, _ := fs.ReadDir(l.pass.files, "apps")
	for _, e := range entries {
		if ext := path.Ext(e.Name()); ext == ".yaml" || ext == ".yml" {
			l.pass.note(whole(l.pass.shown(path.Join("apps", e.Name())), "is ignored; write the app as JSON (comments are allowed)"))
		}
	}
	for i, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && i < maxApps {
			l.stray(path.Join("apps", e.Name()), []string{"app.json", "tools.json"})
		}
	}
}

func (l *loader) stray(dir string, known []string) {
	entries, _ := fs.ReadDir(l.pass.files, dir)
	for _, e := range entries {
		name := e.Name()
		if ext := path.Ext(name); (ext == ".yaml" || ext == ".yml") && !e.IsDir() && len(l.pass.notes) < maxFaults {
			l.pass.note(whole(l.pass.shown(path.Join(dir, name)), "is ignored; write the configuration as JSON (comments are allowed)"))
			continue
		}
		if e.IsDir() || strings.HasPrefix(name, ".") || path.Ext(name) != ".json" || l.pass.shown(path.Join(dir, name)) == l.pass.keySet || slices.Contains(known, name) || len(l.pass.notes) >= maxFaults {
			continue
		}
		l.pass.note(whole(l.pass.shown(path.Join(dir, name)), "is ignored; "+Suggest(name, known)))
	}
}

// knownApps warns about apps that webhooks or channels name but that do not exist or are disabled.
func (l *loader) knownApps() {
	for _, a := range slices.Concat(l.gateway.webhooks.apps, l.gateway.channels.apps) {
		if _, ok := l.snapshot.byID[a.id]; ok {
			continue
		}
		known := make([]string, 0, len(l.snapshot.apps))
		for _, app := range l.snapshot.apps {
			known = append(known, app.ID)
		}
		a.at.Warn("there is no enabled app %s, so nothing is sent for it; %s", a.at.Raw(), Suggest(a.id, known))
	}
}

// changing warns about webhooks that name document.changed although none of their apps has documents
// that can change.
func (l *loader) changing() {
	for _, named := range l.gateway.webhooks.changed {
		if !slices.ContainsFunc(l.snapshot.apps, func(a *App) bool {
			return named.hook.Wants(WebhookChanged, a.ID) && slices.ContainsFunc(a.Tools, func(id string) bool {
				t, ok := l.snapshot.Tool(a.ID, id)
				return ok && t.changes()
			})
		}) {
			named.at.Warn(`none of its apps lists a tool of type documents with a folder on disk, so %s is never sent; add one, or remove the event`, WebhookChanged)
		}
	}
}

func (l *loader) readApp(files appFiles) {
	own := toolSet{known: true}
	if files.tools != "" {
		own = l.tools.read(files.tools, l.shared.byID)
	}
	if l.pass.dir == "" && len(own.skipped) > 0 { // a built-in app makes no sense without its own tools
		return
	}
	if files.app == "" {
		l.pass.fault(whole(l.pass.shown(files.tools), "there is no app "+files.id+"; add apps/"+files.id+".json, or remove this folder"))
		return
	}
	s, ok := l.pass.open(files.app)
	if !ok {
		return
	}
	r := &appReader{app: l.gateway.conf.newApp(files.id), gateway: l.gateway, shared: &l.shared, own: &own, taken: l.taken, listed: l.tools.listed}
	app := r.app
	r.read(l.pass.root(s, "app.json "))
	if s.leftOut("the app") || r.redirect {
		return
	}
	if own.byID != nil {
		l.snapshot.own[app.ID] = own.byID
	}
	if !app.Enabled {
		l.snapshot.disabled = append(l.snapshot.disabled, app)
		return
	}
	l.snapshot.byID[app.ID] = app
	l.snapshot.apps = append(l.snapshot.apps, app)
}

// taken reports whether another file defines the app with that id.
func (l *loader) taken(id string) bool {
	named := slices.ContainsFunc(l.found, func(a appFiles) bool { return a.id == id && a.app != "" })
	return named || l.snapshot.byID[id] != nil || slices.ContainsFunc(l.snapshot.disabled, func(a *App) bool { return a.ID == id })
}
