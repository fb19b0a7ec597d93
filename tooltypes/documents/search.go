package documents

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/documents/index"
)

const (
	defaultLimit = 10
	maxLimit     = 50
	maxOptions   = 1000     // hits that are options of a question
	maxFound     = 250      // options of one search while a person types
	maxWorks     = 10       // works that match about equally well
	maxVersions  = 50       // versions of works that are listed because of a year
	maxListed    = 16 << 10 // bytes of these
)

// Find implements tools.Finder. The filter, the day and the versions stay those of the list.
func (t *Tool) Find(listed, words string) string {
	arguments := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(listed), &arguments) // if it fails, so does the list itself
	delete(arguments, "cursor")
	arguments["query"], arguments["limit"] = plain(words), plain(maxFound)
	return string(plain(arguments))
}

// item is a hit.
type item struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Work    string `json:"work"`
	Link    string `json:"link"`
	Snippet string `json:"snippet"`
	tools.PassageFacts
}

// listed is one of the versions of a work.
type listed struct {
	Work      string `json:"work"`
	WorkID    string `json:"workId,omitempty"`
	ValidFrom string `json:"validFrom,omitempty"`
	ValidTo   string `json:"validTo,omitempty"`
}

func (t *Tool) search(ctx context.Context, call tools.Call, raw []byte) (tools.Outcome, error) {
	var args struct {
		Query          string
		Limit          float64
		Cursor         string
		AsOf, Versions string
		Filter         map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return tools.Outcome{}, invalid("arguments do not match the tool's parameters")
	}
	most, bytes := maxLimit, maxResult
	if call.MaxResult > 0 { // for options of a question
		most, bytes = maxOptions, call.MaxResult
	}
	q := index.Query{Text: args.Query, Limit: defaultLimit}
	if args.Limit > 0 {
		q.Limit = min(int(args.Limit), most)
	}
	if args.Cursor != "" {
		n, err := strconv.ParseUint(args.Cursor, 10, 31)
		if err != nil || n > index.MaxSkip {
			return tools.Outcome{}, invalid("`cursor` is not from a search; pass nextCursor unchanged, or leave it out")
		}
		q.Skip = int(n)
	}
	if !index.HasWords(args.Query) {
		return tools.Outcome{}, invalid("`query` has no words; write what to look for")
	}
	var err error
	if q.Filter, err = t.o.filter(args.Filter); err != nil {
		return tools.Outcome{}, err
	}
	today := t.today()
	if t.o.Versions != nil {
		if q.AsOf, err = argumentDay("asOf", args.AsOf, today); err != nil {
			return tools.Outcome{}, err
		}
		if args.Versions == "all" {
			q.AsOf = ""
		}
	}
	p := page{today: today, skip: q.Skip, room: bytes}
	err = t.library.search(ctx, call.Processor, func(x *index.Index) (err error) {
		q.Words = t.library.words.Load() // those of the first pass, for which search has waited
		if p.hits, p.more, err = x.Search(ctx, q); err == nil && q.Skip == 0 {
			p.versions, err = versionsOfYear(ctx, x, args.Query, p.hits)
		}
		return err
	})
	if err != nil {
		return tools.Outcome{}, t.failed(ctx, err)
	}
	return tools.Outcome{Result: t.page(p)}, nil
}

// page is a page of hits.
type page struct {
	hits     []passage
	more     bool
	versions []listed
	today    string
	skip     int
	room     int // bytes
}

// page encodes as many hits of a page as there is room for.
func (t *Tool) page(p page) string {
	var reply struct {
		Items      []json.RawMessage `json:"items"`
		NextCursor *string           `json:"nextCursor"`
		Works      []string          `json:"works,omitempty"`
		Versions   []listed          `json:"versions,omitempty"`
		Note       string            `json:"note,omitempty"`
	}
	reply.Items = []json.RawMessage{}
	if works := alike(p.hits); p.skip == 0 && len(works) > 1 {
		reply.Works = works
		p.room -= len(plain(works))
	}
	if p.versions != nil {
		reply.Versions = p.versions
		p.room -= len(plain(p.versions))
	}
	for _, h := range p.hits {
		raw := plain(item{h.ID, title(h, p.today), h.Work, t.o.link(t.app, h), h.Snippet, facts(h)})
		if p.room -= len(raw) + 1; p.room < 0 {
			p.more = true
			break
		}
		reply.Items = append(reply.Items, raw)
	}
	if next := p.skip + len(reply.Items); p.more && len(reply.Items) > 0 && next <= index.MaxSkip {
		cursor := strconv.Itoa(next)
		reply.NextCursor = &cursor
	}
	if st := t.library.status(); !st.Ready {
		reply.Note = "The documents are still being indexed; there may be more."
	}
	return string(plain(reply))
}

// alike returns the works whose passages match about equally well.
func alike(hits []passage) (works []string) {
	for _, h := range hits {
		if h.Best && len(works) < maxWorks && !slices.Contains(works, h.Work) {
			works = append(works, h.Work)
		}
	}
	return works
}

// versionsOfYear returns the versions of the works found if a query has a year that none of them has
// in its title or id: then the year may say which version is meant.
func versionsOfYear(ctx context.Context, x *index.Index, query string, hits []passage) (list []listed, err error) {
	if !slices.ContainsFunc(years(query), func(year string) bool {
		return !slices.ContainsFunc(hits, func(h passage) bool { return strings.Contains(h.Work, year) || strings.Contains(h.WorkID, year) })
	}) {
		return nil, nil
	}
	seen := map[string]bool{"": true}
	size := 0
	for _, h := range hits {
		if seen[h.Key] {
			continue
		}
		seen[h.Key] = true
		versions, err := x.Versions(ctx, h.Key, maxVersions)
		if err != nil {
			return nil, err
		}
		if len(versions) == 1 && versions[0].ValidFrom == "" && versions[0].ValidTo == "" {
			continue // it has always been so
		}
		for _, v := range versions {
			l := listed{v.Work, v.WorkID, v.ValidFrom, v.ValidTo}
			if size += len(plain(l)); size > maxListed || len(list) == maxVersions {
				return list, nil
			}
			list = append(list, l)
		}
	}
	return list, nil
}

// years returns the words of a query that are years from 1800 to 2199.
func years(query string) (list []string) {
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if n, err := strconv.Atoi(word); err == nil && len(word) == 4 && 1800 <= n && n <= 2199 {
			list = append(list, word)
		}
	}
	return list
}
