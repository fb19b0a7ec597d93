package config

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Options says where the configuration comes from.
type Options struct {
	// Dir is the configuration directory; "" is the built-in one.
	Dir string
	// Env looks up environment variables; nil is os.LookupEnv.
	Env func(name string) (string, bool)
	// Overrides are the command line's values, which win over everything.
	Overrides Overrides
	// Insecure allows auth.mode none on other addresses than loopback.
	Insecure bool
	// Tools are the types of tools that the program has, beside ask_user.
	Tools []ToolType
	// Question judges a question that an admin wrote, as the fields of ask_user; listed: a
	// tool lists its options. Optional.
	Question func(question []byte, listed bool) error
	// serving is where the process listens already, whatever the files say since
	// then; "" before it does.
	serving string
}

// Overrides are values given by flags; nil: not given. Order of precedence:
// flag, then ASKGATE_LISTEN and its siblings, then the file, then the default.
type Overrides struct {
	Listen      *string // --listen, ASKGATE_LISTEN
	AdminListen *string // --admin-listen, ASKGATE_ADMIN_LISTEN
	Store       *string // --store, ASKGATE_STORE
	Redis       *string // --redis, ASKGATE_REDIS
}

const (
	maxApps  = 1000
	maxTools = 1000 // per tools.json
)

// Load reads and checks everything in one pass. The error is Faults, all of
// them, ordered by file and position. Safe for concurrent use.
func Load(opts Options) (*Snapshot, error) {
	s, _, err := load(opts)
	return s, err
}

// load is Load, and tells which files beside the configuration's own it read.
func load(opts Options) (*Snapshot, stamps, error) {
	files := builtin()
	if opts.Dir != "" {
		info, err := os.Stat(opts.Dir)
		switch {
		case err != nil:
			return nil, nil, Faults{whole(opts.Dir, "the configuration directory cannot be read: "+reason(err).Error()+"; create one with: askgate init DIR")}
		case !info.IsDir():
			return nil, nil, Faults{whole(opts.Dir, "is no directory; name the directory that holds gateway.json")}
		}
		files = os.DirFS(opts.Dir)
	}
	return loadFrom(opts, files)
}

func loadFrom(opts Options, files fs.FS) (*Snapshot, stamps, error) {
	l := newLoader(opts, files)
	snapshot, p := l.load(), l.pass
	faults, warnings := p.loose, Faults(nil)
	for _, s := range p.sources {
		faults = append(faults, s.faults...)
		warnings = append(warnings, s.warnings...)
		if s.dropped > 0 {
			faults = append(faults, Fault{File: s.shown, Line: len(s.lines), Col: 1, Message: "too many faults; mend the first " + strconv.Itoa(maxFaults) + " and check again"})
		}
	}
	warnings = append(warnings, p.notes...)
	if len(faults) > 0 {
		faults.sort()
		return nil, p.beside, faults
	}
	warnings.sort()
	snapshot.Warnings = warnings
	return snapshot, p.beside, nil
}

// loader makes a snapshot of what one pass reads.
type loader struct {
	pass  *pass
	types toolTypes

	root      Value // of gateway.json
	gateway   Gateway
	gatewayOK bool        // its syntax is right, so references can be judged
	authOK    bool        // "auth" has no fault, so it can be judged
	fallbacks []*fallback // of gateway.json, in its order
	// What webhooks say of apps and of links, to be judged when everything is read.
	webhookApps []namedApp
	answerLinks []Value
	shared      toolSet
	found       []appFiles
	// templateAt is where templates name the tool that lists their options.
	templateAt map[*Template]Value
	snapshot   *Snapshot
}

func newLoader(opts Options, files fs.FS) *loader {
	p := &pass{opts: opts, files: files, lookup: opts.Env, beside: stamps{}, variables: map[string]variableFile{}}
	if p.lookup == nil {
		p.lookup = os.LookupEnv
	}
	return &loader{
		pass: p, types: newToolTypes(opts.Tools), templateAt: map[*Template]Value{},
		snapshot: &Snapshot{byID: map[string]*App{}, own: map[string]map[string]*Tool{}},
	}
}

