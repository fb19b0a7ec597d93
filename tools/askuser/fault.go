package askuser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// spelling is the entry of an object's fields that has what the caller called those that it
// did not call by the contract's names. No field has this name.
const spelling = ""

// spell notes how the fields at a path, "" or one that ends in a dot, were spelled.
func (r *reader) spell(path string, f map[string]any) {
	called, _ := f[spelling].(map[string]string)
	for field, key := range called {
		if r.spelled == nil {
			r.spelled = map[string]string{}
		}
		r.spelled[path+field] = key
	}
}

// beside notes that what belongs at a path stood elsewhere.
func (r *reader) beside(path, at string) {
	if r.stood == nil {
		r.stood = map[string]string{}
	}
	r.stood[path] = at
}

// told are the faults for programs: each field below its question, as its caller spelled it.
func (r *reader) told() []tools.FieldError {
	list := make([]tools.FieldError, len(r.faults))
	for i, f := range r.faults {
		list[i] = tools.FieldError{Question: f.part, Field: r.asSpelled(f.path, f.part), Code: f.reason, Params: f.params}
	}
	return list
}

func (r *reader) asSpelled(path string, part int) string {
	if at, ok := r.stood[path]; ok {
		path = at
	}
	names := strings.Split(path, ".")
	at := ""
	for i, name := range names {
		field, index, indexed := strings.Cut(name, "[")
		if key, ok := r.spelled[at+field]; ok {
			names[i] = key
			if indexed {
				names[i] += "[" + index
			}
		}
		at += name + "."
	}
	if within := fmt.Sprintf("questions[%d].", part); strings.HasPrefix(path, within) {
		names = names[1:]
	}
	return tools.Shorten(strings.Join(names, "."), maxFieldPath)
}

// maxFieldPath bounds, in characters, the path of a fault: callers choose names of values.
const maxFieldPath = 200

// params are what the text of a fault names: Max, a limit, Count, what exceeds it, and Value.
func params(args []any) map[string]any {
	p := map[string]any{}
	for _, a := range args {
		switch a := a.(type) {
		case int:
			if before, ok := p["Max"]; ok {
				p["Count"] = before
			}
			p["Max"] = a
		case string:
			if _, ok := p["Value"]; !ok {
				p["Value"] = a
			}
		}
	}
	return p
}

// Understands says whether a name at the top of a question's fields means anything: in any
// spelling that is repaired, or as a value of a template that stands beside its name.
func (t *Tool) Understands(name string) bool {
	known := partNames
	if len(t.templates) > 0 {
		known = templatedNames
	}
	_, ok := known[canonical(name)]
	return ok || slices.ContainsFunc(t.templates, func(t Template) bool { return slices.Contains(t.Values, name) })
}
