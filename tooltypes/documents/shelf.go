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
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

// Options are those of an entry of tools.json.
type Options struct {
	ID      string      // prefix of its functions' names
	About   config.Text // what the admin says of the texts, for the model
	Folder  config.Folder
	Include []string
	Link    string // pattern of the passages' links; "": on the page
	Title   string // see passages.New
}

// Shelf has the libraries in use, each once. Safe for concurrent use.
type Shelf struct {
	// Dir is the folder of their indexes. It is set before the first tool is made.
	Dir string

	log  *slog.Logger
	look time.Duration // between two passes, at the least

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
	return &Shelf{log: log, look: look, libraries: map[string]*shared{}}
}

// Tool is the library for one app. Its index is shared, and its goroutine ends when the last
// of its tools is closed.
func (s *Shelf) Tool(app string, o Options) (*Tool, error) {
	reader, err := passages.New(o.Title)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal([]any{o.ID, o.Folder.Path, o.Folder.Built != nil, o.Include, o.Title})
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
		file := "" // what the program brings is indexed in memory: it is small, and never changes
		if o.Folder.Built == nil {
			file = filepath.Join(s.Dir, index.Name(o.ID, path, strings.Join(o.Include, "\n"), o.Title))
		}
		l = &shared{library: newLibrary(o, file, reader, s.look, s.log)}
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

// Wait waits until the libraries that nobody uses any more are closed, and until ctx ends at
// the most.
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

// Status is how a library is.
type Status struct {
	ID                  string
	Documents, Passages int
	Faulty              int       // files and lines that were left out
	Ready               bool      // all of the folder was indexed once
	Read, Of            int       // files of the pass under way; Of is 0 where none is
	Seconds             float64   // that the newest pass took which found changes
	Since               time.Time // of Ready and Err
	Err                 error     // why the folder or the index cannot be used
}

// Statuses are those of the libraries in use. Several may have one id: apps can have
// entries of their own.
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

// state is the status in words, for an admin.
func (s *Shelf) state(id string) string {
	var list []string
	for _, st := range s.Statuses() {
		if st.ID == id {
			list = append(list, st.String())
		}
	}
	return strings.Join(list, "; ")
}

// String is the status in words.
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
