package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// joined is a JSON value that a stream sends in pieces. A value in one piece stays unchanged, byte for
// byte. The zero value is empty.
type joined struct {
	raw     json.RawMessage // the value, if it has one piece
	text    *growing        // a text in several pieces
	members []member        // an object in several pieces, with its members in the order of their arrival
	named   map[string]*joined
	depth   int       // number of objects and lists that contain this value
	items   []*joined // a list in several pieces
	about   *block    // of a list's item, after another piece
}

type member struct {
	name  string
	value *joined
}

// Names of texts that are sent in pieces, and of lists with such items. Any other value is sent whole;
// of several, the last one counts.
var (
	pieceTexts = []string{"text", "summary", "data", "thinking", "reasoning_content", "reasoning"}
	pieceLists = []string{"reasoning_details", "thinking_blocks", "thinking"}
)

// maxJoined is how deeply objects and lists are joined, because splitting a value takes time and memory
// at each level. Deeper values count as sent whole. Servers use three levels.
const maxJoined = 8

func (j *joined) empty() bool {
	return j.raw == nil && j.text == nil && j.members == nil && j.items == nil
}

// add joins a piece of the value called name.
func (j *joined) add(name string, raw json.RawMessage) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case j.empty():
		j.raw = bytes.ToValidUTF8(raw, []byte("\ufffd"))
	case raw[0] == '"' && slices.Contains(pieceTexts, name) && j.kind() == '"':
		j.split()
		j.text.add(plainText(raw))
	case raw[0] == '[' && slices.Contains(pieceLists, name) && j.kind() == '[' && j.depth < maxJoined:
		j.split()
		j.extend(raw)
	case raw[0] == '{' && j.kind() == '{' && j.depth < maxJoined:
		j.split()
		eachMember(raw, func(name string, value json.RawMessage) { j.member(name).add(name, value) })
	case string(raw) != `""` && string(raw) != "[]":
		*j = joined{raw: bytes.ToValidUTF8(raw, []byte("\ufffd")), depth: j.depth}
	}
}

// kind returns the first byte of the value.
func (j *joined) kind() byte {
	switch {
	case j.raw != nil:
		return j.raw[0]
	case j.text != nil:
		return '"'
	case j.items != nil:
		return '['
	}
	return '{'
}

// split prepares a value in one piece for further ones.
func (j *joined) split() {
	if j.raw == nil {
		return
	}
	raw := j.raw
	j.raw = nil
	switch raw[0] {
	case '"':
		j.text = &growing{}
		j.text.add(plainText(raw))
	case '[':
		j.items = []*joined{}
		eachItem(raw, func(item json.RawMessage) { j.items = append(j.items, &joined{raw: item, depth: j.depth + 1}) })
	case '{':
		j.members = []member{}
		eachMember(raw, func(name string, value json.RawMessage) { j.member(name).add(name, value) })
	}
}

func (j *joined) member(name string) *joined {
	if value := j.named[name]; value != nil {
		return value
	}
	if j.named == nil {
		j.named = map[string]*joined{}
	}
	value := &joined{depth: j.depth + 1}
	j.members, j.named[name] = append(j.members, member{name, value}), value
	return value
}

// extend joins the items in a further piece of a list with the earlier ones.
func (j *joined) extend(raw json.RawMessage) {
	before := j.items
	eachItem(raw, func(item json.RawMessage) {
		p := readBlock(item)
		to := p.continues(before)
		if to == nil {
			j.items = append(j.items, &joined{raw: item, depth: j.depth + 1})
			return
		}
		to.split()
		repeats := p.signature != "" && to.says(p.text)
		eachMember(item, func(name string, value json.RawMessage) {
			said := plainText(value)
			if said != "" && (repeats && said == p.text || name == "data" && to.says(said)) {
				return // LiteLLM repeats the text together with its signature (open-webui#29860, September 2026)
			}
			to.member(name).add(name, value)
		})
		to.about.with(p)
	})
}

// block identifies the item of a list that a piece belongs to.
type block struct{ kind, index, id, text, data, signature string }

func readBlock(raw json.RawMessage) (b block) {
	eachMember(raw, func(name string, value json.RawMessage) {
		switch name {
		case "type":
			b.kind = plainText(value)
		case "index":
			if string(value) != "null" {
				b.index = string(value)
			}
		case "id":
			b.id = plainText(value)
		case "text", "thinking", "summary":
			b.text += plainText(value)
		case "data":
			b.data = plainText(value)
		case "signature":
			b.signature = plainText(value)
		}
	})
	return b
}

