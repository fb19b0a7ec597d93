package options

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// pointer is a JSON pointer (RFC 6901) in its parts.
type pointer []string

// parsePointer reads a pointer; "" is the whole.
func parsePointer(s jsontext.Pointer) (pointer, error) {
	if !s.IsValid() {
		return nil, errors.New("no JSON pointer")
	}
	return slices.Collect(s.Tokens()), nil
}

// of is the value in v that p leads to, nil where there is none.
func (p pointer) of(v any) any {
	for _, part := range p {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(x) || part != strconv.Itoa(i) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// raw is of for JSON that is not read yet; nil where there is none.
func (p pointer) raw(data json.RawMessage) json.RawMessage {
	for _, part := range p {
		var members map[string]json.RawMessage
		if json.Unmarshal(data, &members) == nil {
			data = members[part]
			continue
		}
		var items []json.RawMessage
		i, err := strconv.Atoi(part)
		if json.Unmarshal(data, &items) != nil || err != nil || i < 0 || i >= len(items) || part != strconv.Itoa(i) {
			return nil
		}
		data = items[i]
	}
	return data
}
