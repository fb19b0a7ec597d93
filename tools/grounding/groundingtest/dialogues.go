package groundingtest

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/askgate/askgate/tools/grounding"
)

//go:embed dialogues
var dialogueFiles embed.FS

// Parts are the parts that Dialogues knows.
var Parts = []string{"tuning", "apart", "after", "last", "fourth", "fifth", "sixth", "seventh", "eighth"}

// Dialogues returns the chats of a part, written by hand in four languages. "tuning" was used
// to develop the detector. "apart" never led to a change. "after" was written later and then
// examined too. "last" was written after the next-to-last change. "fourth" to "eighth" were
// measured before anyone examined them.
//
//	dialogue NAME DAY
//	user: WORDS        also "assistant: " and "tool: "
//	call               the arguments of one call follow
//	+ KIND NAME JSON [of VALUE|VALUE]    was said; the values of an enumeration
//	- KIND NAME JSON                     was not said
func Dialogues(part string) []Case {
	text, err := dialogueFiles.ReadFile("dialogues/" + part + ".txt")
	if err != nil {
		panic(err)
	}
	var cases []Case
	for block := range strings.SplitSeq(string(text), "\n\n") {
		if strings.HasPrefix(block, "dialogue ") {
			cases = append(cases, readDialogue(strings.TrimSpace(block))...)
		}
	}
	return cases
}

func readDialogue(block string) (cases []Case) {
	var name string
	var now time.Time
	var texts []grounding.Text
	claimed := "" // the assistant's last message
	for line := range strings.SplitSeq(block, "\n") {
		key, rest, _ := strings.Cut(line, " ")
		switch key {
		case "dialogue":
			var day string
			name, day, _ = strings.Cut(rest, " ")
			now = must(time.Parse("2006-01-02 15:04", day+" 12:00"))
		case "assistant:":
			claimed = rest
		case "user:":
			if claimed != "" && grounding.Agrees(rest) {
				texts = append(texts, grounding.Text{Content: claimed, At: now})
			}
			fallthrough
		case "tool:":
			texts = append(texts, grounding.Text{Content: rest, At: now})
		case "call":
			cases = append(cases, Case{Name: name, Texts: texts, Now: now, Arguments: "{}", Schema: json.RawMessage(`{}`)})
		case "+", "-":
			cases[len(cases)-1].argument(key == "+", rest)
		default:
			panic(fmt.Sprintf("%s: what is %q?", name, line))
		}
	}
	return cases
}

// argument adds an argument to the call of a case.
func (c *Case) argument(said bool, line string) {
	fields := strings.SplitN(line, " ", 3)
	kind, name := fields[0], fields[1]
	value, options, enum := strings.Cut(fields[2], " of ")
	rules := map[string]any{}
	if enum {
		rules["enum"] = strings.Split(options, "|")
	}
	given, schema := map[string]json.RawMessage{}, struct {
		Required   []string       `json:"required"`
		Properties map[string]any `json:"properties"`
	}{Properties: map[string]any{}}
	if err := json.Unmarshal([]byte(c.Arguments), &given); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(c.Schema, &schema); err != nil {
		panic(err)
	}
	given[name] = json.RawMessage(value)
	schema.Required = append(schema.Required, name)
	schema.Properties[name] = rules
	c.Arguments, c.Schema = string(must(json.Marshal(given))), must(json.Marshal(schema))
	pointer := "/" + name
	if value[0] == '[' { // a list of one element
		pointer += "/0"
	}
	c.Known = append(c.Known, Argument{pointer, kind, value, said})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
