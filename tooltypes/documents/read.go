package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const (
	maxFacts = 8 << 10 // bytes of the fields of a passage in a result
	maxSaid  = 10      // versions that an error names
)

// title returns a passage's title. If the passage is not in force on a day, the title says when it is,
// after the work, in figures, because people of any language read it.
func title(f passage, today string) string {
	when := ""
	switch {
	case f.Never:
		when = " (–)"
	case f.ValidFrom != "" && f.ValidFrom > today || f.ValidTo != "" && f.ValidTo < today:
		when = " (" + validity(f.Document) + ")"
	}
	if rest, ok := strings.CutPrefix(f.Title, f.Work); ok {
		return f.Work + when + rest
	}
	return f.Title + when
}

// validity returns the days on which a version is in force, such as "2010-01-01 – 2014-12-31".
func validity(d index.Document) string {
	return strings.TrimSpace(d.ValidFrom + " – " + d.ValidTo)
}

// facts returns what a result says about the document of a passage. If there are very many fields, it has
// those for which there is room, by name.
func facts(f passage) tools.PassageFacts {
	out := tools.PassageFacts{WorkID: f.WorkID, Date: f.Date, ValidFrom: f.ValidFrom, ValidTo: f.ValidTo}
	room := maxFacts
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		v := f.Fields[name]
		var value any = v.Texts
		switch {
		case v.Kind == passages.Number:
			value = v.Number
		case v.Kind != passages.List && len(v.Texts) == 1:
			value = v.Texts[0]
		}
		size := len(name) + len(plain(value)) + len(`"":,`)
		if size > room {
			continue
		}
		room -= size
		if out.Fields == nil {
			out.Fields = map[string]any{}
		}
		out.Fields[name] = value
	}
	return out
}

func (t *Tool) read(ctx context.Context, raw []byte) (tools.Outcome, error) {
	var args struct{ ID, AsOf string }
	if err := json.Unmarshal(raw, &args); err != nil {
		return tools.Outcome{}, invalid("arguments do not match the tool's parameters")
	}
	day := ""
	if t.o.Versions != nil {
		var err error
		if day, err = argumentDay("asOf", args.AsOf, ""); err != nil {
			return tools.Outcome{}, err
		}
	}
	var p passage
	var refused *tools.Error
	err := t.library.use(ctx, func(x *index.Index) (err error) {
		p, refused, err = passageOn(ctx, x, args.ID, day)
		return err
	})
	switch {
	case err != nil:
		return tools.Outcome{}, t.failed(ctx, err)
	case refused != nil:
		return tools.Outcome{}, refused
	}
	name := title(p, t.today())
	result := plain(struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Link  string `json:"link"`
		tools.PassageFacts
		Text string `json:"text"`
	}{p.ID, name, t.o.link(t.app, p), facts(p), p.Text})
	shown := plain(map[string]string{"type": "resource_link", "uri": t.o.address(t.app, p.ID), "name": name, "title": name, "mimeType": "application/json"})
	return tools.Outcome{Result: string(result), Content: []tools.Content{{Part: shown}}}, nil
}

// passageOn returns the passage with an id, or the part of its section on a day: itself, or the one with
// the same number, or else the first.
func passageOn(ctx context.Context, x *index.Index, id, day string) (p passage, refused *tools.Error, err error) {
	if day == "" {
		p, ok, err := x.Passage(ctx, id)
		if err == nil && !ok {
			refused = noPassage()
		}
		return p, refused, err
	}
	p, list, ok, err := x.Sections(ctx, id, day)
	switch {
	case err != nil:
		return p, nil, err
	case !ok:
		return p, noPassage(), nil
	case !list[0].Version:
		refused, err = noVersion(ctx, x, p.Key, "on "+day)
		return p, refused, err
	case list[0].Parts == nil:
		return p, notFound("The version that is in force on %s has no such section. Search it with `asOf`: %q, and use an id from the result.", day, day), nil
	}
	parts := list[0].Parts
	for _, is := range []func(passage) bool{func(q passage) bool { return q.ID == p.ID }, func(q passage) bool { return q.Part == p.Part }} {
		if i := slices.IndexFunc(parts, is); i >= 0 {
			return parts[i], nil, nil
		}
	}
	return parts[0], nil, nil
}

func notFound(format string, args ...any) *tools.Error {
	return &tools.Error{Code: codeNotFound, Rejected: true, Message: fmt.Sprintf(format, args...)}
}

func noPassage() *tools.Error {
	return notFound("There is no passage with this id. Search, and use an id from the result unchanged.")
}

// noVersion returns the error for a day on which no version of a work is in force.
func noVersion(ctx context.Context, x *index.Index, key, when string) (*tools.Error, error) {
	list, err := x.Versions(ctx, key, maxSaid+1)
	if err != nil {
		return nil, err
	}
	var said []string
	for _, v := range list[:min(len(list), maxSaid)] {
		said = append(said, validity(v.Document))
	}
	if len(list) > maxSaid {
		said = append(said, "and others")
	}
	return notFound("No version of this work is in force %s. Its versions are in force: %s.", when, strings.Join(said, "; ")), nil
}

// Passage implements tools.Library.
func (t *Tool) Passage(ctx context.Context, id string) (tools.Passage, bool, error) {
	var p passage
	var ok bool
	err := t.library.use(ctx, func(x *index.Index) (err error) {
		p, ok, err = x.Passage(ctx, id)
		return err
	})
	if err != nil || !ok {
		return tools.Passage{}, false, err
	}
	format := "text"
	if isMarkdown(p.Path) {
		format = "markdown"
	}
	return tools.Passage{ID: p.ID, Title: title(p, t.today()), Work: p.Work, Link: t.o.link(t.app, p), PassageFacts: facts(p), Text: p.Text, Format: format}, true, nil
}

func isMarkdown(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown":
		return true
	}
	return false
}
