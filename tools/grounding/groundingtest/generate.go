package groundingtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askgate/askgate/tools/grounding"
)

//go:embed phrases.txt
var phrases string

// Argument is an argument of a call, with whether it was said.
type Argument struct {
	Pointer, Kind string
	Value         any
	Said          bool
}

// Case is a dialogue and the call after it.
type Case struct {
	Name      string
	Texts     []grounding.Text
	Arguments string // canonical JSON
	Schema    json.RawMessage
	Now       time.Time
	Known     []Argument
}

// sentences has the sentences of a language and a part, by what they name.
func sentences() map[string][]string {
	all := make(map[string][]string)
	for line := range strings.Lines(phrases) {
		line = strings.TrimRight(line, "\n")
		key, sentence, ok := strings.Cut(line, "\t")
		if ok && line[0] != '#' {
			all[key] = append(all[key], sentence)
		}
	}
	return all
}

// dialogue is a dialogue that is being composed.
type dialogue struct {
	r         *rand.Rand
	language  string
	heldOut   bool
	base      time.Time
	sentences map[string][]string
	texts     []string
	taken     map[string]bool // values that were named
	others    map[string]any  // the ones that were named as something else
	known     []Argument
	arguments map[string]any
	schema    map[string]any
}

// Generate composes n dialogues, from the held-out part or the other one.
func Generate(seed int64, heldOut bool, n int) []Case {
	r := rand.New(rand.NewPCG(uint64(seed), map[bool]uint64{true: 2, false: 1}[heldOut])) // #nosec G404 G115 -- repeatable, not a secret
	all := sentences()
	cases := make([]Case, 0, n)
	for i := range n {
		base := time.Date(2025, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(900))
		d := &dialogue{r: r, language: languages[i%len(languages)], heldOut: heldOut, base: base, sentences: all,
			taken: map[string]bool{}, others: map[string]any{}, arguments: map[string]any{}, schema: map[string]any{}}
		cases = append(cases, d.compose(fmt.Sprintf("%s %d", d.language, i)))
	}
	return cases
}

// slots has the kinds of arguments that calls have.
var slots = []string{"city", "person", "org", "email", "phone", "code", "count", "amount", "minutes", "date", "time", "option", "note"}

var kinds = map[string]string{"city": "names", "person": "names", "org": "names", "email": "addresses", "phone": "addresses", "code": "codes", "count": "numbers",
	"amount": "numbers", "minutes": "numbers", "date": "dates", "time": "times", "option": "enumerations", "note": "free text"}

func (d *dialogue) compose(name string) Case {
	d.tell("filler", "")
	chosen := slices.Clone(slots)
	d.r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = chosen[:4+d.r.IntN(4)]
	for _, other := range []string{"city", "count", "amount", "date", "time"} {
		if d.r.IntN(3) == 0 {
			value, form := d.value(other)
			d.others[other] = value
			d.tell("other-"+other, form)
		}
	}
	var invented []string
	for _, slot := range chosen {
		if slot == "note" || d.r.IntN(10) < 4 {
			invented = append(invented, slot)
			continue
		}
		value, form := d.value(slot)
		if slot != "option" && d.r.IntN(8) == 0 { // from a program
			result, _ := json.Marshal(map[string]any{"id": d.r.IntN(90000) + 10000, "status": "ok", slot: value})
			d.texts = append(d.texts, string(result))
		} else {
			d.tell(slot, form)
		}
		d.put(slot, value, true)
	}
	if d.r.IntN(2) == 0 {
		d.tell("filler", "")
	}
	d.r.Shuffle(len(d.texts), func(i, j int) { d.texts[i], d.texts[j] = d.texts[j], d.texts[i] })
	for _, slot := range invented {
		if slot == "note" {
			d.note()
			continue
		}
		value, ok := d.invent(slot)
		if ok {
			d.put(slot, value, false)
		}
	}
	c := Case{Name: name, Now: d.base.Add(time.Hour), Known: d.known}
	for _, text := range d.texts {
		c.Texts = append(c.Texts, grounding.Text{Content: text, At: d.base})
	}
	arguments, _ := json.Marshal(d.arguments)
	c.Arguments = string(arguments)
	var required []string
	for slot := range d.arguments {
		required = append(required, slot)
	}
	slices.Sort(required)
	c.Schema, _ = json.Marshal(map[string]any{"type": "object", "properties": d.schema, "required": required})
	return c
}

