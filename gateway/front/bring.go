package front

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
)

// askPerson is the name of the gateway's own tool if ask_user cannot be used.
const askPerson = "ask_person"

// broughtName matches the tool names that all models accept.
var broughtName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Bring records the tools of the request, in the client's order. If the app accepts them, the
// turn of its command has them from now on. IgnoredHeader reports whether any is not used. Call
// Bring once, even if there are no tools.
func Bring(r *host.Request, brought []Tool) error {
	brought = slices.DeleteFunc(slices.Clone(brought), func(t Tool) bool { return knownTool(r, t) })
	left := len(brought) > 0
	if r.App.ClientTools == config.ClientToolsOn {
		var err error
		if left, err = bring(r, brought); err != nil {
			return err
		}
	}
	if left {
		Ignore(r.Header(), IgnoredTools)
	} else {
		Used(r.Header(), IgnoredTools)
	}
	return nil
}

// knownTool reports whether a client lists a tool of the gateway or the app that the gateway runs
// itself; by listing it, the client says that it can be asked by a call.
func knownTool(r *host.Request, t Tool) bool {
	if t.Name == AskUser {
		return true
	}
	of, ok := r.Setup().Config.Tool(r.App.ID, t.Name)
	return ok && of.RequiresUserInput && slices.Contains(r.App.Tools, of.ID)
}

// bring takes the tools that the turn can have. left reports whether any is left out: of another
// kind, with a name that is taken, or beyond the number that models accept.
func bring(r *host.Request, brought []Tool) (left bool, err error) {
	r.ClientTools = []tools.Definition{}
	if len(brought) > tools.MaxDefinitions {
		return false, Invalid("client_tools_many", "tools", map[string]any{"Max": tools.MaxDefinitions})
	}
	size := 0
	for _, t := range brought {
		if size += len(t.Name) + len(t.Description) + len(t.Parameters); size > chat.MaxClientTools {
			return false, Invalid("client_tools_large", "tools", map[string]any{"Max": chat.MaxClientTools >> 10})
		}
	}
	room := 0
	if r.App.Interactive {
		room = tools.MaxDefinitions - len(r.SetupFor(r.Ref).Catalog.Definitions(r.App.ID, r.Language(), true))
	}
	names := map[string]bool{askPerson: true}
	for _, t := range brought {
		if t.Name == "" {
			left = true
			continue
		}
		if !broughtName.MatchString(t.Name) {
			return false, Invalid("client_tool_name", t.Field, nil)
		}
		var ok bool
		if t.Parameters, ok = broughtSchema(t.Parameters); !ok {
			return false, Invalid("client_tool_schema", t.Field, nil)
		}
		_, taken := r.Setup().Config.Tool(r.App.ID, t.Name)
		if taken || names[t.Name] || room <= 0 {
			left = true
			continue
		}
		names[t.Name], room = true, room-1
		r.ClientTools = append(r.ClientTools, t.Definition)
	}
	return left, nil
}

// broughtSchema returns the schema of a tool's arguments in the form that models accept: that of
// an object. False means that it is not a schema.
func broughtSchema(raw json.RawMessage) (json.RawMessage, bool) {
	const anything = `{"type":"object","properties":{}}`
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return json.RawMessage(anything), true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, false
	}
	if members["type"] == nil {
		members["type"] = json.RawMessage(`"object"`)
		raw, _ = json.Marshal(members) // it was read before
	}
	if string(bytes.TrimSpace(members["type"])) != `"object"` {
		return nil, false
	}
	if _, err := arguments.Compile(raw); err != nil {
		return nil, false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return nil, false
	}
	return compact.Bytes(), true
}
