package front

import (
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// MaxInstructions is the most bytes of a client's instructions that a model is sent with a
// message.
const MaxInstructions = 32 << 10

// Instructed collects what the program behind a request says to the model, in addition to the
// person.
type Instructed struct {
	names, texts []string
	field        string // of the first
	bytes        int
}

// Add adds a text. name is the field's name as clients know it ("system" for messages of the
// roles system and developer), and place is where the text is. A blank text is ignored.
func (i *Instructed) Add(name, place, text string) {
	if text = strings.TrimSpace(text); tools.Blank(text) {
		return
	}
	if !slices.Contains(i.names, name) {
		i.names = append(i.names, name)
	}
	if i.texts == nil {
		i.field = place
	}
	i.texts, i.bytes = append(i.texts, text), i.bytes+len(text)+len(betweenTexts)
}

const betweenTexts = "\n\n"

// Names returns the fields that the texts came in.
func (i *Instructed) Names() []string { return i.names }

// For returns the instructions that the app's model is sent: none, unless the app allows them.
func (i *Instructed) For(app *config.App) (string, error) {
	switch {
	case len(i.texts) == 0 || app.ClientInstructions == config.InstructionsIgnore:
		return "", nil
	case app.ClientInstructions == config.InstructionsRefuse:
		return "", &chat.Error{Code: chat.CodeInstructionsOff, Detail: "client_instructions_off", Params: map[string]any{"Field": i.field}}
	case i.bytes-len(betweenTexts) > MaxInstructions:
		return "", Invalid("instructions_too_long", i.field, map[string]any{"Max": "32 KiB"})
	}
	return strings.Join(i.texts, betweenTexts), nil
}