// tell adds a sentence that names a value.
func (d *dialogue) tell(what, form string) {
	part := "t"
	if d.heldOut {
		part = "h"
	}
	all := d.sentences[d.language+" "+part+" "+what]
	d.texts = append(d.texts, strings.ReplaceAll(all[d.r.IntN(len(all))], "{}", form))
}

func (d *dialogue) put(slot string, value any, said bool) {
	d.arguments[slot] = value
	d.known = append(d.known, Argument{"/" + slot, kinds[slot], value, said})
	if d.schema[slot] == nil {
		d.schema[slot] = map[string]any{"type": "string"}
	}
}

// value returns a value of a kind that differs from all others of the dialogue, and its form, and reserves it.
func (d *dialogue) value(slot string) (value any, form string) {
	for {
		value, form = d.draw(slot)
		if key := fmt.Sprint(value); !d.taken[key] {
			d.taken[key] = true
			return value, form
		}
	}
}

func (d *dialogue) draw(slot string) (value any, form string) {
	r := d.r
	switch slot {
	case "city":
		all := cities[d.language]
		city := all[r.IntN(len(all))]
		value, form = city, city
		if english[city] != "" && r.IntN(2) == 0 {
			value = english[city]
		}
		return value, pick(r, form, form, strings.ToLower(form))
	case "person":
		name := firstNames[r.IntN(len(firstNames))] + " " + surnames[r.IntN(len(surnames))]
		first, last, _ := strings.Cut(name, " ")
		return name, pick(r, name, name, last+", "+first, strings.ToLower(name))
	case "org":
		org := organisations[r.IntN(len(organisations))]
		return org, pick(r, org, strings.ToUpper(org))
	case "email":
		address := plain(firstNames[r.IntN(len(firstNames))]) + pick(r, ".", "_", "") + plain(surnames[r.IntN(len(surnames))]) + "@" + domains[r.IntN(len(domains))]
		return address, pick(r, address, strings.ToUpper(address[:1])+address[1:])
	case "phone":
		country := map[string]string{"en": "44", "de": "49", "fr": "33", "es": "34"}[d.language]
		national := strconv.Itoa(100000000 + r.IntN(900000000))
		return "+" + country + national, phoneForm(r, d.heldOut, country, national)
	case "code":
		letters, figures := string(rune('A'+r.IntN(26)))+string(rune('A'+r.IntN(26))), strconv.Itoa(100000+r.IntN(900000))
		return letters + figures, codeForm(r, d.heldOut, letters, figures)
	case "count":
		n := 2 + r.IntN(11)
		return n, countForm(r, d.language, n)
	case "amount":
		cents := []int{(1 + r.IntN(99)) * 100, (100 + r.IntN(4900)) * 100, 100000 + r.IntN(900)*1000*10, r.IntN(500000) + 1000}[r.IntN(4)]
		return float64(cents) / 100, amountForm(r, d.language, d.heldOut, cents)
	case "minutes":
		n := []int{10, 15, 20, 30, 40, 45, 50, 60, 75, 90, 105, 120, 180, 240}[r.IntN(14)]
		return n, minutesForm(r, d.language, d.heldOut, n)
	case "date":
		on := d.base.AddDate(0, 0, []int{1, 2, 3 + r.IntN(12), 14, 7, 15 + r.IntN(80)}[r.IntN(6)])
		return on.Format("2006-01-02"), dateForm(r, d.language, d.heldOut, d.base, on)
	case "time":
		h, m := 7+r.IntN(15), []int{0, 0, 30, 15, 45, 10}[r.IntN(6)]
		return fmt.Sprintf("%02d:%02d", h, m), timeForm(r, d.language, d.heldOut, h, m)
	}
	few := choices[r.IntN(len(choices))]
	one := few[r.IntN(len(few))]
	d.options(few)
	return one.value, pick(r, one.said[d.language]...)
}

