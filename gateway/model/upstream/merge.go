package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// Merge merges an admin's fields into a request (RFC 7396): objects are merged member by member,
// null removes a member, and any other value replaces ours. Our members keep their order; new ones
// follow, sorted. encoded must be one JSON object.
func Merge(encoded []byte, body map[string]json.RawMessage) ([]byte, error) {
	if len(body) == 0 {
		return encoded, nil
	}
	return merged(encoded, body)
}

// member is a member of an object.
type member struct {
	name  string
	value json.RawMessage
}

// members decodes an object. Of members with the same name, the last counts.
func members(object []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the request is not a JSON object")
	}
	var list []member
	at := map[string]int{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := t.(string)
		m := member{name: name}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		if i, twice := at[name]; twice {
			list[i] = m
			continue
		}
		at[name] = len(list)
		list = append(list, m)
	}
	_, err := d.Token()
	return list, err
}

func merged(object []byte, body map[string]json.RawMessage) ([]byte, error) {
	ours, err := members(object)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	write := func(name string, value []byte) error {
		if out.Len() == 0 {
			out.WriteByte('{')
		} else {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
		return err
	}
	had := map[string]bool{}
	for _, m := range ours {
		had[m.name] = true
		value := []byte(m.value)
		if by, given := body[m.name]; given {
			if value, err = replaced(value, by); err != nil {
				return nil, err
			}
		}
		if value != nil {
			if err := write(m.name, value); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if had[name] {
			continue
		}
		value, err := replaced(nil, body[name])
		if err != nil {
			return nil, err
		}
		if value != nil {
			if err := write(name, value); err != nil {
				return nil, err
			}
		}
	}
	if out.Len() == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// replaced merges the admin's value by into our value, which is nil if we have none. It returns nil
// if the member is removed.
func replaced(ours, by []byte) ([]byte, error) {
	by = bytes.TrimSpace(by)
	switch {
	case len(by) == 0 || string(by) == "null":
		return nil, nil
	case by[0] != '{':
		return by, nil
	}
	list, err := members(by)
	if err != nil {
		return nil, err
	}
	if ours = bytes.TrimSpace(ours); len(ours) == 0 || ours[0] != '{' {
		ours = []byte("{}")
	}
	body := make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		body[m.name] = m.value
	}
	return merged(ours, body)
}
