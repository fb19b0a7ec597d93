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

// Dialogues are chats that were written by hand in four languages, of a part: "tuning", which
// the detector was looked at with, "apart", which nothing was changed by, "after", which was
// written then and looked at in turn, "last", which was written after the change before the last;
// "fourth" to "eighth", which were measured before they were looked at.
//
//	dialogue NAME DAY
//	user: WORDS        also "assistant: " and "tool: "
//	call               what follows are arguments of one call
//	+ KIND NAME JSON [of VALUE|VALUE]    that was said; of an enumeration, its values
//	- KIND NAME JSON                     that was not
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
	claimed := "" // what the assistant said last
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

// argument adds one to the call of a case.
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
	if value[0] == '[' { // of one element
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
