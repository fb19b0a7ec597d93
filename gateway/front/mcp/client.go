package mcp

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
)

// client is a client's description of itself. In versions with sessions it does so once, and sends
// it back as the session's id, which is not a secret and gives no rights: someone who forges one
// only uses another name.
type client struct {
	// Session distinguishes two windows of one program; "" if the version has no sessions.
	Session string `json:"s,omitempty"`
	Name    string `json:"n"`
	Title   string `json:"t,omitempty"`
	Version string `json:"v,omitempty"`
	Elicits bool   `json:"e,omitempty"` // it can ask its user with a form
}

// maxSession bounds a session's id, in bytes.
const maxSession = 2048

// initialized sends the client the session that its initialize begins.
func (x *exchange) initialized(params json.RawMessage) {
	var p sdk.InitializeParams
	if json.Unmarshal(params, &p) != nil {
		return // the SDK refuses it
	}
	x.client = newClient(p.ClientInfo, p.Capabilities)
	x.client.Session = rand.Text()
	data, _ := json.Marshal(x.client) // texts can be written
	x.c.Header().Set(headerSession, base64.RawURLEncoding.EncodeToString(data))
}

// clientOf returns the client of a request: as the request itself gives it, in versions without
// sessions, or else that of the session; if there is none, a client without a name of its own.
func clientOf(session string, params json.RawMessage) client {
	var p struct {
		Meta struct {
			Info *sdk.Implementation     `json:"io.modelcontextprotocol/clientInfo"`
			Can  *sdk.ClientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	if json.Unmarshal(params, &p) == nil && p.Meta.Info != nil {
		return newClient(p.Meta.Info, p.Meta.Can)
	}
	var c client
	data, err := base64.RawURLEncoding.DecodeString(session)
	if err != nil || len(session) > maxSession || json.Unmarshal(data, &c) != nil {
		c = client{}
	}
	return c.bounded()
}

func newClient(info *sdk.Implementation, can *sdk.ClientCapabilities) (c client) {
	if info != nil {
		c = client{Name: info.Name, Title: info.Title, Version: info.Version}
	}
	if can != nil && can.Elicitation != nil {
		// Without a mode, it is a form, as before modes were introduced.
		c.Elicits = can.Elicitation.Form != nil || can.Elicitation.URL == nil
	}
	return c.bounded()
}

// bounded limits what people are shown of a client, each text to one line.
func (c client) bounded() client {
	c.Name = cmp.Or(line(c.Name), "mcp")
	c.Title, c.Version = line(c.Title), line(c.Version)
	if len(c.Session) > maxSessionText {
		c.Session = ""
	}
	return c
}

// maxSessionText bounds the random part of a session's id, in bytes.
const maxSessionText = 32

// maxName is the maximum length of a text about a client, in code points.
const maxName = 100

func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
	return tools.Shorten(strings.Join(strings.Fields(s), " "), maxName)
}

// asker returns the client as the one who asks; title is its name for the occasion of the
// question, or "".
func (c client) asker(title string) tools.Asker {
	return tools.Asker{Kind: tools.AskerProgram, Name: c.Name, Title: cmp.Or(line(title), c.Title), Version: c.Version}
}
