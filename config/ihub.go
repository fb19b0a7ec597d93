package config

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Apps and tools of ihub-apps (github.com/intrafind/ihub-apps) can be used unchanged.
// Files of ihub-apps are recognized (see ofIhub), and no mistake in them keeps the gateway
// from starting: keys without an effect here are warnings, and an app or tool with faults is
// left out, with the reason. In other files the keys of ihub-apps are known by name, so that a
// misspelt key of AskGate is still a fault. These have an equivalent and are mapped:
// preferredModel, preferredTemperature, starter prompts with title and message, and
// "script": "askUser.js".

// foreignAppKeys are the keys of apps of ihub-apps without an equivalent here. Source:
// server/validators/appConfigSchema.js and server/defaults/apps in its repository.
var foreignAppKeys = []string{
	"aiTransparency", "allowEmptyContent", "allowInheritance", "allowedModels", "autoStart", "category", "color",
	"customResponseRenderer", "disallowModelSelection", "ephemeral", "features", "greeting", "hidden", "iassistant", "icon",
	"iframeConfig", "imageGeneration", "imageWatermark", "inheritanceLevel", "inputMode", "messagePlaceholder",
	"order", "outputSchema", "overriddenFields", "parentId", "preferredOutputFormat", "preferredStyle",
	"redirectConfig", "rendererConfig", "requiredFeatures", "settings", "skillSettings", "skills", "sources",
	"thinking", "tokenLimit", "type", "upload", "useAI", "useManual", "useTemplate", "websearch", "workflows",
}

// foreignToolKeys are the keys of tools of ihub-apps without an equivalent here.
var foreignToolKeys = []string{
	"concurrency", "functions", "isSpecialTool", "passthrough", "provider", "script",
}

const askUserScript = "askUser.js"

// ofIhub reports whether a file is from ihub-apps: an app, which there must have a color and an icon, or
// a list of tools, none of which has a type and at least one of which has a script or a provider.
func ofIhub(root *hujson.Value) bool {
	switch x := root.Value.(type) {
	case *hujson.Object:
		return has(x, "color") && has(x, "icon")
	case *hujson.Array:
		runs := false
		for i := range x.Elements {
			entry, ok := x.Elements[i].Value.(*hujson.Object)
			if !ok || has(entry, "type") {
				return false
			}
			runs = runs || has(entry, "script") || has(entry, "isSpecialTool") || has(entry, "provider")
		}
		return runs
	}
	return false
}

func has(obj *hujson.Object, key string) bool {
	return slices.ContainsFunc(obj.Members, func(m hujson.ObjectMember) bool { return literal(&m.Name) == key })
}

// laterCounts removes all but the last of equal keys, as ihub-apps does.
func laterCounts(v *hujson.Value) {
	switch x := v.Value.(type) {
	case *hujson.Array:
		for i := range x.Elements {
			laterCounts(&x.Elements[i])
		}
	case *hujson.Object:
		last := make(map[string]int, len(x.Members))
		for i := range x.Members {
			last[literal(&x.Members[i].Name)] = i
			laterCounts(&x.Members[i].Value)
		}
		kept := x.Members[:0]
		for i := range x.Members {
			if last[literal(&x.Members[i].Name)] == i {
				kept = append(kept, x.Members[i])
			}
		}
		x.Members = kept
	}
}

// leftOut turns the faults of an ihub-apps file into warnings, and reports whether there were any. If so,
// the content of the file must be left out.
func (s *source) leftOut(what string) bool {
	if !s.ihub || len(s.faults) == 0 {
		return false
	}
	for _, f := range s.faults {
		f.Message = what + " is left out: " + f.Message
		s.warnings = append(s.warnings, f)
	}
	s.faults, s.dropped = nil, 0
	return true
}

// ihubFolders are folders of ihub-apps whose settings belong elsewhere in AskGate.
var ihubFolders = []struct{ name, hint string }{
	{"config", "move its settings to gateway.json, and put its tools.json next to that"},
	{"models", "define models under \"models\" in gateway.json"},
}

// ihubStray warns about the folders of ihub-apps that are not read.
func (p *pass) ihubStray() {
	if !slices.ContainsFunc(p.sources, func(s *source) bool { return s.ihub }) {
		return
	}
	for _, f := range ihubFolders {
		if info, err := fs.Stat(p.files, f.name); err == nil && info.IsDir() {
			p.note(whole(p.shown(f.name), "is a folder of ihub-apps and is ignored; "+f.hint))
		}
	}
}

// foreign warns about those keys of the object in known for which counts returns true, and has all known
// keys ignored.
func (n *Value) foreign(known []string, counts func(Member) bool) {
	if n.kind() != "an object" {
		return
	}
	list, _ := n.Members()
	var found []string
	var first Value
	for _, m := range list {
		if !slices.Contains(known, m.Key) || !counts(m) {
			continue
		}
		if found == nil {
			first = m.Name
		}
		found = append(found, m.Key)
	}
	if len(found) > 0 {
		first.Warn("these keys of ihub-apps have no effect here: %s", strings.Join(found, ", "))
	}
	n.ignored = known
}

