package front

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// Front is one wire format. It is safe for concurrent use.
type Front interface {
	host.Format
	Routes() []host.Route
}

// Tool is a tool of a client's request. Its definition has no name if it is of a kind that the
// gateway cannot use; Field is its place in the request.
type Tool struct {
	Field string
	tools.Definition
}

// Class says how a call of a tool is handled.
type Class int

// The gateway runs the call, it is a question to the person, or the client runs it.
const (
	Server Class = iota
	Asks
	Client
)

// Invalid refuses a request because of one of its fields; text is the id of the text that says
// why, without "detail.".
func Invalid(text, field string, params map[string]any) error {
	all := map[string]any{"Field": field}
	for k, v := range params {
		all[k] = v
	}
	return &chat.Error{Code: chat.CodeInvalidRequest, Detail: text, Params: all}
}

// WrongType refuses a value by its field; want is what the field takes, as in host.WrongType.
func WrongType(field, want string) error {
	return Invalid("wrong_type", field, map[string]any{"Want": want})
}

// NotOfType refuses the value for which encoding/json returned an error. at is the path of the object
// that it read, "" for the body.
func NotOfType(err error, at string) error {
	field, want := at, "object"
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field = strings.Trim(at+"."+t.Field, ".")
		switch t.Type.Kind() {
		case reflect.String:
			want = "string"
		case reflect.Bool:
			want = "boolean"
		case reflect.Slice, reflect.Array:
			want = "array"
		case reflect.Int, reflect.Int64, reflect.Float64:
			want = "number"
		case reflect.Struct, reflect.Map:
		default:
			want = ""
		}
	}
	if field == "" {
		return Invalid("malformed_json", "", nil)
	}
	return WrongType(field, want)
}
