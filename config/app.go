package config

import (
	"maps"
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
	Model          string         `json:"model"`     // key of Gateway.Models
	Tools          []string       `json:"tools"`     // exact tool ids, in the order in which they are offered
	Prompt         Text           `json:"prompt"`    // what the model reads instead of a message; zero: the message itself
	Variables      []Variable     `json:"variables"` // values for the places in Prompt and System
	StarterPrompts []Text         `json:"starterPrompts"`
	Starters       []Starter      `json:"-"`           // those of StarterPrompts that have values of variables
	Interactive    bool           `json:"interactive"` // false: no one answers, so nothing is asked
	MaxSteps       int            `json:"maxSteps"`
	Temperature    *float64       `json:"temperature"` // nil: that of the model
	Limits         Limits         `json:"limits"`
	Clarifications Clarifications `json:"clarifications"`
	Retention      Duration       `json:"retention"` // 0: forever
	Access         Access         `json:"access"`
	AISDK          AISDK          `json:"aiSdk"`
	AGUI           AGUI           `json:"agUi"`
	MCP            MCP            `json:"mcp"`
	ClientTools    string         `json:"clientTools"` // ClientToolsOff or ClientToolsOn
	Titles         string         `json:"titles"`      // TitlesFirst or TitlesModel
	Attachments    Attachments    `json:"attachments"`
	// ClientInstructions says what happens to instructions for the model from a client's program, as
	// opposed to the user's message: InstructionsIgnore, InstructionsAppend or InstructionsRefuse.
	ClientInstructions string `json:"clientInstructions"`
	// LastTurnOnly: the model is sent the newest turn of a chat without those before it.
	LastTurnOnly bool  `json:"-"`
	Memory       bool  `json:"memory"` // the model may remember what a user says for later chats
	MaxFile      int64 `json:"-"`      // limit of a file that answers a question, in bytes; 0: files are refused
}

// The values of App.Titles.
const (
	TitlesFirst = "first" // the beginning of the first message is the title
	TitlesModel = "model" // the model writes the title
)

// The values of App.ClientInstructions.
const (
	InstructionsIgnore = "ignore" // the model does not get them
	InstructionsAppend = "append" // the model gets them with the user's message, with no more authority
	InstructionsRefuse = "refuse" // a request with instructions is refused
)

// AISDK describes the capabilities of an app's AI SDK clients.
type AISDK struct {
	// Approvals reports whether the clients use ai 6 or later, which has approvals. If not, an
	// approval is sent as a question.
	Approvals bool `json:"approvals"`
}

// The values of App.ClientTools: what happens to the tools in a client's request.
const (
	ClientToolsOff = "off" // they are ignored
	ClientToolsOn  = "on"  // the turn offers them, and the client runs them
)

// The values of AGUI.Mode: how a question is sent. AGUIAuto uses the way that the request shows
// the client to support.
const (
	AGUIAuto      = "auto"
	AGUITool      = "tool"
	AGUIInterrupt = "interrupt"
)

// AGUI describes the capabilities of an app's AG-UI clients.
type AGUI struct {
	Mode string `json:"mode"`
}

// MCP says what an app's MCP clients may do.
type MCP struct {
	// Elicit makes a client that can ask its own user do so, instead of waiting for an answer through
	// the gateway.
	Elicit bool `json:"elicit"`
}

// Access says who may use an app: callers with one of Roles, or everyone if Roles is empty.
type Access struct {
	Roles []string `json:"roles"`
}

// Starter has the values of variables that come with a starter prompt, by their names.
type Starter struct {
	Message Text
	Values  map[string]string
}

// Started returns the values of the starter prompt whose text, in any language, is the message; nil if
// it is none.
func (a *App) Started(message string) map[string]string {
	message = strings.TrimSpace(message)
	for _, s := range a.Starters {
		if slices.ContainsFunc(s.Message.entries, func(e textEntry) bool { return strings.TrimSpace(e.text) == message }) {
			return s.Values
		}
	}
	return nil
}

// Asked returns the variables that the user is asked for in a chat that begins with the values of a
// starter prompt: those without a default, and those that the starter prompt fills in.
func (a *App) Asked(started map[string]string) []Variable {
	return slices.DeleteFunc(slices.Clone(a.Variables), func(v Variable) bool {
		_, filled := started[v.Name]
		return v.Given && !filled
	})
}

// Askable returns the variables that the user may be asked for, with or without a starter prompt.
func (a *App) Askable() []Variable {
	named := map[string]string{}
	for _, s := range a.Starters {
		maps.Copy(named, s.Values)
	}
	return a.Asked(named)
}

// Worded returns what the model reads instead of a message. If the prompt has no place for the
// message, the message follows it.
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
