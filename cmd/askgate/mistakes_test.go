package main

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/config/configtest"
)

const (
	mistakenKeys = `{"auth": {"mode": "apiKeys", "keys": [{"id": "k", "hash": "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "tenant": "t", "subject": "s", "roles": ["oncall"]%s}]}}`
	listsPay     = `{"id": "a", "tools": ["pay"]}`
)

// TestOneMistakeGivesOneMessage: for each kind of mistake that nothing else reports until people use the
// app, check prints one line, which says where it is and what to write.
func TestOneMistakeGivesOneMessage(t *testing.T) {
	gateway := func(more string) string { return strings.Replace(mistakenKeys, "%s", more, 1) }
	for name, c := range map[string]struct {
		files configtest.Files
		code  int
		want  string // the line, without the folder
	}{
		"a role that no one has approves":        {configtest.Files{"gateway.json": gateway(""), "tools.json": `[{"id": "pay", "type": "client", "needsApproval": {"by": {"role": "oncal"}}}]`, "apps/a.json": listsPay}, 0, `warning: tools.json:1:67: [0].needsApproval.by.role: no API key has the role "oncal"; did you mean "oncall"?`},
		"no one has a role":                      {configtest.Files{"tools.json": `[{"id": "pay", "type": "client", "needsApproval": {"by": {"role": "finance"}}}]`, "apps/a.json": listsPay}, 0, `warning: tools.json:1:67: [0].needsApproval.by.role: callers have no roles, so no one can approve these calls; auth.mode is "none": set up API keys in gateway.json`},
		"a role that no one has may be asked":    {configtest.Files{"gateway.json": gateway(`, "mayAsk": ["role:oncal"]`)}, 0, `warning: gateway.json:1:197: auth.keys[0].mayAsk[0]: no API key has the role "oncal"; did you mean "oncall"?`},
		"a place that no variable fills":         {configtest.Files{"apps/a.json": `{"id": "a", "system": "Write for {{audience}}.", "tools": []}`}, 0, `warning: apps/a.json:1:23: system: no variable fills {{audience}}, so the model reads it as is; add it to "variables", or remove it`},
		"a misspelt place":                       {configtest.Files{"apps/a.json": `{"id": "a", "prompt": "{{content}} in {{langage}}", "tools": [], "variables": [{"name": "language"}]}`}, 0, `warning: apps/a.json:1:23: prompt: no variable fills {{langage}}, so the model reads it as is; did you mean "language"?`},
		"a place of ihub's":                      {configtest.Files{"apps/a.json": `{"id": "a", "system": "Use {{sources}}.", "tools": []}`}, 0, `warning: apps/a.json:1:23: system: {{sources}} is filled only by ihub-apps, so the model reads it as is; give the app a tool of type "documents" instead, and remove it`},
		"double braces in a template":            {configtest.Files{"tools.json": `[{"id": "ask_user", "templates": {"t": {"question": "Which of {{customer}}?"}}}]`, "apps/a.json": `{"id": "a", "tools": ["ask_user"]}`}, 0, `warning: tools.json:1:53: [0].templates.t.question: {{customer}} would be shown with braces around the value, because a template has single ones; write {customer}`},
		"a command with arguments":               {configtest.Files{"tools.json": `[{"id": "m", "type": "mcp", "mcp": {"command": "npx -y server"}}]`, "apps/a.json": `{"id": "a", "tools": ["m"]}`}, 0, `warning: tools.json:1:48: [0].mcp.command: "command" is one program without arguments; write "command": "npx", "args": ["-y", "server"]`},
		"a command that is not in PATH":          {configtest.Files{"tools.json": `[{"id": "m", "type": "mcp", "mcp": {"command": "askgate-no-such-program"}}]`, "apps/a.json": `{"id": "a", "tools": ["m"]}`}, 0, `warning: tools.json:1:48: [0].mcp.command: the program "askgate-no-such-program" is not in PATH; install it, or write its path`},
		"a path without a program":               {configtest.Files{"tools.json": `[{"id": "m", "type": "mcp", "mcp": {"command": "./none"}}]`, "apps/a.json": `{"id": "a", "tools": ["m"]}`}, 0, `warning: tools.json:1:48: [0].mcp.command: there is no program "./none" that can be run; correct the path (a relative one starts at the working directory), or install the program`},
		"a tool that no app lists":               {configtest.Files{"tools.json": `[{"id": "find", "type": "client"}]`, "apps/a.json": `{"id": "a", "tools": []}`}, 0, `warning: tools.json:1:9: [0].id: no app lists the tool "find", so no model can call it; add it to "tools" of an app, or remove the entry`},
		"an app lists a tool that is not there":  {configtest.Files{"tools.json": `[{"id": "find", "type": "client"}]`, "apps/a.json": `{"id": "a", "tools": ["fnd"]}`}, 1, `apps/a.json:1:23: tools[0]: tool "fnd" is not defined; add it to tools.json (did you mean "find"?)`},
		"a misspelt keyword of a schema":         {configtest.Files{"tools.json": `[{"id": "pay", "type": "client", "parameters": {"type": "object", "properties": {"to": {"type": "string", "maxLenght": 9}}}}]`, "apps/a.json": listsPay}, 0, `warning: tools.json:1:107: [0].parameters.properties.to.maxLenght: "maxLenght" is not a keyword of JSON Schema, so it has no effect; did you mean "maxLength"?`},
		"a key with a space":                     {configtest.Files{"tools.json": `[{"id": "pay", "type": "client", "parameters": {"type": "object", "properties": {"to whom": {"maxLenght": 9}}}}]`, "apps/a.json": listsPay}, 0, `warning: tools.json:1:94: [0].parameters.properties["to whom"].maxLenght: "maxLenght" is not a keyword of JSON Schema, so it has no effect; did you mean "maxLength"?`},
		"an unknown keyword of a schema":         {configtest.Files{"tools.json": `[{"id": "pay", "type": "client", "parameters": {"type": "object", "city": {"type": "string"}}}]`, "apps/a.json": listsPay}, 0, `warning: tools.json:1:67: [0].parameters.city: "city" is not a keyword of JSON Schema, so it has no effect; a property belongs into "properties", and the name of an extension begins with "x-"`},
		"a required property that is not there":  {configtest.Files{"tools.json": `[{"id": "pay", "type": "client", "parameters": {"type": "object", "properties": {"to": {}}, "required": ["too"]}}]`, "apps/a.json": listsPay}, 0, `warning: tools.json:1:106: [0].parameters.required[0]: "too" is required but not in "properties"; did you mean "to"?`},
		"documents that do not exist":            {configtest.Files{"tools.json": `[{"id": "laws", "type": "documents", "documents": {"path": "nowhere"}}]`, "apps/a.json": `{"id": "a", "tools": ["laws"]}`}, 1, `tools.json:1:60: [0].documents.path: folder nowhere does not exist; create it, or correct the path`},
		"a misspelt key":                         {configtest.Files{"gateway.json": `{"lisen": ":1"}`}, 1, `gateway.json:1:2: lisen: unknown key "lisen"; did you mean "listen"?`},
		"a misspelt key of an app":               {configtest.Files{"apps/a.json": `{"id": "a", "tool": ["clock"]}`}, 1, `apps/a.json:1:13: tool: unknown key "tool"; did you mean "tools"?`},
		"a starter's variable that is not there": {configtest.Files{"apps/a.json": `{"id": "a", "tools": [], "prompt": "{{content}} {{language}}", "variables": [{"name": "language"}], "starterPrompts": [{"title": "Go", "message": "go", "variables": {"langage": "de"}}]}`}, 0, `warning: apps/a.json:1:167: starterPrompts[0].variables.langage: there is no variable "langage", so the value is not used; did you mean "language"?`},
		"a value that a starter may not give":    {configtest.Files{"apps/a.json": `{"id": "a", "tools": [], "prompt": "{{content}} {{language}}", "variables": [{"name": "language", "predefinedValues": ["de", "fr"]}], "starterPrompts": [{"title": "Go", "message": "go", "variables": {"language": "xx"}}]}`}, 0, `warning: apps/a.json:1:213: starterPrompts[0].variables.language: the value is not used, because it does not answer the question for the variable; known: de, fr`},
		"framed by a wildcard":                   {configtest.Files{"gateway.json": `{"frameAncestors": ["https://*.example.org"]}`}, 1, `gateway.json:1:21: frameAncestors[0]: "https://*.example.org" is not an exact origin; write each one as browsers do, in lower case, without a path or a wildcard: "https://intranet.example.org"`},
		"framed by a path":                       {configtest.Files{"gateway.json": `{"frameAncestors": ["https://example.org/app"]}`}, 1, `gateway.json:1:21: frameAncestors[0]: "https://example.org/app" is not an exact origin; write each one as browsers do, in lower case, without a path or a wildcard: "https://intranet.example.org"`},
		"framed without auth":                    {configtest.Files{"gateway.json": `{"frameAncestors": ["https://example.org"]}`}, 1, `gateway.json:1:20: frameAncestors: a page in a frame needs callers who are identified, and auth mode "none" identifies no one; remove "frameAncestors", or set up API keys ("mode": "apiKeys", made with: askgate key new)`},
		"a duration as a number":                 {configtest.Files{"gateway.json": `{"shutdownTimeout": 30}`}, 1, `gateway.json:1:21: shutdownTimeout: want a duration like "30s", "1h30m" or "7d", not a number`},
		"a variable that is not set":             {configtest.Files{"gateway.json": `{"store": "$ASKGATE_NOWHERE"}`}, 1, `gateway.json:1:11: store: environment variable ASKGATE_NOWHERE is not set; set it, set ASKGATE_NOWHERE_FILE to the path of a file that holds it, or write the value here (for the literal text $ASKGATE_NOWHERE: "$$ASKGATE_NOWHERE")`},
		"a provider that is not there":           {configtest.Files{"gateway.json": `{"models": {"default": {"provider": "opena", "model": "m"}}}`}, 1, `gateway.json:1:37: models.default.provider: unknown provider "opena"; did you mean "openai"?`},
		"a model that is not there":              {configtest.Files{"gateway.json": `{"models": {"default": {"provider": "demo"}, "fast": {"provider": "demo"}}}`, "apps/a.json": `{"id": "a", "model": "fst", "tools": []}`}, 1, `apps/a.json:1:22: model: model "fst" is not defined in gateway.json; did you mean "fast"?`},
		"a template's source that is not there":  {configtest.Files{"tools.json": `[{"id": "ask_user", "templates": {"t": {"question": "Which?", "optionsFrom": {"tool": "list", "label": ""}}}}]`, "apps/a.json": `{"id": "a", "tools": ["ask_user"]}`}, 1, `tools.json:1:87: [0].templates.t.optionsFrom.tool: template "t" cannot get its options from "list": there is no such tool, or it is disabled; known: ask_user, calculator, clock, demo_booking, demo_projects, forget, remember`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.files.Write(t, dir)
			code, stdout, stderr := command(t, "check", "--config", dir)
			line := strings.ReplaceAll(stderr, dir+"/", "")
			if code != c.code || line != c.want+"\n" || (code == 0) != strings.Contains(stdout, "The configuration is valid.") {
				t.Errorf("exit %d, want %d: %s\ngot  %swant %s", code, c.code, stdout, line, c.want)
			}
		})
	}
}
