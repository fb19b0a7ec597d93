package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// The functions of the built-in app's documents. In a chat with them, the demo shows only law.
const (
	lawSearch = "ordinances__search"
	lawRead   = "ordinances__read"
)

// law searches for the person's words, asks which work is meant if several match, reads its best
// passage, and cites it.
func (p player) law(results []string) step {
	if len(results) == 0 {
		return p.call(p.say("demo.law.intro", nil), lawSearch, map[string]any{"query": p.lawQuery()})
	}
	f := found(results[0])
	if len(f.Works) > 1 {
		if len(results) == 1 {
			q := p.titled("law", "select")
			for _, work := range f.Works {
				q.Options = append(q.Options, option{Label: work, Value: work})
			}
			return p.ask(p.say("demo.law.several", nil), q)
		}
		chosen := read(results[1])
		if chosen.kind != answered {
			return p.close(chosen)
		}
		results = results[2:]
		if len(results) == 0 {
			work, _, _ := strings.Cut(chosen.text, "\n") // a note follows on its own line
			return p.call(p.say("demo.law.narrowed", map[string]any{"Work": work}), lawSearch, map[string]any{"query": p.lawQuery() + " " + work, "limit": 3})
		}
		f = found(results[0])
	}
	switch {
	case f.failed.kind == refused:
		return p.close(f.failed)
	case len(f.Items) == 0:
		return step{text: p.say("demo.law.nothing", map[string]any{"Query": p.lawQuery()})}
	case len(results) == 1:
		return p.call(p.say("demo.law.read", map[string]any{"Title": f.Items[0].Title}), lawRead, map[string]string{"id": f.Items[0].ID})
	}
	r := read(results[1])
	if r.kind == refused {
		return p.close(r)
	}
	var passage struct{ Title, Link, Text string }
	_ = json.Unmarshal([]byte(r.text), &passage) // a result of the tool
	return step{text: p.say("demo.law.answer", map[string]any{
		"Text": strings.ReplaceAll(strings.TrimSpace(passage.Text), "\n", "\n> "), "Source": "[" + passage.Title + "](" + passage.Link + ")",
	})}
}

// lawQuery returns the query: the person's words, translated for known questions into the documents'
// language, as a model would do.
func (p player) lawQuery() string {
	if slices.ContainsFunc(strings.Fields("notice kündigungsfrist préavis preaviso"), func(w string) bool { return strings.Contains(strings.ToLower(p.user), w) }) {
		return p.say("demo.law.query", nil)
	}
	const most = 200 // bytes
	return tools.Clip(p.user, most)
}

// hits is the result of a search.
type hits struct {
	Items  []struct{ ID, Title string }
	Works  []string // works that match about equally well, if there are several
	failed result
}

func found(content string) (f hits) {
	f.failed = read(content)
	_ = json.Unmarshal([]byte(content), &f) // an error has no items
	return f
}
