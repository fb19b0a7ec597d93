package documents

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents/index"
)

const (
	maxChanged    = 8 << 10 // bytes of a paragraph in a diff
	maxParagraphs = 10_000  // of a section that is compared
)

// change is a paragraph that differs.
type change struct {
	Kind   string `json:"kind"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

func (t *Tool) diff(ctx context.Context, call tools.Call, raw []byte) (tools.Outcome, error) {
	var args struct{ ID, From, To string }
	if err := json.Unmarshal(raw, &args); err != nil {
		return tools.Outcome{}, invalid("arguments do not match the tool's parameters")
	}
	from, err := argumentDay("from", args.From, "")
	if err != nil {
		return tools.Outcome{}, err
	}
	to, err := argumentDay("to", args.To, t.today())
	switch {
	case err != nil:
		return tools.Outcome{}, err
	case from == "":
		return tools.Outcome{}, invalid("`from`: %s", errNoDay)
	case from > to:
		return tools.Outcome{}, invalid("`from` (%s) is after `to` (%s); swap them, or name a later `to`", from, to)
	}
	var p passage
	var refused *tools.Error
	var changes []change
	err = t.library.search(ctx, call.Processor, func(x *index.Index) error {
		found, days, ok, err := x.Sections(ctx, args.ID, from, to)
		switch p = found; {
		case err != nil:
		case !ok:
			refused = noPassage()
		case !days[0].Version && !days[1].Version:
			refused, err = noVersion(ctx, x, p.Key, "on "+from+" or "+to)
		case days[0].Parts == nil && days[1].Parts == nil:
			refused = notFound("The versions that are in force on %s and %s have no such section.", from, to)
		default:
			if changes, ok = changed(whole(days[0]), whole(days[1]), isMarkdown(p.Path)); !ok {
				refused = &tools.Error{Code: tools.CodeInvalidArguments, Message: fmt.Sprintf("The section has more than %d paragraphs, too many to compare. Read it as of both days instead.", maxParagraphs)}
			}
		}
		return err
	})
	switch {
	case err != nil:
		return tools.Outcome{}, t.failed(ctx, err)
	case refused != nil:
		return tools.Outcome{}, refused
	}
	return tools.Outcome{Result: diffResult(p, changes)}, nil
}

// diffResult encodes as many changes as a model reads.
func diffResult(p passage, changes []change) string {
	reply := struct {
		ID      string   `json:"id"`
		Title   string   `json:"title"`
		Changes []change `json:"changes"`
		Note    string   `json:"note,omitempty"`
	}{ID: p.ID, Title: p.Work, Changes: []change{}}
	if p.Heading != "" && p.Heading != p.Work {
		reply.Title += " › " + p.Heading
	}
	room := maxResult
	for _, c := range changes {
		c = c.short()
		if room -= len(plain(c)) + 1; room < 0 {
			reply.Note = "There are more changes than fit here. Read the section as of both days."
			break
		}
		reply.Changes = append(reply.Changes, c)
	}
	return string(plain(reply))
}

// short cuts long paragraphs: first the beginning that they have in common, then their end.
func (c change) short() change {
	if len(c.Before) > maxChanged || len(c.After) > maxChanged {
		same := 0
		for same < min(len(c.Before), len(c.After)) && c.Before[same] == c.After[same] {
			same++
		}
		const context = 200 // bytes
		for same = max(0, same-context); same > 0 && !utf8.RuneStart(c.Before[same]); {
			same--
		}
		if same > 0 {
			c.Before, c.After = "… "+c.Before[same:], "… "+c.After[same:]
		}
	}
	c.Before, c.After = cut(c.Before), cut(c.After)
	return c
}

func cut(s string) string {
	if len(s) <= maxChanged {
		return s
	}
	return tools.Clip(s, maxChanged) + " …"
}

// whole returns the text of a section.
func whole(s index.Section) string {
	var b strings.Builder
	for _, p := range s.Parts {
		b.WriteString(p.Gap)
		b.WriteString(p.Text)
	}
	return b.String()
}

// paragraphs splits a text at blank lines, or at the end of each line, into at most most paragraphs.
func paragraphs(text string, lines bool, most int) (list []string, ok bool) {
	begin, at := 0, 0
	end := func() {
		if p := strings.TrimSpace(text[begin:at]); p != "" {
			list = append(list, p)
		}
		begin = at
	}
	for line := range strings.Lines(text) {
		if lines || strings.TrimSpace(line) == "" {
			end()
		}
		if len(list) > most {
			return nil, false
		}
		at += len(line)
	}
	end()
	return list, len(list) <= most
}

var blankLine = regexp.MustCompile(`\n[ \t\r]*\n`)

// changed returns the paragraphs that differ between two texts. White space does not count. Texts
// without blank lines are compared line by line, unless in Markdown, where a paragraph may have
// several lines. ok is false if there are too many paragraphs.
func changed(before, after string, markdown bool) (list []change, ok bool) {
	lines := !markdown && !blankLine.MatchString(before) && !blankLine.MatchString(after)
	a, ok1 := paragraphs(before, lines, maxParagraphs)
	b, ok2 := paragraphs(after, lines, maxParagraphs)
	if !ok1 || !ok2 {
		return nil, false
	}
	sa, sb := spaced(a), spaced(b)
	for _, d := range differ(sa, sb) {
		removed, added := a[d.Start:d.End], b[d.ReplStart:d.ReplEnd]
		for i := range max(len(removed), len(added)) {
			switch {
			case i < len(removed) && i < len(added) && sa[d.Start+i] == sb[d.ReplStart+i]: // the library gave up on them
			case i >= len(added):
				list = append(list, change{Kind: "removed", Before: removed[i]})
			case i >= len(removed):
				list = append(list, change{Kind: "added", After: added[i]})
			default:
				list = append(list, change{"changed", removed[i], added[i]})
			}
		}
	}
	return list, true
}

// spaced returns texts as they are compared.
func spaced(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = strings.Join(strings.Fields(text), " ")
	}
	return out
}

// differ returns how two lists differ. The library gives up on long differences, so it gets only the
// pieces between texts that both lists have exactly once, in the same order. It gets what it gave up on
// again, as long as that becomes shorter.
func differ(a, b []string) (list []lcs.Diff) {
	from, to := 0, 0
	for _, p := range append(anchors(a, b), [2]int{len(a), len(b)}) {
		for _, d := range lcs.DiffLines(a[from:p[0]], b[to:p[1]]) {
			d = lcs.Diff{Start: from + d.Start, End: from + d.End, ReplStart: to + d.ReplStart, ReplEnd: to + d.ReplEnd}
			parts := []lcs.Diff{d}
			if removed, added := d.End-d.Start, d.ReplEnd-d.ReplStart; removed > 0 && added > 0 && removed+added < len(a)+len(b) {
				parts = differ(a[d.Start:d.End], b[d.ReplStart:d.ReplEnd])
				for i := range parts {
					parts[i] = lcs.Diff{Start: d.Start + parts[i].Start, End: d.Start + parts[i].End, ReplStart: d.ReplStart + parts[i].ReplStart, ReplEnd: d.ReplStart + parts[i].ReplEnd}
				}
			}
			list = append(list, parts...)
		}
		from, to = p[0]+1, p[1]+1
	}
	return list
}

// anchors returns the places of the longest sequence of texts that both lists have exactly once, in the
// same order.
func anchors(a, b []string) (row [][2]int) {
	type place struct{ a, b, before int }
	inA, inB := once(a), once(b)
	var places []place
	var piles []int // by the length of a sequence minus one, the earliest place in b that ends it
	for i, text := range a {
		j, ok := inB[text]
		if _, only := inA[text]; !ok || !only {
			continue
		}
		n := sort.Search(len(piles), func(n int) bool { return places[piles[n]].b > j })
		p := place{i, j, -1}
		if n > 0 {
			p.before = piles[n-1]
		}
		if n == len(piles) {
			piles = append(piles, 0)
		}
		piles[n] = len(places)
		places = append(places, p)
	}
	if len(piles) == 0 {
		return nil
	}
	for at := piles[len(piles)-1]; at >= 0; at = places[at].before {
		row = append(row, [2]int{places[at].a, places[at].b})
	}
	slices.Reverse(row)
	return row
}

// once returns the places of the texts that a list has once.
func once(list []string) map[string]int {
	places := map[string]int{}
	for i, text := range list {
		if _, ok := places[text]; ok {
			i = -1
		}
		places[text] = i
	}
	maps.DeleteFunc(places, func(_ string, i int) bool { return i < 0 })
	return places
}
