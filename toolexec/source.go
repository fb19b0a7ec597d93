package toolexec

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/options"
	"github.com/askgate/askgate/tools/placeholder"
)

const (
	maxListed     = 16 << 20         // bytes of a source's result
	sourceTimeout = 10 * time.Second // applies even if the tool's own is longer: a person waits
)

// source is the tool that lists the options of a template.
type source struct {
	app      string
	asker    string // the ask_user that has the template
	name     string // of the template
	template *config.Template
	tool     *bound
	rows     options.Mapping
	names    []string     // placeholders of the caller that the arguments and the tool use, sorted
	who      tools.Caller // without values: there is no caller
}

// key returns the key under which a list is held. Lists are kept apart by the values of the caller that
// the call uses, and only by these. They are hashed, because they may be claims.
func (s *source) key(arguments string) string {
	used := []string{arguments}
	for _, name := range s.names {
		value, err := placeholder.Value(name, s.who)
		used = append(used, value, strconv.FormatBool(err == nil))
	}
	encoded, _ := json.Marshal(used) // texts
	sum := sha256.Sum256(encoded)
	return s.app + "\x00" + s.asker + "\x00" + s.name + "\x00" + string(sum[:])
}

// errChanged says that a stored question has no values for the template, which used none of the caller
// when the question was asked.
var errChanged = errors.New("the template has changed since the question was asked")

// arguments returns the arguments for a stored question's list. Those with values of the caller are
// filled again, because such values are not stored.
func (s *source) arguments(from tools.OptionSource) (string, error) {
	of := s.template.From
	if from.Values == "" && len(of.Placeholders) == 0 {
		return from.Arguments, nil
	}
	var values map[string]any
	d := json.NewDecoder(strings.NewReader(from.Values))
	d.UseNumber()
	if err := d.Decode(&values); err != nil && (from.Values != "" || len(s.template.Values) > 0) {
		return "", errChanged
	}
	return placeholder.Arguments([]byte(cmp.Or(string(of.Arguments), "{}")), values, &s.who)
}

// bindSources binds the tools that list the options of an entry's templates. They need
// not be in the app's list: the template names them.
func bindSources(snap *config.Snapshot, app *config.App, entry *config.Tool, factories Factories) (map[string]*source, error) {
	var sources map[string]*source
	for name, t := range entry.Templates {
		if t.From == nil {
			continue
		}
		lister, ok := snap.Tool(app.ID, t.From.Tool)
		if !ok {
			continue // cannot happen: config has checked the id
		}
		s := &source{app: app.ID, asker: entry.ID, name: name, template: t}
		var err error
		if s.tool, err = bind(app, lister, factories); err != nil {
			return nil, err
		}
		s.names = slices.Concat(t.From.Placeholders, lister.Placeholders())
		if s.rows, err = options.Compile(t.From.Rows, t.From.Label, t.From.Value, t.From.Description); err != nil {
			return nil, fmt.Errorf("template %s: %w", name, err)
		}
		if sources == nil {
			sources = map[string]*source{}
		}
		sources[name] = s
	}
	return sources, nil
}

// source returns the source of a stored question's options, or nil if the configuration does not
// have it any more.
func (c *Catalog) source(app, asker string, from tools.OptionSource) *source {
	b, ok := c.find(app, asker)
	if !ok {
		return nil
	}
	return b.sources[from.Template]
}

// Lists reports whether a tool lists options for one of the app's templates.
func (c *Catalog) Lists(app string) bool {
	at := c.apps[app]
	return at != nil && at.lists
}

