package arguments

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/strictjson"
)

// MaxDepth is the maximum depth of nested arrays and objects in arguments.
const MaxDepth = 64

// Canonical returns the form in which a call's arguments are stored, shown for approval, and
// run: a JSON object that every JSON reader reads alike, without white space around its
// values, with numbers and texts as the model wrote them. Empty arguments become an empty
// object. The error tells the model how to fix the arguments.
func Canonical(sent string) (string, error) {
	if len(sent) > maxArguments {
		return "", fmt.Errorf("arguments are %d bytes; the limit is %d. Send less", len(sent), maxArguments)
	}
	if strings.TrimSpace(sent) == "" {
		return "{}", nil
	}
	if sent == tools.UnclearArguments {
		return "", errors.New(tools.UnclearFault)
	}
	d, err := strictjson.Open([]byte(sent), strictjson.Rules{MaxDepth: MaxDepth, AllowNUL: true})
	if err != nil {
		return "", errors.New(faulty(err))
	}
	value, err := d.ReadValue()
	if err != nil || value.Kind() != jsontext.KindBeginObject {
		return "", errors.New("arguments must be one JSON object")
	}
	value = value.Clone()
	if err := value.Compact(); err != nil {
		return "", err // cannot happen: Open has read it
	}
	return string(value), nil
}

// Without returns canonical arguments without the named members. The others stay unchanged.
func Without(canonical string, names map[string]bool) string {
	d := jsontext.NewDecoder(strings.NewReader(canonical))
	_, _ = d.ReadToken() // canonical JSON: cannot fail before the end of the object
	b := []byte{'{'}
	for d.PeekKind() == jsontext.KindString {
		name, _ := d.ReadValue()
		name = name.Clone()
		value, err := d.ReadValue()
		if err != nil {
			break
		}
		if plain, _ := jsontext.AppendUnquote(nil, name); names[string(plain)] {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return string(append(b, '}'))
}

// faulty describes an error of strictjson.Open to the model.
func faulty(err error) string {
	fault, syntax := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && syntax:
		return fmt.Sprintf("arguments have the name %q more than once, at %s. Send each name once",
			tools.Shorten(fault.JSONPointer.LastToken(), maxName), tools.Shorten(string(fault.JSONPointer), maxName))
	case errors.Is(err, strictjson.ErrDepth):
		return fmt.Sprintf("arguments are nested more than %d levels deep. Send a flatter object", MaxDepth)
	case errors.Is(err, strictjson.ErrNumber) && syntax:
		return fmt.Sprintf("arguments have a number beyond the range of a double, at %s. Send a smaller one, or a text", tools.Shorten(string(fault.JSONPointer), maxName))
	case errors.Is(err, strictjson.ErrUTF8):
		return "arguments are not valid UTF-8. Send UTF-8"
	case errors.Is(err, strictjson.ErrSurrogate):
		return `arguments have a \u escape that is half of a surrogate pair. Write the whole character`
	}
	return "arguments are not valid JSON. Send one JSON object"
}

// maxName is the maximum length of a name in an error, in code points.
const maxName = 100