// with adds the fields of a further piece of the item.
func (b *block) with(p block) {
	b.kind, b.index, b.id, b.signature = cmp.Or(b.kind, p.kind), cmp.Or(b.index, p.index), cmp.Or(b.id, p.id), cmp.Or(b.signature, p.signature)
}

// says reports whether the text or the data of an item is exactly s.
func (j *joined) says(s string) bool {
	for _, name := range pieceTexts {
		if t := j.named[name]; t != nil && (t.text != nil && string(t.text.all) == s || t.raw != nil && plainText(t.raw) == s) {
			return s != ""
		}
	}
	return false
}

// recent is how many of the latest items a piece may belong to.
const recent = 64

// continues returns the latest item that a piece belongs to, with the same type, index and id, or nil if
// the piece begins one. A signature ends its item. A piece with neither index nor id belongs to the last
// item, and one with only a signature to the last item without a signature.
func (b block) continues(items []*joined) *joined {
	for n, item := range slices.Backward(items[max(0, len(items)-recent):]) {
		if item.about == nil {
			known := readBlock(item.raw)
			known.text, known.data = "", ""
			item.about = &known
		}
		has := item.about
		if differ(b.kind, has.kind) || differ(b.index, has.index) || differ(b.id, has.id) {
			continue
		}
		keyed := b.index != "" && b.index == has.index || b.id != "" && b.id == has.id
		switch {
		case has.signature != "" && (b.text != "" || b.signature != "" && b.signature != has.signature):
			return nil
		case b.data != "" && !keyed:
			return nil
		case keyed || n == min(len(items), recent)-1 || b.text+b.data == "" && b.signature != "":
			return item
		}
	}
	return nil
}

func differ(a, b string) bool { return a != "" && b != "" && a != b }

// append writes the value, or nothing if it is empty.
func (j *joined) append(b []byte) []byte {
	switch {
	case j.raw != nil:
		return append(b, j.raw...)
	case j.text != nil:
		return append(b, quoted(string(j.text.all))...)
	case j.items != nil:
		b = append(b, '[')
		for i, item := range j.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	case j.members != nil:
		b = append(b, '{')
		for i, m := range j.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, quoted(m.name)...), ':')
			if m.value.empty() {
				b = append(b, "null"...)
			}
			b = m.value.append(b)
		}
		return append(b, '}')
	}
	return b
}

// value returns the whole value, or nil if it is empty.
func (j *joined) value() json.RawMessage {
	if j.empty() {
		return nil
	}
	return j.append(nil)
}

// growing is a text that is sent in pieces. One of MiniMax's addresses sends all of the text so far in
// each piece, and the other only what is new (MiniMax-M2#95, t8y2/dbx#6535, August 2026). If each piece
// begins with the previous one, the last one is the text.
type growing struct {
	all   []byte
	last  string
	n     int
	apart bool // a piece did not begin with the previous one
}

// sure is the length in bytes from which a piece does not begin with another by chance.
const sure = 8

// add takes a piece, and returns the new part of it.
func (g *growing) add(p string) string {
	if p == "" {
		return ""
	}
	last := g.last
	g.last = p
	g.n++
	if g.n > 1 && !g.apart && len(p) > len(last) && strings.HasPrefix(p, last) {
		if g.n > 2 || len(last) >= sure {
			g.all = g.all[:0]
		}
		g.all = append(g.all, p...)
		return p[len(last):]
	}
	g.apart = g.n > 1
	g.all = append(g.all, p...)
	return p
}

// quoted returns s as JSON.
func quoted(s string) json.RawMessage {
	raw, _ := marshal(s) // cannot fail for a string
	return bytes.TrimSpace(raw)
}

// eachMember calls do for each member of an object. It does nothing for any other value.
func eachMember(raw json.RawMessage, do func(name string, value json.RawMessage)) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return
	}
	for d.More() {
		t, err := d.Token()
		name, is := t.(string)
		if err != nil || !is {
			return
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return
		}
		do(name, bytes.ToValidUTF8(value, []byte("\ufffd")))
	}
}

// eachItem calls do for each item of a list. It does nothing for any other value.
func eachItem(raw json.RawMessage, do func(item json.RawMessage)) {
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return
	}
	for _, item := range list {
		do(bytes.ToValidUTF8(item, []byte("\ufffd")))
	}
}
