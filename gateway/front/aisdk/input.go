package aisdk

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools/strictjson"
)

// maxInput is how deep arguments may be that go out as JSON: they come back in a body, some
// levels deeper.
const maxInput = 48

// safe is a call's input as clients can hold it and send it back; where they cannot, its
// JSON as a text. A model chooses the arguments, and must not end a chat by them.
func safe(input json.RawMessage) json.RawMessage {
	if len(input) == 0 {
		return input
	}
	if _, err := strictjson.Open(input, strictjson.Rules{MaxDepth: maxInput}); err != nil || contains(decoded(input), polluting) {
		return asText(input)
	}
	return input
}

// exact is the input of a call that a person decides about: a text where JavaScript would
// show another number than the one that the call has.
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

// contains says whether such holds for a value, or for one within it.
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

// polluting is an object with names by which prototypes are changed. Clients read no JSON that
// has one; older ones die of a constructor that is null, too.
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

// rounded is a number that a double does not have.
func rounded(v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	f, err := n.Float64()
	return err != nil || digits(n.String()) != digits(strconv.FormatFloat(f, 'e', -1, 64))
}

// digits are those that a decimal number has, without the zeros at its ends.
func digits(n string) string {
	n, _, _ = strings.Cut(strings.ToLower(n), "e")
	return strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(n), "0")
}
