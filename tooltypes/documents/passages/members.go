package passages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of what a document says about itself.
const (
	MaxValue  = 500  // code points of a text
	MaxValues = 1000 // texts in a list
	// maxIgnored bounds the faults of a file whose document is read. Lines of JSON could have
	// millions, and the log tells only the first ones.
	maxIgnored = 100
	idMember   = "id"
)

// shape is what a member can be.
type shape int

const (
	absent  shape = iota // also null
	single               // a text or a number
	several              // a list
	other                // an object
)

// value is the value of a member, in any of the formats.
type value struct {
	line  int // 0: unknown
	is    shape
	text  string
	bare  bool // not in quotation marks, so that it is a number if it looks like one
	items []value
}

func plainValue(text string, line int) value { return value{line: line, is: single, text: text} }

func numberValue(text string, line int) value {
	return value{line: line, is: single, text: text, bare: true}
}

// said is what a document says about itself, before it is checked.
type said struct {
	members map[string]value
	fold    bool // names are in lower case, because case does not count
}

func (s said) get(name string) value {
	if s.fold {
		name = strings.ToLower(name)
	}
	return s.members[name]
}

// checker turns what a document says into facts, and collects what cannot be used.
type checker struct {
	said
	faults []Fault
	names  []string // of elements of HTML, until their lines are known
}

func (c *checker) fault(v value, format string, args ...any) {
	f := Fault{Line: v.line, Why: fmt.Sprintf(format, args...), Read: true}
	if !slices.Contains(c.faults, f) { // a member may have two uses
		c.faults = append(c.faults, f)
	}
}

// text returns a member that is one text, in one line of at most most code points, or "".
func (c *checker) text(name string, most int) (text string, ok bool) {
	v := c.get(name)
	switch v.is {
	case absent:
		return "", true
	case single:
		text = oneLine(v.text)
		if utf8.RuneCountInString(text) <= most {
			return text, true
		}
		c.fault(v, "has a member %q of more than %d characters; shorten it", name, most)
	default:
		c.fault(v, "has a member %q that is not one text; write one", name)
	}
	return "", false
}

// title returns the member "title", or "".
func (c *checker) title() string {
	v := c.get("title")
	if v.is == several || v.is == other {
		c.fault(v, "has a member %q that is not a text; write one", "title")
		return ""
	}
	return oneLine(v.text)
}

// link returns the member "link", or "".
func (c *checker) link() string {
	v := c.get("link")
	if v.is == absent {
		return ""
	}
	link := strings.TrimSpace(v.text)
	if v.is == single && len(link) <= maxLink && isWeb(link) {
		return spaceless(link)
	}
	c.fault(v, "has a member %q that is not a web address; write https://..., or leave it out", "link")
	return ""
}

// day returns a member that is a day, as 2026-01-31, or "".
func (c *checker) day(name string) (day string, ok bool) {
	v := c.get(name)
	if v.is == absent || v.is == single && oneLine(v.text) == "" {
		return "", true
	}
	if v.is == single {
		if day, ok = dayOf(oneLine(v.text)); ok {
			return day, true
		}
	}
	c.fault(v, "has a member %q that is not a day; write it like 2026-01-31", name)
	return "", false
}

