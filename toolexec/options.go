package toolexec

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/options"
)

// ErrNoOptions is returned if the source of a question's options cannot be called now, and no
// earlier list of it is enough.
var ErrNoOptions = errors.New("toolexec: the tool that lists the options cannot be called now")

// fill adds the options that tools list to a question. If a tool lists none, the part gets the
// template's fallback. An error is about the values that the model gave, and is for the model.
func (e *Executor) fill(ctx context.Context, c *Catalog, app *config.App, b *bound, call tools.Call, q *tools.Question) *tools.Error {
	if len(q.Sources) == 0 {
		return nil
	}
	lists := make([]*options.List, len(q.Sources))
	errs := make([]*tools.Error, len(q.Sources))
	var group errgroup.Group
	group.SetLimit(concurrency)
	for i, from := range q.Sources {
		if s := b.sources[from.Template]; s != nil {
			group.Go(func() error {
				lists[i], errs[i] = e.list(ctx, c, s, from, offeredFor)
				return nil
			})
		}
	}
	_ = group.Wait() // the functions return no errors
	var kept []tools.OptionSource
	for i, from := range q.Sources {
		p, s := &q.Parts[from.Part], b.sources[from.Template]
		switch {
		case errs[i] != nil && errs[i].Code == tools.CodeCancelled:
			return errs[i]
		case errs[i] != nil && errs[i].Code == tools.CodeInvalidArguments && len(s.template.Values) > 0:
			return &tools.Error{Code: tools.CodeInvalidClarification, Reason: "template_value",
				Message: "The `values` of the template " + from.Template + " are not valid: " + errs[i].Message + ". The user has seen nothing. Correct this and call the tool again."}
		case lists[i] != nil && lists[i].Len() == 0 && !s.template.HasFallback():
			return noRows(from)
		case lists[i] == nil || lists[i].Len() == 0:
			instead(p, s, call.Language)
			continue
		}
		most := app.Clarifications.MaxOptions
		p.Options = lists[i].First(most)
		if lists[i].Len() > most {
			p.OptionsTotal, p.Searchable = lists[i].Len(), true
		}
		kept = append(kept, from)
	}
	q.Sources = kept
	return nil
}

// noRows returns the model's error for a list without an option. The person could only guess in its
// place what the source does not have.
func noRows(from tools.OptionSource) *tools.Error {
	return &tools.Error{Code: tools.CodeInvalidClarification, Reason: "no_options", Message: "0 rows for the template " + from.Template + " with " + tools.Shorten(from.Arguments, maxNamed) +
		": there is nothing to choose from, and the user has seen nothing. Call the tool again with other `values`, ask without the template, or tell the user that nothing was found."}
}

// maxNamed limits the arguments of a source in an error, in code points.
const maxNamed = 300

// instead makes a part answerable without its source: with the template's own options, or as a
// text.
func instead(p *tools.Part, s *source, language string) {
	var own []tools.Option
	if s != nil {
		if raw := s.template.FallbackIn(language); raw != nil {
			_ = json.Unmarshal(raw, &own) // config has checked it
		}
	}
	for i := range own {
		if strings.TrimSpace(own[i].Value) == "" {
			own[i].Value = own[i].Label
		}
	}
	if p.Options = own; len(own) == 0 {
		p.InputType, p.AllowOther, p.Validation = tools.Text, false, nil
	}
}

// Asked is a stored question, with the app and the tool that asked it.
type Asked struct {
	App      *config.App
	Tool     string
	Question tools.Question
}

// Search finds options of a part while a person types. It returns up to limit of the options that
// match, after skip others, and their total number. It returns ErrNoOptions if the options cannot
// be listed.
func (e *Executor) Search(ctx context.Context, c *Catalog, asked Asked, part int, query string, skip, limit int) (found []tools.Option, total int, err error) {
	from, ok := asked.Question.Source(part)
	s := c.source(asked.App.ID, asked.Tool, from)
	if !ok || s == nil {
		found, total = options.Of(asked.Question.Parts[part].Options).Search(query, skip, limit)
		return found, total, nil
	}
	list, failed := e.list(ctx, c, s, from, offeredFor)
	if failed != nil {
		if list = c.last(s, from); list == nil {
			return nil, 0, ErrNoOptions
		}
	}
	if finder, ok := s.tool.tool.(tools.Finder); ok && failed == nil && strings.TrimSpace(query) != "" {
		arguments, err := s.arguments(from)
		if err != nil { // cannot happen: they were listed with
			return nil, 0, ErrNoOptions
		}
		found = e.found(ctx, s, list, finder.Find(arguments, query), query)
		return found[min(skip, len(found)):min(skip+limit, len(found))], len(found), nil
	}
	found, total = list.Search(query, skip, limit)
	return found, total, nil
}

