package config

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Limits on what an admin can add to each request to a model.
const (
	maxModelHeaders      = 20
	maxModelHeadersBytes = 8 << 10 // names and values
	maxModelBody         = 64 << 10
)

// keyHeaders are the headers for the key of a model server.
var keyHeaders = []string{"authorization", "x-api-key", "x-goog-api-key", "api-key"}

// gatewayHeaders are the headers that an admin cannot set: those that the gateway sets for each request to
// a model, in addition to Content-*, and those of the connection.
var gatewayHeaders = []string{
	"host", "accept", "accept-encoding", "connection", "proxy-connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect", "user-agent",
}

// modelHeaders reads the headers that are sent with each request.
func (n Value) modelHeaders(m *Model) {
	list, ok := n.Members()
	if !ok {
		return
	}
	if len(list) > maxModelHeaders {
		n.Fault("too many headers: %d (limit %d); remove some", len(list), maxModelHeaders)
		return
	}
	m.Headers = make(map[string]string, len(list))
	seen, size := map[string]bool{}, 0
	for _, h := range list {
		name := strings.ToLower(h.Key)
		switch {
		case !headerName.MatchString(h.Key):
			h.Name.Fault("%s is not a valid HTTP header name; use letters, digits and dashes", h.Name.Raw())
		case seen[name]:
			h.Name.Fault("%s appears twice (upper and lower case are the same); remove one", h.Name.Raw())
		case slices.Contains(gatewayHeaders, name) || strings.HasPrefix(name, "content-") || slices.Contains(modelProviders[m.Provider].headers, name):
			h.Name.Fault("%s is set by the gateway itself; remove it", h.Name.Raw())
		case slices.Contains(keyHeaders, name) && m.APIKey != "":
			h.Name.Fault(`%s carries the key, but "apiKey" is set too; remove one of them`, h.Name.Raw())
		default:
			var value string
			h.headerText(&value)
			m.Headers[h.Key] = value
			size += len(h.Key) + len(value)
			m.secret(h.Value, value)
		}
		seen[name] = true
	}
	if size > maxModelHeadersBytes {
		n.Fault("the headers are too large: %d bytes in total (limit %d); shorten them", size, maxModelHeadersBytes)
	}
}

// secret adds a value to m.Secrets if it came from the environment.
func (m *Model) secret(n Value, value string) {
	if value != "" && n.FromEnvironment() {
		m.Secrets = append(m.Secrets, value)
	}
}

// modelBody reads the fields that are merged into each request.
func (n Value) modelBody(m *Model) {
	list, ok := n.Members()
	if !ok {
		return
	}
	m.Body = make(map[string]json.RawMessage, len(list))
	size := 0
	for _, field := range list {
		if slices.Contains(modelProviders[m.Provider].body, field.Key) {
			field.Name.Fault("%s is set by the gateway itself; remove it from \"body\"", field.Name.Raw())
			continue
		}
		value := field.JSON(m.secret)
		m.Body[field.Key] = value
		size += len(field.Key) + len(value)
	}
	if size > maxModelBody {
		n.Fault("the fields are too large: %d bytes in total (limit %d); shorten them", size, maxModelBody)
	}
}

// JSON returns the value as standard JSON. Numbers are not reformatted, and "$NAME" is replaced by the
// value of the environment variable. each is called for each string with its text.
func (n Value) JSON(each func(n Value, text string)) json.RawMessage { return n.appendJSON(nil, each) }

func (n Value) appendJSON(b []byte, each func(n Value, text string)) []byte {
	switch v := n.v.Value.(type) {
	case *hujson.Object:
		list, _ := n.Members()
		b = append(b, '{')
		for i, member := range list {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, member.Key), ':')
			b = member.appendJSON(b, each)
		}
		return append(b, '}')
	case *hujson.Array:
		b = append(b, '[')
		for i := range v.Elements {
			if i > 0 {
				b = append(b, ',')
			}
			b = n.child(&v.Elements[i]).appendJSON(b, each)
		}
		return append(b, ']')
	case hujson.Literal:
		if v.Kind() != '"' {
			return append(b, v...)
		}
	}
	text, _ := n.Text()
	n.embeddedVariable(text)
	each(n, text)
	return appendText(b, text)
}

func appendText(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // cannot fail for a string
	return append(b, quoted...)
}