func (l *loader) load() *Snapshot {
	l.readGateway()
	l.snapshot.Gateway = l.gateway
	l.traces()
	l.readShared()
	l.snapshot.tools = l.shared.byID
	l.readApps()
	l.knownApps()
	l.strayFiles()
	return l.snapshot
}

// appFiles are the files of one app.
type appFiles struct{ id, app, tools string }

// listApps finds apps/<id>.json, apps/<id>/app.json and apps/<id>/tools.json,
// ordered by id. Hidden names are editors' and Kubernetes' own.
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

// readShared reads the tools that all apps may list. Those of the built-in apps are built in,
// too, where neither is changed.
func (l *loader) readShared() {
	_, tools := fs.Stat(l.pass.files, "tools.json")
	_, apps := fs.Stat(l.pass.files, "apps")
	if errors.Is(tools, fs.ErrNotExist) && errors.Is(apps, fs.ErrNotExist) {
		defer l.pass.builtIn()()
	}
	ihub := l.ihubTools(l.types.unwritten())
	l.shared = l.readTools("tools.json", ihub.byID)
	for id := range ihub.skipped {
		l.shared.skipped[id] = l.shared.skipped[id] || l.shared.byID[id] == nil
	}
}

func (l *loader) readApps() {
	found, twice, err := listApps(l.pass.files)
	if errors.Is(err, fs.ErrNotExist) {
		// A directory with no apps folder only changes the gateway: the built-in
		// apps stay.
		defer l.pass.builtIn()()
		found, twice, err = listApps(l.pass.files)
	}
	if err != nil {
		l.pass.fault(whole(l.pass.shown("apps"), "cannot be read: "+reason(err).Error()))
		return
	}
	for _, name := range twice {
		id := path.Base(path.Dir(name))
		l.pass.fault(whole(l.pass.shown(name), "the app "+id+" is given twice, also by apps/"+id+".json; remove one"))
	}
	if len(found) == 0 {
		l.pass.fault(whole(l.pass.shown("apps"), "there is no app; write apps/<id>.json (askgate init writes examples), or remove the folder for the built-in apps"))
	}
	if len(found) > maxApps {
		l.pass.fault(whole(l.pass.shown("apps"), "there are more than "+strconv.Itoa(maxApps)+" apps; remove some"))
		found = found[:maxApps]
	}
	l.found = found
	for _, a := range found {
		l.readApp(a)
	}
	slices.SortFunc(l.snapshot.apps, func(a, b *App) int { return strings.Compare(a.ID, b.ID) })
	if len(found) > 0 && len(l.snapshot.apps) == 0 {
		l.pass.note(whole(l.pass.shown("apps"), "no app is enabled: there is nothing to talk to"))
	}
}

// strayFiles warns of .json files that nothing reads: mostly misspelt names.
func (l *loader) strayFiles() {
	l.ihubStray()
	l.stray(".", []string{"gateway.json", "tools.json"})
	entries, _ := fs.ReadDir(l.pass.files, "apps")
	for _, e := range entries {
		if ext := path.Ext(e.Name()); ext == ".yaml" || ext == ".yml" {
			l.pass.note(whole(l.pass.shown(path.Join("apps", e.Name())), "is not read; write the app as JSON, where comments are fine"))
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
			l.pass.note(whole(l.pass.shown(path.Join(dir, name)), "is not read; write the configuration as JSON, where comments are fine"))
			continue
		}
		if e.IsDir() || strings.HasPrefix(name, ".") || path.Ext(name) != ".json" || l.pass.shown(path.Join(dir, name)) == l.pass.keySet || slices.Contains(known, name) || len(l.pass.notes) >= maxFaults {
			continue
		}
		l.pass.note(whole(l.pass.shown(path.Join(dir, name)), "is not read; "+Mend(name, known)))
	}
}

// What ids may be. They stand in URLs, file names and metric labels; a tool's
// also in requests to models, which allow no more (OpenAI: ^[a-zA-Z0-9_-]{1,64}$).
var (
	appID   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	toolID  = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}$`)
)

const (
	appIDRule   = "use 1 to 64 letters, digits, dots, dashes and underscores, a letter or digit first"
	toolIDRule  = "use 1 to 64 letters, digits, dashes and underscores"
	plainIDRule = "use 1 to 128 letters, digits and . _ : / @ -, a letter or digit first"
)
