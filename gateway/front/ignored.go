package front

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
)

// IgnoredHeader is the response header that lists the parts of a request that the gateway did not
// use.
const IgnoredHeader = "Askgate-Ignored"

// These names in that header are shared by all formats: what clients say with the authority of an
// app, and an assistant's words in a chat that the gateway does not know.
const (
	IgnoredSystem  = "system"
	IgnoredTools   = "tools"
	IgnoredHistory = "history"
)

// Instructing are the names of the fields that make up Command.Instructions.
var Instructing = []string{IgnoredSystem, "instructions", "context"}

// Field is a field of a format that the gateway knows but does not use.
type Field struct {
	Name string
	// Default has, as JSON separated by spaces, the values that ask for nothing. null, false and
	// empty values never do.
	Default string
	// In is the member of the body in which the field is looked for; "": Name.
	In string
	// Asks reports whether a value asks for something; nil: every value outside Default does.
	Asks func(value json.RawMessage) bool
}

// Ignored adds to the response's header the names of those fields that a body asks for.
func Ignored(h http.Header, body map[string]json.RawMessage, fields []Field) {
	for _, f := range fields {
		in := f.In
		if in == "" {
			in = f.Name
		}
		value := body[in]
		asks := f.Asks
		if asks == nil {
			asks = f.Differs
		}
		if !isNull(value) && asks(value) {
			Ignore(h, f.Name)
		}
	}
}

// Ignore adds one name, which is the gateway's word for the field and never a client's.
func Ignore(h http.Header, name string) {
	if names := ignored(h, ""); !slices.Contains(names, name) {
		setIgnored(h, append(names, name))
	}
}

// Used removes a name: the app uses what the client sent.
func Used(h http.Header, name string) { setIgnored(h, ignored(h, name)) }

// Known removes the name of the history that a client sent, if the chat that it went to exists.
func Known(c Chats) error {
	if !slices.Contains(strings.Split(c.R.Header().Get(IgnoredHeader), ", "), IgnoredHistory) {
		return nil
	}
	view, err := c.View()
	if view != nil {
		Used(c.R.Header(), IgnoredHistory)
	}
	return err
}

// ignored returns the names except one.
func ignored(h http.Header, without string) []string {
	var names []string
	for name := range strings.SplitSeq(h.Get(IgnoredHeader), ", ") {
		if name != "" && name != without {
			names = append(names, name)
		}
	}
	return names
}

func setIgnored(h http.Header, names []string) {
	if len(names) == 0 {
		h.Del(IgnoredHeader)
		return
	}
	h.Set(IgnoredHeader, strings.Join(names, ", "))
}

// Differs reports whether a value is not among the defaults.
func (f *Field) Differs(value json.RawMessage) bool {
	if Empty(value) {
		return false
	}
	var v, def any
	if json.Unmarshal(value, &v) != nil {
		return true
	}
	for d := json.NewDecoder(strings.NewReader(f.Default)); d.Decode(&def) == nil; def = nil {
		if reflect.DeepEqual(v, def) {
			return false
		}
	}
	return true
}

// Empty reports whether a JSON value asks for nothing: null, false, an empty text, list or
// object.
func Empty(value json.RawMessage) bool {
	value = bytes.TrimSpace(value)
	switch string(value) {
	case "", "null", "false", `""`:
		return true
	}
	return value[0] == '[' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0 ||
		value[0] == '{' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}

// HasRole reports whether a list of messages has one of the roles.
func HasRole(roles ...string) func(messages json.RawMessage) bool {
	return func(messages json.RawMessage) bool {
		var list []json.RawMessage
		if json.Unmarshal(messages, &list) != nil {
			return false
		}
		return slices.ContainsFunc(list, func(raw json.RawMessage) bool {
			var m struct{ Role any }
			if json.Unmarshal(raw, &m) != nil {
				return false
			}
			role, _ := m.Role.(string)
			return slices.Contains(roles, role)
		})
	}
}

// SystemIn returns the field of the messages by which a client would instruct the model.
func SystemIn(messages string) Field {
	return Field{Name: IgnoredSystem, In: messages, Asks: HasRole("system", "developer")}
}

// HistoryIn returns the field of the messages that have an assistant's words. They count as not
// used until Known, or a front that looks for the chat, says otherwise.
func HistoryIn(messages string) Field {
	return Field{Name: IgnoredHistory, In: messages, Asks: HasRole("assistant")}
}

// OtherTools returns the field of a list of tools that has tools other than ask_user; name reads
// the name of one.
func OtherTools(name func(tool json.RawMessage) string) Field {
	return Field{Name: IgnoredTools, Asks: func(value json.RawMessage) bool {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil {
			return !Empty(value)
		}
		return slices.ContainsFunc(list, func(t json.RawMessage) bool { return name(t) != AskUser })
	}}
}