const maxStarterPrompts = 50

// starterPrompts is a list of first messages to offer: texts, or objects of ihub-apps with a title and a
// message, of which the message is sent.
//
// The values of its variables are read after the variables, see appReader.starters.
func starterPrompts(dst *[]Text) Key {
	var title, message Text
	keys := func() []Key {
		none := func(name string) Key { // too common for a warning each
			return Key{Name: name, unsaid: true, schema: `"deprecated": true`, read: func(Value) {}}
		}
		return []Key{
			Localised("message", &message, 0, "the text to send"),
			Localised("title", &title, 0, "the text to send if there is no message"),
			later(Free("variables", "values by name", `"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}`, nil,
				"values of the app's `variables`, filled in when a chat begins with this message: the person sees them in the form, and may change them")),
			none("description"), none("autoSend"),
		}
	}
	return Free("starterPrompts", "list of localised texts or objects", fmt.Sprintf(`"type": "array", "maxItems": %d, "items": {"anyOf": [{"$ref": "#/$defs/text"}, {%%s}]}`, maxStarterPrompts), func(n Value) {
		items, _ := n.List(maxStarterPrompts, tooMany)
		for _, item := range items {
			title, message = Text{}, Text{}
			if item.Key("message").Given() || item.Key("title").Given() {
				item.Read(keys())
			} else {
				item.Localised(&message)
			}
			if message.IsZero() {
				message = title
			}
			if !message.IsZero() {
				*dst = append(*dst, message)
			}
		}
	}, "first messages to offer, up to 50: localised texts, or objects as in ihub-apps").of("[]", keys)
}

// starters reads the values of variables that come with starter prompts. A value that cannot be used is
// only a warning, and left out.
func (r *appReader) starters(n Value) {
	var known []string
	byName := map[string]*Variable{}
	for i := range r.app.Variables {
		v := &r.app.Variables[i]
		known, byName[v.Name] = append(known, v.Name), v
	}
	items, _ := n.items("starterPrompts")
	for _, item := range items {
		at := item.Key("variables")
		if !at.Given() {
			continue
		}
		if at.kind() != "an object" {
			at.Warn(`the values are not used; write them by the names of variables, like {"language": "German"}`)
			continue
		}
		s := Starter{Message: item.Key("message").read(), Values: map[string]string{}}
		if s.Message.IsZero() {
			s.Message = item.Key("title").read()
		}
		list, _ := at.Members()
		for _, m := range list {
			v := byName[m.Key]
			if v == nil {
				m.Name.Warn("there is no variable %q, so the value is not used; %s", m.Key, Suggest(m.Key, known))
				continue
			}
			lit, ok := m.v.Value.(hujson.Literal)
			if !ok || lit.Kind() == 'n' {
				m.Warn("the value is not used; write a string, a number, true or false")
				continue
			}
			value := literal(m.v)
			if lit.Kind() != '"' {
				value = string(lit)
			}
			raw := Form([]Variable{*v}, "en", map[string]string{v.Name: value})
			if n.p.question != nil {
				if n.p.question(only(raw), false) != nil {
					m.Warn("the value is not used, because it does not answer the question for the variable; %s", v.instead(value))
					continue
				}
			}
			s.Values[m.Key] = value
		}
		if len(s.Values) > 0 {
			r.app.Starters = append(r.app.Starters, s)
		}
	}
}

// read returns a localised text whose faults were reported before.
func (n Value) read() Text {
	switch {
	case !n.Given():
	case n.kind() == "a string":
		return NewText(literal(n.v))
	case n.kind() == "an object":
		return plainText(n.v)
	}
	return Text{}
}

// only returns the only question of a form.
func only(form json.RawMessage) json.RawMessage {
	var of struct{ Questions []json.RawMessage }
	_ = json.Unmarshal(form, &of) // cannot fail: Form made it
	return of.Questions[0]
}

// foreignTool reports whether an entry is skipped because only ihub-apps can run the tool, with the
// reason and the names of its functions.
func foreignTool(list []Member) (reason string, functions []string, skip bool) {
	find := func(key string) (Member, bool) {
		i := slices.IndexFunc(list, func(m Member) bool { return m.Key == key })
		if i < 0 {
			return Member{}, false
		}
		return list[i], true
	}
	if _, typed := find("type"); typed {
		return "", nil, false
	}
	if m, ok := find("functions"); ok {
		if all, isObject := m.v.Value.(*hujson.Object); isObject {
			for i := range all.Members {
				functions = append(functions, literal(&all.Members[i].Name))
			}
		}
	}
	if m, ok := find("script"); ok {
		if literal(m.v) == askUserScript {
			return "", nil, false
		}
		return "its script " + m.Raw() + " runs only in ihub-apps; make it a tool of type http or mcp", functions, true
	}
	for _, key := range []string{"isSpecialTool", "provider"} {
		if _, ok := find(key); ok {
			return "in ihub-apps it is a tool of the model server, which does not exist here", functions, true
		}
	}
	return "", nil, false
}
