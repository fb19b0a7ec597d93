package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools/extract"
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// Options configures a library, as its entry in tools.json does.
type Options struct {
	ID      string      // prefix of its functions' names
	About   config.Text // the admin's description of the texts, for the model
	Folder  config.Folder
	Include []string
	Link    string // pattern of the passages' links; "": to the gateway's page
	// Languages are those whose words searches know: of index.Languages.
	Languages []string
	Synonyms  config.File // words that mean the same; its path is "" without any
	passages.Settings
}

// Shelf holds the libraries in use, each once. It is safe for concurrent use.
type Shelf struct {
	// Dir is the folder of their indexes. Set it before the first tool is made.
	Dir string
	// Changed is called after each look at a folder on disk, never twice at a time for one library; nil:
	// changes are not reported. It may take long: looks do not wait for it. If it returns an error, it is called
	// with the same changes, and those since, after the next look. Set it before the first tool is made.
	Changed func(ctx context.Context, look *Look) error
	// Extract reads PDF and DOCX files; nil: they are left out. Set it before the first tool is made.
	Extract *extract.Reader

	log  *slog.Logger
	look time.Duration    // the shortest time between two passes
	now  func() time.Time // of the day that it is

	mu        sync.Mutex
	libraries map[string]*shared
	closing   sync.WaitGroup
}

type shared struct {
	*library
	users int
}

// NewShelf makes a shelf without libraries.
func NewShelf(log *slog.Logger) *Shelf {
	return &Shelf{log: log, look: look, now: time.Now, libraries: map[string]*shared{}}
}

// Tool returns a library for one app. Tools with the same options share an index, whose goroutine
// ends when the last of them is closed.
func (s *Shelf) Tool(app string, o Options) (*Tool, error) {
	reader, err := passages.New(o.Settings)
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(o.Settings)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal([]any{o.ID, o.Folder.Path, o.Folder.Built != nil, o.Include, o.Languages, o.Synonyms.Path, settings})
	if err != nil {
		return nil, err
	}
	key := string(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.libraries[key]
	if l == nil {
		path, err := filepath.Abs(o.Folder.Path)
		if err != nil {
			return nil, err
		}
		file := "" // built-in texts are indexed in memory: they are small and never change
		if o.Folder.Built == nil {
			file = filepath.Join(s.Dir, index.Name(o.ID, path, strings.Join(o.Include, "\n"), string(settings)))
		}
		l = &shared{library: newLibrary(s, o, file, reader)}
		s.libraries[key] = l
	}
	l.users++
	return newTool(l.library, app, o, sync.OnceFunc(func() { s.release(key, l) }))
}

func (s *Shelf) release(key string, l *shared) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.users--; l.users > 0 {
		return
	}
	delete(s.libraries, key)
	s.closing.Go(l.close)
}

// Wait waits until the released libraries are closed, or until ctx ends.
func (s *Shelf) Wait(ctx context.Context) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.closing.Wait()
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}

// Status is the status of a library.
type Status struct {
	ID                  string
	Documents, Passages int
	Faulty              int       // files and lines that were left out
	Ready               bool      // the whole folder has been indexed once
	Read, Of            int       // files of the pass under way; Of is 0 between passes
	Seconds             float64   // duration of the last pass that found changes
	Since               time.Time // when Ready or Err last changed
	Err                 error     // why the folder or the index cannot be used
}

// Statuses returns the status of each library in use. Several may have the same id, because apps
// can have entries of their own.
func (s *Shelf) Statuses() []Status {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Status, 0, len(s.libraries))
	for _, l := range s.libraries {
		list = append(list, l.status())
	}
	return list
}

// state returns the status of the libraries with an id in words, for admins.
func (s *Shelf) state(id string) string {
	var list []string
	for _, st := range s.Statuses() {
		if st.ID == id {
			list = append(list, st.String())
		}
	}
	return strings.Join(list, "; ")
}

// String returns the status in words.
func (st Status) String() string {
	text := fmt.Sprintf("%d documents, %d passages", st.Documents, st.Passages)
	if st.Faulty > 0 {
		text += fmt.Sprintf(", %d left out", st.Faulty)
	}
	if st.Of > 0 {
		text += fmt.Sprintf(", indexing: %d of %d files", st.Read, st.Of)
	}
	if st.Err != nil {
		text += ", fault: " + st.Err.Error()
	}
	return text
}