// list returns a source's list, at most maxAge old. Concurrent calls for the same list share one
// call of the tool. The error is for the model.
func (e *Executor) list(ctx context.Context, c *Catalog, s *source, from tools.OptionSource, maxAge time.Duration) (*options.List, *tools.Error) {
	arguments, err := s.arguments(from)
	if err != nil {
		e.metrics.sources.WithLabelValues(s.app, s.name, "failed").Inc()
		e.logger(ctx, s.app).Error("options cannot be listed", "template", s.name, "tool", s.template.From.Tool, "error", err)
		return nil, &tools.Error{Code: tools.CodeToolFailed, Message: "The options cannot be listed: " + err.Error() + "."}
	}
	key := s.key(arguments)
	if l := c.held.get(key, maxAge); l != nil {
		return l, nil
	}
	type listed struct {
		list *options.List
		err  *tools.Error
	}
	got := c.held.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sourceTimeout) // other callers may wait for it, too
		defer cancel()
		list, outcome, err := e.fetch(ctx, s, arguments, c.held.get(key, anyAge))
		e.metrics.sources.WithLabelValues(s.app, s.name, outcome).Inc()
		if list != nil {
			c.held.put(key, list)
		}
		return listed{list, err}, nil
	})
	select {
	case r := <-got:
		l, _ := r.Val.(listed)
		return l.list, l.err
	case <-ctx.Done():
		return nil, &tools.Error{Code: tools.CodeCancelled, Message: "The options were not fetched.", Reason: "cancelled"}
	}
}

// fetch calls the source. outcome is a label of the metric.
func (e *Executor) fetch(ctx context.Context, s *source, arguments string, before *options.List) (list *options.List, outcome string, failed *tools.Error) {
	call := tools.Call{Name: s.template.From.Tool, Arguments: arguments, Language: "en", MaxResult: maxListed}
	if err := s.tool.check(call); err != nil {
		why := err.Error()
		if len(s.template.From.Placeholders) > 0 {
			why = "they do not match the parameters of the tool that lists the options" // err may quote a value of the caller
		}
		return nil, "refused", &tools.Error{Code: tools.CodeInvalidArguments, Message: why}
	}
	out := e.guard(ctx, s.tool, s.tool.tool, s.app, call)
	switch {
	case out.Error != nil && out.Error.Code == tools.CodeInvalidArguments:
		return nil, "refused", out.Error
	case out.Error != nil && out.Error.Code == tools.CodeToolTimeout:
		return nil, "timeout", out.Error
	case out.Error != nil:
		return nil, "failed", out.Error
	}
	list, err := options.Read(out.Result, s.rows, before)
	if err != nil {
		if len(out.Result) > maxListed-1<<10 { // it was cut, at a code point, and before a partial secret
			err = fmt.Errorf("the result is longer than %d MiB", maxListed>>20)
		}
		e.logger(ctx, s.app).Error("options cannot be read", "template", s.name, "tool", s.template.From.Tool, "error", err)
		return nil, "unreadable", &tools.Error{Code: tools.CodeToolFailed, Message: "The options cannot be read."}
	}
	if list.Len() == 0 {
		return list, "empty", nil
	}
	return list, "ok", nil
}

// Limits of the lists that are held for all apps together. An unused list is kept for some time
// after it is too old to be offered, because a search may still need it.
const (
	maxHeld      = 64
	maxHeldBytes = 128 << 20
	heldUnused   = 10 * time.Minute
	offeredFor   = time.Minute // then the tool is called again
	anyAge       = time.Duration(1<<63 - 1)
)

// heldLists holds lists in memory, by source and arguments. It is safe for concurrent use.
type heldLists struct {
	flight singleflight.Group

	mu    sync.Mutex
	byKey map[string]*heldList
	size  int // bytes
}

type heldList struct {
	list     *options.List
	at, used time.Time
}

func (h *heldLists) get(key string, maxAge time.Duration) *options.List {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.byKey[key]
	if l == nil || maxAge < anyAge && time.Since(l.at) >= maxAge {
		return nil
	}
	l.used = time.Now()
	return l.list
}

func (h *heldLists) put(key string, list *options.List) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	h.drop(key)
	if h.byKey == nil {
		h.byKey = map[string]*heldList{}
	}
	h.byKey[key] = &heldList{list: list, at: now, used: now}
	h.size += list.Size()
	for key, l := range h.byKey {
		if now.Sub(l.used) > heldUnused {
			h.drop(key)
		}
	}
	for len(h.byKey) > maxHeld || h.size > maxHeldBytes {
		oldest := key
		for k, l := range h.byKey {
			if l.used.Before(h.byKey[oldest].used) {
				oldest = k
			}
		}
		h.drop(oldest)
		if oldest == key {
			return
		}
	}
}

func (h *heldLists) drop(key string) {
	if l := h.byKey[key]; l != nil {
		h.size -= l.list.Size()
		delete(h.byKey, key)
	}
}
