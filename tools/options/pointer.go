package options

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// pointer is a JSON pointer (RFC 6901), split into tokens.
type pointer []string

// parsePointer parses a pointer; "" is the whole document.
func parsePointer(s jsontext.Pointer) (pointer, error) {
	if !s.IsValid() {
		return nil, errors.New("not a JSON pointer")
	}
	return slices.Collect(s.Tokens()), nil
}

// of returns the value in v at p, nil if there is none.
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

// raw is like of, for unparsed JSON.
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