// options returns the schema of a choice; some have titles in the user's language.
func (d *dialogue) options(few []choice) {
	if d.r.IntN(3) == 0 {
		var of []any
		for _, c := range few {
			of = append(of, map[string]any{"const": c.value, "title": c.said[d.language][0]})
		}
		d.schema["option"] = map[string]any{"oneOf": of}
		return
	}
	var values []any
	for _, c := range few {
		values = append(values, c.value)
	}
	d.schema["option"] = map[string]any{"enum": values}
}

// plain returns a name in the form used in addresses.
func plain(name string) string {
	return strings.NewReplacer("ü", "ue", "ß", "ss", "é", "e", "è", "e", "í", "i", "á", "a", "ç", "c", "ë", "e", "'", "", " ", "").Replace(strings.ToLower(name))
}

// said returns the values of a kind that were named for the call.
func (d *dialogue) said(kind string) (all []Argument) {
	for _, a := range d.known {
		if a.Said && a.Kind == kind {
			all = append(all, a)
		}
	}
	return all
}

// invent returns a value that was not named for the call: a plausible one, or one similar to
// a named value.
func (d *dialogue) invent(slot string) (value any, ok bool) {
	r := d.r
	if other, ok := d.others[slot]; ok && r.IntN(6) == 0 {
		return other, true // it was named, as something else
	}
	hard := r.IntN(3) == 0
	for range 50 {
		value, _ = d.draw(slot)
		switch slot {
		case "person":
			if near := d.said("names"); hard && len(near) > 0 { // a surname that was not mentioned
				first, _, _ := strings.Cut(fmt.Sprint(near[0].Value), " ")
				if slices.Contains(firstNames, first) {
					value = first + " " + surnames[r.IntN(len(surnames))]
				}
			}
		case "email":
			if near := d.said("names"); hard && len(near) > 0 {
				value = strings.ReplaceAll(plain(fmt.Sprint(near[0].Value)), "&", "") + "@example.com"
			}
		case "phone", "code":
			for taken := range d.taken { // change one figure
				if hard && (strings.HasPrefix(taken, "+") == (slot == "phone")) && len(taken) >= 8 && taken[len(taken)-4] >= '0' && taken[len(taken)-4] <= '9' && !strings.Contains(taken, "-") && !strings.ContainsAny(taken, ".@ ") {
					i := len(taken) - 4
					value = taken[:i] + string('0'+(taken[i]-'0'+1)%10) + taken[i+1:]
					break
				}
			}
		case "count":
			if hard {
				value = 1 + r.IntN(2) // a usual value
			}
		case "date":
			if near := d.said("dates"); hard && len(near) > 0 {
				on, _ := time.Parse("2006-01-02", fmt.Sprint(near[0].Value))
				value = on.AddDate(0, 0, 1).Format("2006-01-02")
			} else if hard {
				value = d.base.AddDate(0, 0, r.IntN(2)).Format("2006-01-02")
			}
		case "time":
			if near := d.said("times"); hard && len(near) > 0 {
				at, _ := time.Parse("15:04", fmt.Sprint(near[0].Value))
				value = at.Add(30 * time.Minute).Format("15:04")
			} else if hard {
				value = []string{"09:00", "10:00", "12:00", "19:00"}[r.IntN(4)]
			}
		}
		if !d.taken[fmt.Sprint(value)] {
			return value, true
		}
	}
	return nil, false
}

// note returns a text composed by the assistant: from named values, or with a figure, a time
// or an address that was not named.
func (d *dialogue) note() {
	opening := map[string]string{"en": "Hello, this is about your request", "de": "Guten Tag, es geht um Ihre Anfrage", "fr": "Bonjour, au sujet de votre demande", "es": "Hola, se trata de su solicitud"}[d.language]
	parts := []string{opening}
	for _, a := range d.known {
		if a.Said && a.Kind != "enumerations" {
			parts = append(parts, fmt.Sprint(a.Value))
		}
	}
	said := d.r.IntN(2) == 0
	if !said {
		value, ok := d.invent([]string{"amount", "time", "email", "phone", "date"}[d.r.IntN(5)])
		if !ok {
			return
		}
		parts = append(parts, fmt.Sprint(value))
	}
	d.put("note", strings.Join(parts, ", ")+".", said)
}