// found returns the options of a list that a search by its source finds, followed by those with
// the words in their label.
func (e *Executor) found(ctx context.Context, s *source, list *options.List, arguments, query string) (found []tools.Option) {
	ctx, cancel := context.WithTimeout(ctx, sourceTimeout)
	defer cancel()
	all, _ := list.Search(query, 0, list.Len())
	if hits, _, failed := e.fetch(ctx, s, arguments, nil); failed == nil {
		all = append(hits.First(hits.Len()), all...)
	}
	has := map[string]bool{}
	for _, o := range all {
		if o, ok := list.Find(o.Value); ok && !has[o.Value] {
			has[o.Value] = true
			found = append(found, o)
		}
	}
	return found
}

// last returns the source's last list, or nil if it is not held any more.
func (c *Catalog) last(s *source, from tools.OptionSource) *options.List {
	arguments, err := s.arguments(from)
	if err != nil {
		return nil
	}
	return c.held.get(s.key(arguments), anyAge)
}

// Listed returns those of the named options that are in the last list of a source of an app's
// ask_user. It returns none if that list is not held any more.
func (c *Catalog) Listed(app, tool string, from tools.OptionSource, named []string) []tools.Option {
	s := c.source(app, tool, from)
	if s == nil {
		return nil
	}
	list := c.last(s, from)
	if list == nil {
		return nil
	}
	return list.Chosen(named)
}

// Verify asks the sources of a question again whether they have the options that an answer names.
// It returns a *tools.StaleError if one is gone, or else the answer with the labels of options
// that are not in the question. If a source cannot be called, its last list counts; for an option
// that is neither offered nor in that list, it returns ErrNoOptions.
func (e *Executor) Verify(ctx context.Context, c *Catalog, asked Asked, a tools.Answer) (tools.Answer, error) {
	a.Answers = slices.Clone(a.Answers)
	for _, from := range asked.Question.Sources {
		s := c.source(asked.App.ID, asked.Tool, from)
		to := asked.Question.AnswerTo(&a, from.Part)
		if s == nil || to == nil || to.Declined || to.Skipped {
			continue
		}
		named := values(to)
		if len(named) == 0 {
			continue
		}
		list, failed := e.list(ctx, c, s, from, 0)
		if failed != nil {
			list = c.last(s, from)
		}
		part := &asked.Question.Parts[from.Part]
		var gone, found []string
		for _, v := range named {
			offered := slices.ContainsFunc(part.Options, func(o tools.Option) bool { return o.Value == v })
			there := false
			if list != nil {
				_, there = list.Find(v)
			}
			switch {
			case there && !offered:
				found = append(found, v)
			case there, failed != nil && offered, !offered && !part.Searchable:
			case failed != nil:
				return a, ErrNoOptions
			default:
				gone = append(gone, v)
			}
		}
		if len(found) > 0 {
			to.Options = list.Chosen(found)
		}
		if len(gone) > 0 {
			return a, &tools.StaleError{Question: from.Part, Gone: gone, Options: list.First(asked.App.Clarifications.MaxOptions), Total: list.Len()}
		}
	}
	return a, nil
}

// Named reads a plain message as an answer, if it names an option of the source that is not in the
// question.
func (e *Executor) Named(ctx context.Context, c *Catalog, asked Asked, text string) (tools.Answer, bool) {
	if len(asked.Question.Parts) != 1 || len(asked.Question.Sources) != 1 || !asked.Question.Parts[0].Searchable {
		return tools.Answer{}, false
	}
	from := asked.Question.Sources[0]
	s := c.source(asked.App.ID, asked.Tool, from)
	if s == nil {
		return tools.Answer{}, false
	}
	list, failed := e.list(ctx, c, s, from, offeredFor)
	if failed != nil {
		return tools.Answer{}, false
	}
	o, ok := list.Named(text)
	if !ok {
		return tools.Answer{}, false
	}
	if asked.Question.Parts[0].InputType.TakesValues() {
		return tools.Answer{Values: []string{o.Value}}, true
	}
	value, err := json.Marshal(o.Value)
	return tools.Answer{Value: value}, err == nil
}

// values returns the options that an answer to one part names.
func values(a *tools.Answer) []string {
	named := slices.Clone(a.Values)
	if text := strings.TrimSpace(string(a.Value)); text != "" && text != "null" {
		var s string
		var b bool
		switch {
		case json.Unmarshal(a.Value, &s) == nil:
			named = append(named, s)
		case json.Unmarshal(a.Value, &b) == nil:
			named = append(named, strconv.FormatBool(b))
		default: // a number as it is written; any other value does not match an option
			named = append(named, text)
		}
	}
	return named
}
