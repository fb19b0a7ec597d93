package config

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Apps and tools of ihub-apps (github.com/intrafind/ihub-apps) load unchanged.
// Its keys are known here by name, so that a misspelt key of ours stays a
// fault; they have no effect and are named in a warning. What has an
// equivalent is mapped: preferredModel, preferredTemperature, starter prompts
// with title and message, "script": "askUser.js".

// foreignAppKeys are the keys of ihub-apps' apps without an equivalent. Source:
// server/validators/appConfigSchema.js and server/defaults/apps there.
var foreignAppKeys = []string{
	"aiTransparency", "allowEmptyContent", "allowInheritance", "allowedModels", "autoStart", "category", "color",
	"customResponseRenderer", "disallowModelSelection", "features", "greeting", "hidden", "iassistant", "icon",
	"iframeConfig", "imageGeneration", "imageWatermark", "inheritanceLevel", "inputMode", "messagePlaceholder",
	"order", "outputSchema", "overriddenFields", "parentId", "preferredOutputFormat", "preferredStyle", "prompt",
	"redirectConfig", "sendChatHistory", "settings", "skills", "sources", "thinking", "tokenLimit", "type", "upload",
	"useAI", "useManual", "useTemplate", "variables", "websearch", "workflows",
}

// foreignToolKeys are those of its tools.
var foreignToolKeys = []string{
	"concurrency", "functions", "isSpecialTool", "passthrough", "provider", "script",
}

const askUserScript = "askUser.js"

// foreignKeys collects keys without effect for one warning.
type foreignKeys struct {
	known []string
	found []string
	first Node
}

func (f *foreignKeys) take(m Member) bool {
	if !slices.Contains(f.known, m.Key) {
		return false
	}
	if f.found == nil {
		f.first = m.Name
	}
	f.found = append(f.found, m.Key)
	return true
}

func (f *foreignKeys) warn() {
	if len(f.found) > 0 {
		f.first.Warn("keys of ihub-apps without effect here: %s", strings.Join(f.found, ", "))
	}
}

// starterPrompt reads a Text, or ihub-apps' {title, message}: the message is
// what is sent.
func (n Node) starterPrompt() Text {
	var t Text
	obj, ok := n.v.Value.(*hujson.Object)
	if !ok || !slices.ContainsFunc(obj.Members, func(m hujson.ObjectMember) bool {
		return literal(&m.Name) == "message" || literal(&m.Name) == "title"
	}) {
		n.Localised(&t)
		return t
	}
	var title Text
	n.Object(Keys{
		"message": func(n Node) { n.Localised(&t) },
		"title":   func(n Node) { n.Localised(&title) },
		// Without effect; too common to warn of each.
		"description": func(Node) {},
		"variables":   func(Node) {},
		"autoSend":    func(Node) {},
	}, nil)
	if t.IsZero() {
		return title
	}
	return t
}

// foreignTool says why an entry is skipped: a tool that only ihub-apps can run.
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
			return "it is a model's own tool in ihub-apps, which does not exist here", functions, true
		}
	}
	return "", nil, false
}
