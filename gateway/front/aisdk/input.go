package aisdk

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools/strictjson"
)

// maxInput is the maximum depth of arguments that go out as JSON: they come back in a body, some
// levels deeper.
const maxInput = 48

// safe returns a call's input in a form that clients can hold and send back; if they cannot, its
// JSON as a text. A model chooses the arguments, and must not be able to end a chat by them.
func safe(input json.RawMessage) json.RawMessage {
	if len(input) == 0 {
		return input
	}
	if _, err := strictjson.Open(input, strictjson.Rules{MaxDepth: maxInput}); err != nil || contains(decoded(input), polluting) {
		return asText(input)
	}
	return input
}

// exact returns the input of a call that a person decides about. It is a text if JavaScript would
// show a number other than the call's.
func exact(input json.RawMessage) json.RawMessage {
	if contains(decoded(input), rounded) {
		return asText(input)
	}
	return input
}

func asText(input json.RawMessage) json.RawMessage {
	text, _ := json.Marshal(string(input)) // a string always encodes
	return text
}

func decoded(input json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	_ = d.Decode(&v) // it is the gateway's own
	return v
}

// contains reports whether such is true of a value, or of one within it.
func contains(v any, such func(v any) bool) bool {
	if such(v) {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, in := range v {
			if contains(in, such) {
				return true
			}
		}
	case []any:
		for _, in := range v {
			if contains(in, such) {
				return true
			}
		}
	}
	return false
}

// polluting reports whether an object has names by which prototypes can be changed. Clients
// refuse JSON that has one; older ones also crash on a constructor that is null.
func polluting(v any) bool {
	object, _ := v.(map[string]any)
	if _, ok := object["__proto__"]; ok {
		return true
	}
	constructor, ok := object["constructor"]
	inner, _ := constructor.(map[string]any)
	_, has := inner["prototype"]
	return has || ok && constructor == nil
}

// rounded reports whether a double cannot represent a number.
func rounded(v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	f, err := n.Float64()
	return err != nil || digits(n.String()) != digits(strconv.FormatFloat(f, 'e', -1, 64))
}

// digits returns the digits of a decimal number, without zeros at its ends.
func digits(n string) string {
	n, _, _ = strings.Cut(strings.ToLower(n), "e")
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(n), "0")
}
