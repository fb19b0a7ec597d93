package askuser

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/placeholder"
)

// maxTemplateValue is the maximum length of a value, in code points. It leaves most of a
// question's length to the admin's own words.
const maxTemplateValue = 200

// filled has the texts of a template that can contain values.
var filled = []string{"question", "header", "context", "placeholder"}

// CheckTemplate checks the fields of a template by the rules for a model's question. The
// error is in English, for the author of the template. listed: a tool lists the options.
func CheckTemplate(question []byte, listed bool) error {
	// Secrets and files are checked when the question is asked, by the app's policy.
	t := New(Limits{MaxOptions: maxTemplateOptions, MaxFile: math.MaxInt64, Secrets: SecretsAllow}, nil)
	r := newReader(terms{limits: t.limits, words: t.wordsOf("en"), listed: listed, admins: true, exact: true})
	v, err := parse(string(question))
	o, ok := v.(*object)
	if err != nil || !ok {
		return cmp.Or(err, errors.New("a template must be a JSON object"))
	}
	r.whens.conditions([]tools.Part{r.part("", r.partFields(o))})
	if len(r.faults) > 0 {
		return r.faults[0]
	}
	return nil
}

// maxTemplateOptions is the maximum number of options in a template. The admin's maxOptions
// does not apply there, since the admin also wrote the template.
const maxTemplateOptions = 100

// templated returns the part that a template describes.
func (r *reader) templated(path string, f map[string]any) tools.Part {
	name, _ := f["template"].(string)
	name = strings.TrimSpace(name)
	i := slices.IndexFunc(r.templates, func(t Template) bool { return t.Name == name })
	if i < 0 {
		known := make([]string, len(r.templates))
		for i, t := range r.templates {
			known[i] = t.Name
		}
		r.refuse(ReasonUnknownTemplate, path+"template", " %s is unknown: use one of %s, or write the question yourself.", quoted(name), strings.Join(known, ", "))
		return tools.Part{}
	}
	t := r.templates[i]
	for field := range f {
		if !slices.Contains([]string{"template", "values", "questions", fieldID, fieldKey, fieldAgain, fieldExpiry, fieldWhen, spelling, fieldOptions, fieldLists}, field) && !slices.Contains(t.Values, field) {
			r.repaired(RepairDropped)
		}
	}
	for _, l := range listsOf(f) {
		if key, _, _ := strings.Cut(l.at, "."); l.apart || !slices.Contains(t.Values, key) {
			r.refuse(ReasonOptionLists, l.place(path), " is not allowed with the template %s, which has its own options: leave it out, or write the question yourself.", t.Name)
		}
	}
	if !slices.Contains(t.Values, fieldExpiry) {
		r.expiry(path, f[fieldExpiry])
	}
	if !slices.Contains(t.Values, fieldAgain) {
		r.askAgain(path, f[fieldAgain])
	}
	if !slices.Contains(t.Values, fieldWhen) {
		r.whens.keep(f[fieldWhen])
	}
	values, ok := r.templateValues(path, t, f["values"])
	if !ok {
		return tools.Part{}
	}
	written, err := parse(string(t.Question(r.language)))
	o, isObject := written.(*object)
	if err != nil || !isObject { // cannot happen: the configuration was checked
		r.refuse(ReasonUnknownTemplate, path+"template", " cannot be asked: write the question yourself.")
		return tools.Part{}
	}
	fields := maps.Clone(o.values)
	for _, name := range filled {
		if text, isText := fields[name].(string); isText {
			fields[name] = fill(text, values)
		}
	}
	limits := r.limits
	limits.MaxOptions = max(limits.MaxOptions, maxTemplateOptions)
	own := newReader(terms{limits: limits, words: r.words, listed: t.Arguments != nil, admins: true, exact: true}) // its repairs are not the model's
	part := own.part("", fields)
	part.ID, part.Key, part.Template = r.templateID(t, f, part.ID), r.templateKey(path, t, f, part.Key), t.Name
	r.filled(values)
	for _, f := range own.faults {
		hint := ""
		if f.reason == ReasonTooLong {
			hint = " Give shorter values."
		}
		f.text = fmt.Sprintf("With these `%svalues`: %s%s", path, f.text, hint)
		f.path, f.part = path+"values", r.index
		r.faults = append(r.faults, f)
	}
	if t.Arguments != nil {
		r.sources = append(r.sources, r.source(t, values))
	}
	return part
}

// templateValues reads the values for a template: texts, numbers and booleans.
func (r *reader) templateValues(path string, t Template, v any) (values map[string]any, ok bool) {
	values = map[string]any{}
	o, _ := r.unnest(v).(*object)
	before := len(r.faults)
	for _, name := range t.Values {
		var value any
		if o != nil {
			value = o.values[name]
		}
		s := strings.TrimSpace(scalar(value))
		switch n := count(s); {
		case tools.Blank(s):
			r.refuse(ReasonTemplateValue, path+"values."+name, " is missing or not a text: the template %s needs it, as a text of 1 to %d characters.", t.Name, maxTemplateValue)
		case n > maxTemplateValue:
			r.refuse(ReasonTemplateValue, path+"values."+name, " has %d characters, the limit is %d: shorten it.", n, maxTemplateValue)
		}
		if values[name] = value; scalar(value) == s {
			continue
		}
		values[name] = s
	}
	if o != nil && o.values["template"] != nil && len(t.Values) > 0 {
		r.repaired(RepairKeyName) // they were next to the name
	}
	return values, len(r.faults) == before
}

// filled records a hash of the current part's values.
func (r *reader) filled(values map[string]any) {
	if len(values) == 0 {
		return
	}
	texts := map[string]string{}
	for name, v := range values {
		texts[name] = scalar(v)
	}
	encoded, err := json.Marshal(texts) // sorted
	if err != nil {
		return
	}
	for len(r.values) <= r.index {
		r.values = append(r.values, "")
	}
	sum := sha256.Sum256(encoded)
	r.values[r.index] = hex.EncodeToString(sum[:8])
}

// fill replaces each {name} by its value. A {name} inside a value stays.
func fill(text string, values map[string]any) string {
	return tools.Placeholder.ReplaceAllStringFunc(text, func(place string) string {
		if v, ok := values[place[1:len(place)-1]]; ok {
			return scalar(v)
		}
		return place
	})
}

// source returns the source of the current part's options. Placeholders of the caller stay in the
// arguments, which are stored.
func (r *reader) source(t Template, values map[string]any) tools.OptionSource {
	from := tools.OptionSource{Part: r.index, Template: t.Name}
	var err error
	if from.Arguments, err = placeholder.Arguments(t.Arguments, values, nil); err != nil { // cannot happen: the configuration was checked
		from.Arguments = "{}"
	}
	if names, err := placeholder.OfJSON(t.Arguments); err == nil && len(names) > 0 {
		encoded, _ := json.Marshal(values) // texts, numbers and booleans of JSON
		from.Values = string(encoded)
	}
	return from
}

// Understands reports whether Run uses a top-level argument of this name: as a field, in any
// spelling that it repairs, or as the value of a template.
func (t *Tool) Understands(name string) bool {
	known := partNames
	if len(t.templates) > 0 {
		known = templatedNames
	}
	_, ok := known[canonical(name)]
	return ok || slices.ContainsFunc(t.templates, func(t Template) bool { return slices.Contains(t.Values, name) })
}
