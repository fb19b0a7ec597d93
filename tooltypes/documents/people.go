package documents

import (
	"context"
	"strconv"

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
		facet := tools.Facet{Type: string(kind)}
		for _, quoted := range named[name] {
			if value, err := strconv.Unquote(quoted); err == nil {
				facet.Values = append(facet.Values, value)
			}
		}
		f.Fields[name] = facet
	}
	return f
}
