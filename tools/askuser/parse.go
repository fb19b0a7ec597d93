package askuser

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/strictjson"
)

// object is a JSON object that keeps the order of its keys.
type object struct {
	keys   []string
	values map[string]any
}

// parse reads text as one JSON value: nil, bool, json.Number, string, []any or *object.
func parse(text string) (any, error) {
	if len(text) > maxArguments {
		return nil, &fault{reason: ReasonTooLarge, text: fmt.Sprintf("The arguments have %d bytes, the limit is %d: ask shorter and fewer questions.", len(text), maxArguments)}
	}
	if text == tools.UnclearArguments {
		return nil, &fault{reason: ReasonNotObject, text: "The " + tools.UnclearFault + "."}
	}
	d, err := strictjson.Open([]byte(text), strictjson.Rules{MaxDepth: maxDepth})
	syntax, _ := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == nil:
		return tree(d), nil
	case errors.Is(err, strictjson.ErrUTF8):
		return nil, &fault{reason: ReasonEncoding, text: "The arguments are not valid UTF-8: send them as UTF-8 JSON."}
	case errors.Is(err, strictjson.ErrNUL) || strings.IndexByte(text, 0) >= 0:
		return nil, &fault{reason: ReasonEncoding, text: "The arguments contain U+0000: leave it out."}
	case errors.Is(err, strictjson.ErrSurrogate):
		return nil, &fault{reason: ReasonEncoding, text: `The arguments contain half of a surrogate pair as a \u escape: write the whole character, and in a pattern escape the backslash (\\u).`}
	case errors.Is(err, strictjson.ErrDepth):
		return nil, &fault{reason: ReasonTooDeep, text: fmt.Sprintf("The arguments are nested more than %d levels deep: send the fields of the schema only.", maxDepth)}
	case errors.Is(err, strictjson.ErrNumber) && syntax != nil:
		path := strings.Join(slices.Collect(syntax.JSONPointer.Tokens()), ".")
		return nil, &fault{reason: ReasonBadRange, path: path, text: "`" + tools.Shorten(path, 100) + "` is not finite: it is beyond the range of a double. Send a smaller number."}
	case errors.Is(err, jsontext.ErrDuplicateName) && syntax != nil:
		return nil, &fault{reason: ReasonDuplicateName, text: fmt.Sprintf("The arguments have the name %s more than once: send each name once.", quoted(syntax.JSONPointer.LastToken()))}
	}
	near := int64(0)
	if syntax != nil {
		near, err = syntax.ByteOffset, syntax.Err
	}
	return nil, &fault{reason: ReasonNotObject, text: fmt.Sprintf("The arguments are not valid JSON near byte %d (%v): send one JSON object.", near, err)}
}

// tree reads the next value of d, a decoder returned by strictjson.Open without an error.
func tree(d *jsontext.Decoder) any {
	token, err := d.ReadToken()
	if err != nil {
		panic(err) // cannot happen: strictjson.Open has read all of it
	}
	switch token.Kind() {
	case jsontext.KindNull:
		return nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool()
	case jsontext.KindNumber:
		return json.Number(token.String())
	case jsontext.KindString:
		return token.String()
	case jsontext.KindBeginArray:
		list := []any{}
		for d.PeekKind() != jsontext.KindEndArray {
			list = append(list, tree(d))
		}
		_, _ = d.ReadToken()
		return list
	}
	o := &object{values: map[string]any{}}
	for d.PeekKind() != jsontext.KindEndObject {
		key := tree(d).(string)
		o.keys = append(o.keys, key)
		o.values[key] = tree(d)
	}
	_, _ = d.ReadToken()
	return o
}

// quoted returns s as a short quoted text for a message.
func quoted(s string) string {
	if short := cut(s, 40); len(short) < len(s) {
		return strconv.Quote(short + "…")
	}
	return strconv.Quote(s)
}

// scalar returns a string, number or boolean as text, "" for other values.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return ""
}
