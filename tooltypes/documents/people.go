package documents

import (
	"context"

	"github.com/askgate/askgate/tools"
)

// Searches implements tools.Library.
func (t *Tool) Searches() string { return t.o.ID + searchSuffix }

// Search implements tools.Library.
func (t *Tool) Search(ctx context.Context, arguments string, together *tools.Processor) (string, error) {
	call := tools.Call{Name: t.Searches(), Arguments: arguments, Processor: together}
	if err := t.CheckArguments(call); err != nil {
		return "", invalid("%s", err)
	}
	out, err := t.Run(ctx, call)
	return out.Result, err
}

// Facets implements tools.Library.
func (t *Tool) Facets() tools.Facets {
	f := tools.Facets{Versions: t.o.Versions != nil}
	named := t.library.namedValues()
	for name, kind := range t.o.Fields {
		if f.Fields == nil {
			f.Fields = map[string]tools.Facet{}
		}
		f.Fields[name] = tools.Facet{Type: string(kind), Values: named[name]}
	}
	return f
}
