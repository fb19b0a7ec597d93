package httptool

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/placeholder"
)

// As implements tools.Personal. Without it, the caller has no values.
func (t *Tool) As(who tools.Caller) tools.Tool {
	mine := *t
	mine.who = who
	return &mine
}

// Placeholders returns the names of the placeholders of the caller that the options use, sorted.
// There are none if the options are not valid.
func (o *Options) Placeholders() []string {
	t, err := o.compile()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.personal))
}

// compiled has the parts of a request that have placeholders.
type compiled struct {
	address  *template
	headers  map[string]placeholder.Text
	fixed    *fixed          // nil: no members
	personal map[string]bool // names of the placeholders of the caller
}

func (o *Options) compile() (c compiled, err error) {
	if c.address, err = parseTemplate(o.URL); err != nil {
		return c, err
	}
	names := slices.Clone(c.address.caller)
	c.headers = make(map[string]placeholder.Text, len(o.Headers))
	for name, value := range o.Headers {
		if c.headers[name], err = placeholder.Parse(value); err != nil {
			return c, fmt.Errorf("header %s: %w", name, err)
		}
		names = append(names, c.headers[name].Names()...)
	}
	if len(o.Body) > 0 {
		if c.fixed, err = parseFixed(o.Body); err != nil {
			return c, fmt.Errorf("body: %w", err)
		}
		names = append(names, c.fixed.callers...)
	}
	c.personal = make(map[string]bool, len(names))
	for _, name := range names {
		c.personal[name] = true
	}
	return c, nil
}

// callerValues returns the values of all placeholders of the caller.
func (t *Tool) callerValues() (map[string]string, error) {
	filled := make(map[string]string, len(t.personal))
	for name := range t.personal {
		value, err := placeholder.Value(name, t.who)
		if err != nil {
			return nil, placeholder.Uncallable("%s", err)
		}
		filled[name] = value
	}
	return filled, nil
}

// filledHeaders returns the headers of a call.
func (t *Tool) filledHeaders() (map[string]string, error) {
	filled := make(map[string]string, len(t.headers))
	for name, text := range t.headers {
		if len(text.Names()) == 0 {
			filled[name] = t.options.Headers[name]
			continue
		}
		value, err := text.Header(name, t.who)
		if err != nil {
			return nil, placeholder.Uncallable("%s", err)
		}
		filled[name] = value
	}
	return filled, nil
}
