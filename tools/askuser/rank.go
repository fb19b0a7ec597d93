package askuser

import (
	"strings"

	"github.com/askgate/askgate/tools"
)

// FaultRank is the fault of an order that lacks an option or has one twice: Count, the number of
// options.
const FaultRank = "rank"

// rank checks an order of all options: each once.
func (c *checker) rank(p tools.Part, values []string, other bool) []string {
	if len(values) == 0 {
		if !other {
			c.fault(fieldValues, FaultRequired, nil)
		}
		return nil
	}
	seen := make(map[string]bool, len(p.Options))
	for _, v := range values {
		if !isValue(p, v) {
			c.fault(fieldValues, FaultOption, nil)
			return nil
		}
		seen[v] = true
	}
	if len(seen) != len(p.Options) || len(values) != len(p.Options) {
		c.fault(fieldValues, FaultRank, map[string]any{"Count": len(p.Options)})
		return nil
	}
	return values
}

// rankMarks separate the options of an order: those of a list, and the sign of "A > B".
var rankMarks = tools.Late(`\s*[>→]\s*`)

// rank reads an order: labels, values or numbers of all options, the best first.
func (m message) rank(p tools.Part) []tools.Answer {
	text := m.trimmed
	if _, rest := readOptions(p.Options, text); rest != "" { // else a label may contain the sign
		text = rankMarks().ReplaceAllString(text, ", ")
	}
	if len(p.Options) < 10 && !strings.ContainsAny(text, ",;\n") && digitsAndSpaces().MatchString(text) {
		text = strings.Join(strings.Fields(text), ", ") // 3 1 2
	}
	values, rest := readOptions(p.Options, text)
	if rest != "" || len(values) != len(p.Options) {
		return nil
	}
	return []tools.Answer{{Values: values}}
}

var digitsAndSpaces = tools.Late(`^[0-9 ]+$`)

// rankable refuses a rank whose options cannot be put in order.
func (r *reader) rankable(path string, p *tools.Part) {
	switch {
	case r.listed:
		r.refuse(ReasonNoOptions, path+"input_type", " rank needs all its options in the question, and a tool lists them: use select or multiselect.")
	case len(p.Options) == 1:
		r.refuse(ReasonNoOptions, path+fieldOptions, " has 1 option, and a rank needs 2 to %d: add options, or use input_type confirm.", r.limits.MaxOptions)
	}
}
