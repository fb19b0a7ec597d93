package options

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// pointer is a JSON pointer (RFC 6901) in its parts.
type pointer []string

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// parsePointer reads a pointer; "" is the whole.
func parsePointer(s string) (pointer, error) {
	if s == "" {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(s, "/")
	if !ok {
		return nil, errors.New("a JSON pointer begins with /")
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		bare := strings.NewReplacer("~0", "", "~1", "").Replace(part)
		if strings.Contains(bare, "~") {
			return nil, errors.New("in a JSON pointer ~ stands only as ~0 (for ~) and ~1 (for /)")
		}
		parts[i] = unescape.Replace(part)
	}
	return parts, nil
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
