package config

import (
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// App is one apps/<id>.json. Its Limits and Clarifications are already merged,
// key by key, with the gateway's.
type App struct {
	ID             string         `json:"id"`
	Enabled        bool           `json:"enabled"`
	Name           Text           `json:"name"`
	Description    Text           `json:"description"`
	System         Text           `json:"system"`
	Model          string         `json:"model"`     // a key of Gateway.Models
	Tools          []string       `json:"tools"`     // exact tool ids, in the order they are offered
	Prompt         Text           `json:"prompt"`    // what the model reads in place of a message; zero: the message
	Variables      []Variable     `json:"variables"` // what Prompt and System are filled with
	StarterPrompts []Text         `json:"starterPrompts"`
	Interactive    bool           `json:"interactive"` // false: nobody answers, so nothing is asked
	MaxSteps       int            `json:"maxSteps"`
	Temperature    *float64       `json:"temperature"` // nil: the model's own
	Limits         Limits         `json:"limits"`
	Clarifications Clarifications `json:"clarifications"`
	Retention      Duration       `json:"retention"` // 0: for ever
	Access         Access         `json:"access"`
	AISDK          AISDK          `json:"aiSdk"`
	AGUI           AGUI           `json:"agUi"`
	MCP            MCP            `json:"mcp"`
	ClientTools    string         `json:"clientTools"` // whether clients bring tools of their own
	Titles         string         `json:"titles"`      // who gives chats their titles
	Attachments    Attachments    `json:"attachments"`
	// ClientInstructions: what becomes of what a client's program says to the model beside the person.
	ClientInstructions string `json:"clientInstructions"`
	Memory             bool   `json:"memory"` // the model may keep words of a person for later chats
	MaxFile            int64  `json:"-"`      // bytes of a file that answers a question; 0: none is taken
}

// The values of App.Titles: a chat is called as its first message begins; or the model names it.
const (
	TitlesFirst = "first"
	TitlesModel = "model"
)

// The values of App.ClientInstructions: the model is not told; it is told with the person's message,
// with no more authority; a request that has some is refused.
const (
	InstructionsIgnore = "ignore"
	InstructionsAppend = "append"
	InstructionsRefuse = "refuse"
)

// AISDK says what an app's clients of the AI SDK can do.
type AISDK struct {
	// Approvals: they have ai 6 or later and know approvals; else an approval is a question.
	Approvals bool `json:"approvals"`
}

// The values of App.ClientTools: what becomes of the tools that a request of a front has.
const (
	ClientToolsOff = "off" // they are passed over
	ClientToolsOn  = "on"  // the turn offers them, and the client runs them
)

// The values of AGUI.Mode: how a question goes out. Auto: as the request shows that the
// client knows.
const (
	AGUIAuto      = "auto"
	AGUITool      = "tool"
	AGUIInterrupt = "interrupt"
)

// AGUI says what an app's clients of AG-UI can do.
type AGUI struct {
	Mode string `json:"mode"`
}

// MCP says what an app's clients of MCP may do.
type MCP struct {
	// Elicit: one that can asks its own user, instead of waiting for whom the gateway tells.
	Elicit bool `json:"elicit"`
}

// Access says who may use an app: a caller with one of Roles; no roles: everybody.
type Access struct {
	Roles []string `json:"roles"`
}

// Asked are the variables that a person is asked for.
func (a *App) Asked() []Variable {
	return slices.DeleteFunc(slices.Clone(a.Variables), func(v Variable) bool { return v.Given })
}

// Worded is what the model reads in place of a message. A prompt without a place for the
// message has it behind.
func (a *App) Worded(message, language string, values map[string]string) string {
	prompt := a.Prompt.In(language)
	if tools.Blank(prompt) {
		return message
	}
	if !strings.Contains(prompt, "{{"+messageName+"}}") {
		prompt += "\n\n{{" + messageName + "}}"
	}
	all := map[string]string{messageName: message}
	for name, value := range values {
		if name != messageName {
			all[name] = value
		}
	}
	return Fill(prompt, all)
}
