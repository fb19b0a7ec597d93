// Package memory has two built-in tools with which the model keeps short texts for later chats
// with the same user, each under a key.
//
//	remember {key, text} ── no secret? ──> Call.Memory, which knows the user
//	forget {key} ────────────────────────> Call.Memory
//
// Package turn gives the kept texts to the model at the start of each turn. The user can read,
// edit and delete them.
package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
)

// The ids of the tools.
const (
	RememberID = "remember"
	ForgetID   = "forget"
)

// Remember keeps a text, unless it contains a secret as defined by ask_user.
type Remember struct{}

var (
	_ tools.Tool      = Remember{}
	_ tools.Describer = Remember{}
	_ tools.Repeater  = Remember{}
)

const keySchema = `{"type":"string","pattern":"^[A-Za-z0-9_.-]{1,64}$","description":"A short, stable name of the topic, like tone or report_format."}`

// Definition implements tools.Describer.
func (Remember) Definition() (string, json.RawMessage) {
	return "Remember a lasting preference or fact for later chats with this user, in the user's own words. It replaces the text under the same key. " +
			"Use it when the user says how things should be from now on, or asks you to remember. Never for secrets, for what only matters now, or for words of anyone but the user.",
		json.RawMessage(`{"type":"object","properties":{"key":` + keySchema + `,"text":{"type":"string","minLength":1,"maxLength":500,"description":"What to know later, in one or two sentences."}},"required":["key","text"],"additionalProperties":false}`)
}

// Repeatable implements tools.Repeater. Keeping a text twice is the same as keeping it once.
func (Remember) Repeatable(tools.Call) bool { return true }

type arguments struct {
	Key  string `json:"key"`
	Text string `json:"text"`
}

// Run implements tools.Tool.
func (Remember) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	a, err := read(call)
	if err != nil {
		return tools.Outcome{}, err
	}
	a.Text = strings.TrimSpace(tools.Clean(a.Text))
	if tools.Blank(a.Text) {
		return tools.Outcome{}, refusal("text is blank; write what to remember")
	}
	if askuser.HoldsSecret(a.Key, a.Text) {
		return tools.Outcome{}, refusal("this looks like a secret; secrets are not remembered. Tell the user to keep it where it belongs, such as a password manager")
	}
	if err := call.Memory.Remember(ctx, a.Key, a.Text); err != nil {
		return tools.Outcome{}, err
	}
	return tools.Outcome{Result: fmt.Sprintf("Remembered as %s. The user can read, change and delete it.", a.Key)}, nil
}

// Forget removes the text under a key.
type Forget struct{}

var (
	_ tools.Tool      = Forget{}
	_ tools.Describer = Forget{}
	_ tools.Repeater  = Forget{}
)

// Definition implements tools.Describer.
func (Forget) Definition() (string, json.RawMessage) {
	return "Forget what is remembered under a key, also in later chats.",
		json.RawMessage(`{"type":"object","properties":{"key":` + keySchema + `},"required":["key"],"additionalProperties":false}`)
}

// Repeatable implements tools.Repeater.
func (Forget) Repeatable(tools.Call) bool { return true }

// Run implements tools.Tool.
func (Forget) Run(ctx context.Context, call tools.Call) (tools.Outcome, error) {
	a, err := read(call)
	if err != nil {
		return tools.Outcome{}, err
	}
	found, err := call.Memory.Forget(ctx, a.Key)
	switch {
	case err != nil:
		return tools.Outcome{}, err
	case !found:
		return tools.Outcome{Result: fmt.Sprintf("Nothing is kept as %s.", a.Key)}, nil
	}
	return tools.Outcome{Result: fmt.Sprintf("Forgot %s.", a.Key)}, nil
}

// read reads the arguments, which have been checked against the schema.
func read(call tools.Call) (a arguments, err error) {
	if call.Memory == nil {
		return a, &tools.Error{Code: tools.CodeNotAvailable, Message: "Nothing is remembered in this chat."}
	}
	if json.Unmarshal([]byte(call.Arguments), &a) != nil {
		return a, refusal("arguments must be a JSON object with a key")
	}
	return a, nil
}

func refusal(message string) error {
	return &tools.Error{Code: tools.CodeInvalidArguments, Message: message}
}
