package arguments_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// Repairs are checked with generated arguments: an object is written, corrupted, repaired, and
// read back with encoding/json and math/big.

// object has members in order. Values are object, []any, number, string, bool or nil.
type object []member

type member struct {
	name  string
	value any
}

// number is a number as written.
type number string

// words has the parts of names and texts.
var words = []string{
	"a", "Z", "7", " ", "", "é", "Ω", "漢字", "😀", "{", "}", "[", "]", ",", ":", `"`, "/", "'", "<|im_end|>", "{}", "</s>", "null",
	"\u2028", "\u007f", "e\u0301", "日本", "q:w", "--", "#",
}

// maker generates and writes objects.
type maker struct {
	*rand.Rand
	raw       bool   // writes unescaped line breaks and tabs in texts
	backslash bool   // writes an unescaped backslash before a character that needs none
	short     bool   // writes \n and the like
	did       [3]int // how often it did each of these
}

func (m *maker) oneOf(list ...string) string { return list[m.IntN(len(list))] }

// text returns a text that can be corrupted.
func (m *maker) text() string {
	var b strings.Builder
	for range m.IntN(5) {
		switch n := m.IntN(12); {
		case n == 0:
			b.WriteString(m.oneOf("\n", "\t", "\r\n", "\n\n", "\r"))
		case n == 1:
			b.WriteString(`\` + m.oneOf("d", "w", "s", "D", "W", "p", "x", "0", "1", ".", "(", "$", "-"))
		case n == 2:
			b.WriteString(m.oneOf(`\`, `\\`, `\n`, `\t`, `C:\temp`, "\b", "\f", "\u0001", "\x00"))
		default:
			b.WriteString(words[m.IntN(len(words))])
		}
	}
	return b.String()
}

// number returns a number in the range of a double.
func (m *maker) number() number {
	switch m.IntN(8) {
	case 0:
		return number(m.oneOf("0", "-0", "0.0", "-0.0", "0e5"))
	case 1:
		return number(fmt.Sprint(m.Int64()))
	case 2:
		return number(fmt.Sprintf("%d%018d", 1+m.IntN(9000), m.Int64N(1e18)))
	case 5:
		return number(fmt.Sprintf("%d00e-2", 1+m.IntN(1000)))
	case 3:
		return number(fmt.Sprintf("-%d.%03d", m.IntN(100), m.IntN(1000)))
	case 4:
		return number(fmt.Sprintf("%d.%d%s%d", 1+m.IntN(9), m.IntN(1000), m.oneOf("e", "E", "e+", "E+", "e-", "E-"), m.IntN(300)))
	}
	return number(fmt.Sprint(m.IntN(1000) - 500))
}

func (m *maker) value(depth int) any {
	n := m.IntN(10)
	switch {
	case depth > 0 && n == 0:
		return m.object(depth - 1)
	case depth > 0 && n == 1:
		list := []any{}
		for range m.IntN(4) {
			list = append(list, m.value(depth-1))
		}
		return list
	case n == 2:
		return m.IntN(2) == 0
	case n == 3:
		return nil
	case n < 6:
		return m.number()
	}
	return m.text()
}

func (m *maker) object(depth int) object {
	o := object{}
	for range m.IntN(5) {
		name := m.text()
		if !slices.ContainsFunc(o, func(k member) bool { return k.name == name }) {
			o = append(o, member{name, m.value(depth)})
		}
	}
	return o
}

// filled returns an object that is not empty.
func (m *maker) filled() object {
	for {
		if o := m.object(3); len(o) > 0 {
			return o
		}
	}
}

func (m *maker) space() string { return m.oneOf("", "", "", "", " ", "\n", "\t ", "\r\n") }

// write writes a value as JSON, except for the parts to corrupt.
func (m *maker) write(v any) string {
	switch v := v.(type) {
	case object:
		list := make([]string, 0, len(v))
		for _, k := range v {
			list = append(list, m.space()+m.quote(k.name)+m.space()+":"+m.space()+m.write(k.value)+m.space())
		}
		return "{" + strings.Join(list, ",") + m.space() + "}"
	case []any:
		list := make([]string, 0, len(v))
		for _, e := range v {
			list = append(list, m.space()+m.write(e)+m.space())
		}
		return "[" + strings.Join(list, ",") + "]"
	case number:
		return string(v)
	case string:
		return m.quote(v)
	}
	return fmt.Sprintf("%v", map[any]string{nil: "null", true: "true", false: "false"}[v])
}

func (m *maker) quote(s string) string {
	b := []byte{'"'}
	runes := []rune(s)
	escaped := false // by a backslash to corrupt
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case escaped:
			escaped = false
			b = append(b, string(r)...)
		case strings.ContainsRune("\n\r\t", r) && m.raw && m.IntN(2) == 0:
			m.did[0]++
			b = append(b, byte(r))
		case strings.ContainsRune("\n\r\t\b\f", r) && m.short:
			m.did[2]++
			b = append(b, '\\', "btnrf"[strings.IndexRune("\b\t\n\r\f", r)])
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		case r == '\\' && m.backslash && strings.ContainsRune("dwsDWpx01.($-", next) && next != 0:
			m.did[1]++
			escaped = true
			b = append(b, '\\')
		case r == '\\' || r == '"':
			b = append(b, '\\', byte(r))
		case r == '/' && m.IntN(2) == 0:
			b = append(b, `\/`...)
		case r < 0x10000 && m.IntN(8) == 0:
			b = fmt.Appendf(b, `\u%04X`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}

// again returns the same object with members in another order and numbers in another spelling.
func (m *maker) again(v any) any {
	switch v := v.(type) {
	case object:
		o := slices.Clone(v)
		m.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		for i := range o {
			o[i].value = m.again(o[i].value)
		}
		return o
	case []any:
		list := slices.Clone(v)
		for i := range list {
			list[i] = m.again(list[i])
		}
		return list
	case number:
		if !strings.ContainsAny(string(v), "eE.") && m.IntN(2) == 0 {
			return v + number(m.oneOf("e0", ".0", ".000", "E+00", ".0e-0"))
		}
	}
	return v
}

// other returns an object that differs at one place.
func (m *maker) other(o object) object {
	o = slices.Clone(o)
	i := m.IntN(len(o))
	switch v := o[i].value.(type) {
	case string:
		o[i].value = v + m.oneOf("x", " ", "\u0301", "\u00a0")
	case number:
		at := strings.IndexAny(string(v), "0123456789")
		end := at + len(v[at:])
		if e := strings.IndexAny(string(v), "eE"); e > 0 {
			end = e
		}
		digits := []byte(v)
		for end--; digits[end] == '.'; end-- { // the last digit that counts
		}
		digits[end] = '0' + (digits[end]-'0'+1)%10
		o[i].value = number(digits)
	case []any:
		o[i].value = append(slices.Clone(v), number("1"))
	case object:
		o[i].value = append(slices.Clone(v), member{"another name", nil})
	case nil:
		o = slices.Delete(o, i, i+1)
		o = append(o, member{"another name", nil})
	default:
		o[i].value = "true"
	}
	return o
}

// same reports whether two JSON texts have the same value, by encoding/json and math/big.
func same(t *testing.T, a, b string) bool {
	t.Helper()
	var values [2]any
	for i, s := range []string{a, b} {
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
	}
	return equal(values[0], values[1])
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, _ := new(big.Rat).SetString(string(a))
		y, _ := new(big.Rat).SetString(string(b))
		return x.Cmp(y) == 0
	}
	return a == b
}

// tokens has some end tokens of models: ChatML, Llama, GPT, Mistral, Harmony.
var tokens = []string{"<|im_end|>", "<|eot_id|>", "<|endoftext|>", "</s>", "<|call|>"}

// spoilt returns arguments as a server corrupts them, the intended arguments, and the kinds of repair.
func spoilt(m *maker) (sent, meant string, kinds []string) {
	o := m.filled()
	m.raw, m.short, m.backslash = m.IntN(2) == 0, m.IntN(2) == 0, false
	if m.backslash = !m.short && m.IntN(2) == 0; m.backslash {
		m.raw = m.raw && m.IntN(4) == 0
	}
	m.did = [3]int{}
	sent = m.write(o)
	if m.IntN(3) == 0 {
		kinds = append(kinds, arguments.RepairRepeatedObject)
		for range 1 + m.IntN(2) {
			sent += m.space() + m.write(m.again(o))
		}
	}
	if m.IntN(3) == 0 {
		kinds = append(kinds, arguments.RepairEmptyObject)
		if m.IntN(2) == 0 {
			sent = "{" + m.space() + "}" + m.space() + sent
		} else {
			sent += m.space() + "{" + m.space() + "}"
		}
	}
	if m.did[0] > 0 {
		kinds = append(kinds, arguments.RepairRawControl)
	}
	if m.did[1] > 0 {
		kinds = append(kinds, arguments.RepairUnknownEscape)
	}
	if m.IntN(3) == 0 {
		kinds = append(kinds, arguments.RepairSpecialToken)
		for range 1 + m.IntN(2) {
			sent += m.space() + m.oneOf(tokens...)
		}
	}
	if m.IntN(6) == 0 && len(kinds) == 0 {
		kinds = append(kinds, arguments.RepairNestedJSON)
		sent = quoted(sent)
	}
	plain := &maker{Rand: m.Rand}
	return m.space() + sent + m.space(), plain.write(o), kinds
}

// quoted returns a text as a JSON string.
func quoted(s string) string {
	raw, _ := json.Marshal(s) // of a string: cannot fail
	return string(raw)
}

func TestFreshSpoiledArgumentsAreRepaired(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	for i := range uint64(8000) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, i))}
		sent, meant, kinds := spoilt(m)
		slices.Sort(kinds)
		got, found, err := arguments.Repair(sent)
		switch {
		case err != nil:
			t.Errorf("case %d, %v: %q: %v", i, kinds, sent, err)
		case !same(t, got, meant):
			t.Errorf("case %d, %v: %q became %s, want %s", i, kinds, sent, got, meant)
		case !slices.Equal(found, kinds):
			t.Errorf("case %d: %q was repaired as %v, want %v", i, sent, found, kinds)
		}
		if canonical, err := arguments.Canonical(got); err == nil && canonical != got {
			t.Errorf("case %d: %q became %q, which is not canonical", i, sent, got)
		}
		if t.Failed() {
			return
		}
	}
}

// nearMiss returns arguments that have two readings or none, and why.
func nearMiss(m *maker) (sent, why string) {
	o := m.filled()
	good := m.write(o)
	inner := func(s string) string { // within a text
		return `{"k":"` + s + `",` + strings.TrimLeft(good[1:], " \r\n\t")
	}
	switch m.IntN(14) {
	case 0:
		list := []string{good, m.write(m.other(o))}
		if m.IntN(3) == 0 {
			list = append(list, m.write(m.again(o)))
		}
		if m.IntN(3) == 0 {
			list = append(list, "{}")
		}
		m.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return strings.Join(list, m.space()), "two objects"
	case 1:
		return m.oneOf("", "{}", good) + good[:1+m.IntN(len(good)-1)], "an object that is cut off"
	case 2:
		token := m.oneOf(tokens...)
		return good + token[:1+m.IntN(len(token)-1)], "a token that is cut off"
	case 3:
		text := quoted(good)
		return text[:1+m.IntN(len(text)-1)], "a nested object that is cut off"
	case 4:
		return inner(`C:\` + m.oneOf("t", "n", "r", "b", "f") + `emp\` + m.oneOf("d", "x", "w", "1") + "ata"), "an unknown escape with one that is known"
	case 5:
		return inner(`\d+`) + m.oneOf("", "{}") + `{"k":"\t"}`, "two objects, with both kinds of escapes"
	case 6:
		return inner(m.oneOf(`\u12`, `\u12G4`, `\u`, `\uD83D`, `\ud83dx`, `\uDE00\uD83D`, `\u004`)), "an escape that is not a character"
	case 7:
		return m.oneOf(m.oneOf(tokens...)+good, good+m.oneOf(tokens...)+good, "{}"+m.oneOf(tokens...)+good, "{"+m.oneOf(tokens...)+good[1:]), "a token that is not at the end"
	case 8:
		return good + m.space() + m.oneOf("<|foo|>", "<|im_start|>", "<s>", "```", "}", "]", ",", ";", "null", "1", `""`, "[]", "Done.", "…", "//", "<|im_end|", "im_end", tools.UnclearArguments), "what is not a token of the list"
	case 9:
		return inner(m.oneOf("\x00", "\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b", "\x1f")), "another control character"
	case 10:
		return inner(m.oneOf("\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f")), "bytes that are not UTF-8"
	case 11:
		return m.oneOf("["+good+"]", quoted("["+good+"]"), "{}[]", "[]{}", "null", "17", quoted("text"), good+"[]", "{}null", `""`), "what is not an object"
	case 12:
		return strings.TrimRight(good, "} \r\n\t")[:1] + m.oneOf(`"a":1,`, `"a" 1`, `'a':1`, `a:1`, `"a":01`, `"a":+1`, `"a":.5`, `"a":NaN`, `"a":1/**/`, `"a":1e999`) + "}", "what is not JSON"
	}
	return `{"k":1,"k":` + m.oneOf("1", "2") + "}" + m.oneOf("", "{}", "<|im_end|>", `{"k":1,"k":1}`), "a name twice"
}

func TestFreshArgumentsOfTwoReadingsAreNotRepaired(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	for i := range uint64(12000) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, i))}
		sent, why := nearMiss(m)
		if strings.TrimSpace(sent) == "" {
			continue
		}
		got, kinds, err := arguments.Repair(sent)
		_, canonicalErr := arguments.Canonical(sent)
		switch {
		case err == nil:
			t.Fatalf("case %d, %s: %q became %s by %v", i, why, sent, got, kinds)
		case len(kinds) > 0 || got != "":
			t.Fatalf("case %d, %s: %q: an error, and %q by %v", i, why, sent, got, kinds)
		case canonicalErr == nil || err.Error() != canonicalErr.Error():
			t.Fatalf("case %d, %s: %q: error %v, not that of Canonical: %v", i, why, sent, err, canonicalErr)
		}
	}
}

func TestFreshArgumentsThatAreCutAnywhereAreNotRepaired(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	for i := range uint64(60) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, i))}
		sent, _, kinds := spoilt(m)
		sent = strings.TrimSpace(sent)
		if slices.ContainsFunc(kinds, func(k string) bool {
			return k == arguments.RepairRepeatedObject || k == arguments.RepairEmptyObject || k == arguments.RepairSpecialToken
		}) {
			continue // a part of it may be complete
		}
		for n := 1; n < len(sent); n++ {
			if got, kinds, err := arguments.Repair(sent[:n]); err == nil {
				t.Fatalf("case %d: %q became %s by %v", i, sent[:n], got, kinds)
			}
		}
	}
}
