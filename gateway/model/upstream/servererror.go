package upstream

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// ServerError is the error object of a body, or of a piece of a stream.
type ServerError struct {
	Code    any    `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"` // may quote the prompt
	Param   string `json:"param"`   // the field that is refused, as the server writes its path
	// Fields are the paths of further refused fields, from Mistral's loc and Google's fieldViolations.
	Fields []string `json:"-"`
	// Inner is the error of the server behind a proxy, if the proxy passes it on (OpenRouter).
	Inner *ServerError `json:"-"`
}

// shape is the outer object of a body with an error, for all servers that modeltest/strict plays.
type shape struct {
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Type    string          `json:"__type"` // Bedrock
	Base    *struct {
		Code    int    `json:"status_code"`
		Message string `json:"status_msg"`
	} `json:"base_resp"` // MiniMax, with a status of success
}

// ErrorIn finds the error in a body, or returns nil. It knows {"error": {...}} of OpenAI, Anthropic
// and Google, {"error": "text"}, {"object": "error", ...} of Mistral and vLLM, {"detail": ...},
// {"message": "text"}, {"base_resp": ...} of MiniMax, and a list of any of these.
func ErrorIn(body []byte) *ServerError {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	// Members of an unexpected type are skipped: the others may still explain the error.
	var outer shape
	if err := json.Unmarshal(body, &outer); err != nil && !fits(err) {
		return nil
	}
	w := &ServerError{}
	switch {
	case present(outer.Error):
		_ = json.Unmarshal(body, w) // a code next to a text (xAI)
		if w.Type == "error" {
			w.Type = ""
		}
		w.Message = ""
		_ = json.Unmarshal(outer.Error, w)
		_ = json.Unmarshal(outer.Error, &w.Message)
		w.behind(outer.Error)
	case outer.Object == "error":
		_ = json.Unmarshal(body, w)
		var inside struct {
			Detail json.RawMessage `json:"detail"`
		}
		if json.Unmarshal(outer.Message, &inside) == nil {
			w.listed(inside.Detail)
		}
	case present(outer.Detail):
		_ = json.Unmarshal(body, w)
		w.listed(outer.Detail)
	case outer.Base != nil && outer.Base.Code != 0:
		w.Code, w.Message = float64(outer.Base.Code), outer.Base.Message
	case len(outer.Message) > 0 && outer.Message[0] == '"' && outer.Object == "":
		_ = json.Unmarshal(body, w)
		w.Type = max(w.Type, outer.Type)
	default:
		return nil
	}
	return w
}

// fits reports whether err is about an unexpected type in well-formed JSON.
func fits(err error) bool {
	_, is := errors.AsType[*json.UnmarshalTypeError](err)
	return is
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// behind reads the members next to the message: Google's violations, and the error that a proxy
// passes on.
func (w *ServerError) behind(object []byte) {
	var members struct {
		Details []struct {
			Violations []struct {
				Field string `json:"field"`
			} `json:"fieldViolations"`
		} `json:"details"`
		Metadata struct {
			Raw json.RawMessage `json:"raw"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(object, &members)
	for _, d := range members.Details {
		for _, v := range d.Violations {
			if v.Field != "" {
				w.Fields = append(w.Fields, v.Field)
			}
		}
	}
	if !present(members.Metadata.Raw) {
		return
	}
	raw, text := []byte(members.Metadata.Raw), ""
	if json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	var nested struct {
		Error struct{ Metadata json.RawMessage }
	}
	if json.Unmarshal(raw, &nested) == nil && present(nested.Error.Metadata) {
		return // another proxy's error, not a server's
	}
	if w.Inner = ErrorIn(raw); w.Inner == nil && text != "" {
		w.Inner = &ServerError{Message: text}
	}
}

// listed reads a list of faults by field (pydantic), or a text.
func (w *ServerError) listed(detail json.RawMessage) {
	_ = json.Unmarshal(detail, &w.Message)
	var list []struct {
		Type string `json:"type"`
		Loc  []any  `json:"loc"`
		Msg  string `json:"msg"`
	}
	_ = json.Unmarshal(detail, &list)
	var messages []string
	for _, d := range list {
		var path []string
		for _, step := range d.Loc {
			switch step := step.(type) {
			case string:
				path = append(path, step)
			case float64:
				path = append(path, strconv.Itoa(int(step)))
			}
		}
		if len(path) > 0 {
			w.Fields = append(w.Fields, strings.Join(path, "."))
		}
		if at := strings.Join(path, "."); at != "" {
			d.Msg = at + ": " + d.Msg
		}
		messages = append(messages, d.Msg)
		if w.Code == nil && d.Type != "" {
			w.Code = d.Type
		}
	}
	if len(messages) > 0 {
		w.Message = strings.Join(messages, "; ")
	}
}

// Text returns the server's message, and that of the server behind it.
func (w *ServerError) Text() string {
	text := w.Message
	if w.Inner != nil && w.Inner.Message != "" {
		if text = strings.TrimSpace(text); text != "" {
			text += ": "
		}
		text += w.Inner.Message
	}
	return text
}

// Status returns the code if it is an HTTP status (OpenRouter, vLLM), or else 0.
func (w ServerError) Status() int {
	n := 0
	switch c := w.Code.(type) {
	case float64:
		n = int(min(max(c, 0), 1000))
	case string:
		n, _ = strconv.Atoi(c)
	}
	if n < 400 || n > 599 {
		return 0
	}
	return n
}

// Words returns type and code for an operator, if they are plain words.
func (w ServerError) Words() string {
	s := ""
	if t := PlainWord(w.Type); t != "" {
		s += " type=" + t
	}
	code, _ := w.Code.(string)
	if n := w.Status(); n != 0 {
		code = strconv.Itoa(n)
	}
	if code = PlainWord(code); code != "" {
		s += " code=" + code
	}
	return s
}

// PlainWord returns s if it is a word such as "rate_limit_exceeded", or else "", because it could
// contain anything.
func PlainWord(s string) string {
	if len(s) > 64 {
		return ""
	}
	for i := range len(s) {
		c := s[i] | 0x20
		if (c < 'a' || c > 'z') && (s[i] < '0' || s[i] > '9') && s[i] != '_' && s[i] != '-' && s[i] != '.' {
			return ""
		}
	}
	return s
}