// days are the forms of a day and of a moment: those of RFC 3339, and those that Jekyll and Obsidian
// write. Without a zone, it is UTC.
var days = []string{time.DateOnly, time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04 -0700", "2006-01-02 15:04"}

// dayOf returns the day of a text in UTC, as 2026-01-31.
func dayOf(text string) (string, bool) {
	for _, form := range days {
		if t, err := time.Parse(form, text); err == nil {
			t = t.UTC()
			return t.Format(time.DateOnly), 1 <= t.Year() && t.Year() <= 9999
		}
	}
	return "", false
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`) // RFC 8259, section 6

// field returns a member as a value of a kind.
func (c *checker) field(name string, kind Kind) (value Value, ok bool) {
	v, value := c.get(name), Value{Kind: kind}
	if v.is == absent {
		return value, false
	}
	switch kind {
	case Enum:
		text, ok := c.text(name, MaxValue)
		value.Texts = []string{text}
		return value, ok && text != ""
	case Date:
		day, ok := c.day(name)
		value.Texts = []string{day}
		return value, ok && day != ""
	case Number:
		n, err := strconv.ParseFloat(v.text, 64)
		if v.is == single && v.bare && number.MatchString(v.text) && err == nil {
			value.Number = n
			return value, true
		}
		c.fault(v, "has a member %q that is not a number; write it without quotation marks, like 12.5", name)
		return value, false
	}
	value.Texts, ok = c.list(name, v)
	return value, ok && len(value.Texts) > 0
}

// list returns different texts.
func (c *checker) list(name string, v value) (texts []string, ok bool) {
	items := v.items
	if v.is == single {
		items = []value{v}
	}
	if len(items) > MaxValues {
		c.fault(v, "has a member %[2]q with more than %[1]d values; remove some", MaxValues, name)
		return nil, false
	}
	seen := map[string]bool{}
	for _, item := range items {
		text := oneLine(item.text)
		switch {
		case item.is != absent && item.is != single:
			v.is = other
		case utf8.RuneCountInString(text) > MaxValue:
			c.fault(v, "has a member %[2]q with a value of more than %[1]d characters; shorten it", MaxValue, name)
			return nil, false
		case text != "" && !seen[text]:
			seen[text] = true
			texts = append(texts, text)
		}
	}
	if v.is == other {
		c.fault(v, "has a member %q that is not a list of texts; write texts", name)
		return nil, false
	}
	return texts, true
}

// oneLine returns a text in one line, without invisible characters.
func oneLine(s string) string { return line(s, len(s)) }

// dated is a file name that says from which day on a version is in force.
var dated = regexp.MustCompile(`^(.+)@(\d{4}-\d{2}-\d{2})$`)

// fileName is what the name of a file says about its documents.
type fileName struct {
	plain string // a title
	key   string // of the work, or ""
	from  string // first day in force, or ""
	bad   bool   // from is not a day
}

// fileName reads the name of a file without its extension.
func (r *Reader) fileName(name string) fileName {
	m := dated.FindStringSubmatch(name)
	if r.settings.Versions == nil || m == nil {
		return fileName{plain: name}
	}
	f := fileName{plain: m[1], key: line(m[1], MaxValue)}
	_, err := time.Parse(time.DateOnly, m[2])
	f.from, f.bad = m[2], err != nil || m[2] < "0001"
	return f
}

// describe sets a document's facts to what it and the name of its file say about it.
func (r *Reader) describe(d *document, s said, file fileName) []Fault {
	c := &checker{said: s}
	var f Facts
	f.ID, _ = c.text(idMember, MaxValue)
	f.Date, _ = c.day("date")
	for name, kind := range r.settings.Fields {
		if v, ok := c.field(name, kind); ok {
			if f.Fields == nil {
				f.Fields = map[string]Value{}
			}
			f.Fields[name] = v
		}
	}
	if v := r.settings.Versions; v != nil {
		f.Key, f.From, f.To = c.version(v, file)
		if f.ID == "" && v.Key == idMember {
			f.ID = f.Key
		}
	}
	if f.ID != "" || f.Date != "" || f.Fields != nil || f.Key != "" {
		d.facts = &f
	}
	slices.SortFunc(c.faults, func(a, b Fault) int { return cmp.Or(a.Line-b.Line, strings.Compare(a.Why, b.Why)) })
	return c.faults
}

// version returns which version of which work a document is; key is "" if it is none, or if what it
// says is wrong.
func (c *checker) version(v *Versions, file fileName) (key, from, to string) {
	key, ok := c.text(v.Key, MaxValue)
	from, ok2 := c.day(v.From)
	to, ok3 := c.day(v.To)
	if key == "" {
		key = file.key
	}
	noKey := key == "" && (from != "" || to != "")
	if from == "" && ok2 && file.from != "" {
		from = file.from
		if file.bad {
			c.fault(value{}, "has a name that ends with a day that does not exist; rename it, or add the member %q", v.From)
			ok2 = false
		}
	}
	switch {
	case !ok || !ok2 || !ok3:
	case noKey:
		at := c.get(v.From)
		if at.is == absent {
			at = c.get(v.To)
		}
		c.fault(at, "has a first or last day in force, but no member %q, so it counts as a document without versions; add that member", v.Key)
	case from != "" && to != "" && to < from:
		c.fault(c.get(v.To), "has a member %q before its first day in force, so it counts as a document without versions; correct it", v.To)
	case key != "":
		return key, from, to
	}
	return "", "", ""
}

// jsonMembers returns those members of a line of JSON that are used.
func (r *Reader) jsonMembers(raw []byte, line int) said {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return said{}
	}
	s := said{members: map[string]value{}}
	for _, name := range r.used {
		if raw, ok := object[name]; ok {
			s.members[name] = jsonValue(raw, line)
		}
	}
	return s
}

func jsonValue(raw json.RawMessage, line int) value {
	switch raw[0] {
	case 'n':
		return value{line: line}
	case '{':
		return value{line: line, is: other}
	case '"':
		return plainValue(scalar(raw), line)
	case '[':
		list := value{line: line, is: several}
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items) // it was valid as part of the line
		for _, item := range items[:min(len(items), MaxValues+1)] {
			v := value{line: line, is: other} // a list in a list
			if item[0] != '[' {
				v = jsonValue(item, line)
			}
			list.items = append(list.items, v)
		}
		return list
	}
	return numberValue(string(raw), line) // or true or false
}
