package passages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const headline = 120 // the most code points of a first line that counts as a title

// text reads a plain text. Its first line is its title if it looks like one.
func text(s string) document {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	first, rest, _ := strings.Cut(s, "\n")
	if rest == "" || utf8.RuneCountInString(first) > headline {
		return document{sections: []section{{text: s}}}
	}
	return document{title: first, sections: []section{{text: rest}}}
}

// lines reads JSON Lines. Each line is a document of its own.
func (r *Reader) lines(data []byte, file fileName) (list []Passage, faults []Fault) {
	file.key = "" // it would be the same for all of them
	seen := map[string]bool{}
	var read []Fault // of documents that are read, each once
	for n := 1; len(data) > 0; n++ {
		var raw []byte
		raw, data, _ = bytes.Cut(data, []byte("\n"))
		if raw = bytes.TrimSpace(raw); len(raw) == 0 {
			continue
		}
		d, wrong, err := r.line(raw, n, file)
		if err == nil && seen[d.key] {
			err = errors.New(`has the same "id" as a line above; make it unique`)
		}
		if err != nil {
			faults = append(faults, Fault{Line: n, Why: err.Error()})
			continue
		}
		seen[d.key] = true
		for _, f := range wrong {
			if len(read) < maxIgnored && !slices.Contains(read, f) {
				read = append(read, f)
			}
		}
		list = append(list, d.passages(fmt.Sprintf("%s %d", file.plain, n))...)
	}
	return list, append(faults, read...)
}

func (r *Reader) line(raw []byte, n int, file fileName) (d document, faults []Fault, err error) {
	if !utf8.Valid(raw) {
		return d, nil, errors.New("is not UTF-8 text; convert it")
	}
	var of struct {
		ID   json.RawMessage `json:"id"`
		Text *string         `json:"text"`
		Link string          `json:"link"`
	}
	if json.Unmarshal(raw, &of) != nil {
		return d, nil, errors.New(`is not a JSON object with "id", "title", "text" and "link"; fix it`)
	}
	d.key = scalar(of.ID)
	switch {
	case d.key == "":
		return d, nil, errors.New(`has no "id"; add a string or number that no other line has`)
	case len(d.key) > maxKey:
		return d, nil, fmt.Errorf(`has an "id" of more than %d bytes; shorten it`, maxKey)
	case of.Text == nil:
		return d, nil, errors.New(`has no "text"; add it`)
	case len(of.Link) > maxLink || !isWeb(of.Link):
		return d, nil, errors.New(`has a "link" that is not a web address; write https://..., or leave it out`)
	}
	title := at(raw, r.pointer)
	d.title, d.link = scalar(title), spaceless(of.Link)
	d.sections = []section{{anchor: d.key, text: *of.Text}}
	faults = r.describe(&d, r.jsonMembers(raw, n), file)
	if d.title == "" && len(title) > 0 && title[0] != '"' && title[0] != 'n' {
		faults = append(faults, Fault{Line: n, Read: true, Why: "has a title that is not a text; write one"})
	}
	return d, faults, nil
}

// isWeb reports whether a link may be shown: it is empty, or leads to the web. Such links cannot
// run code.
func isWeb(link string) bool {
	u, err := url.Parse(link)
	return link == "" || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// spaceless encodes the spaces of a link, which end it in Markdown.
func spaceless(link string) string { return strings.ReplaceAll(link, " ", "%20") }

// scalar returns a JSON string or number as a text, or "" for anything else.
func scalar(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// pointer parses a JSON pointer (RFC 6901).
func pointer(s string) ([]string, error) {
	path := strings.Split(s[1:], "/")
	for i, name := range path {
		if plain := strings.NewReplacer("~0", "", "~1", "").Replace(name); strings.Contains(plain, "~") {
			return nil, errors.New(`it is not a JSON pointer; write it like "/title" (~1 for a /, ~0 for a ~ in a name)`)
		}
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return path, nil
}

// at returns the value that a pointer leads to, or nil if there is none.
func at(raw json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(raw, &object) == nil:
			raw = object[name]
		case json.Unmarshal(raw, &list) == nil:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(list) {
				return nil
			}
			raw = list[i]
		default:
			return nil
		}
	}
	return raw
}
