package hook

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

// Agent is a program whose hooks are answered.
type Agent struct {
	Name  string // as an asker, and in keys
	title string
	tool  string // that asks the person
}

// The agents.
var (
	ClaudeCode = Agent{Name: "claude-code", title: "Claude Code", tool: "AskUserQuestion"}
	Codex      = Agent{Name: "codex", title: "Codex", tool: "request_user_input"}
)

// MaxInput is how many bytes of a call's input a person is shown, as Visible text. What is longer is
// left to the terminal: a call can only be allowed if it was shown whole.
const MaxInput = 256 << 10

// maxTitle is how many code points the title of an asker may have.
const maxTitle = 200

// input has the fields of an agent's input to a hook that matter here.
type input struct {
	SessionID   string                     `json:"session_id"`
	Directory   string                     `json:"cwd"`
	Event       string                     `json:"hook_event_name"`
	Tool        string                     `json:"tool_name"`
	CallID      string                     `json:"tool_use_id"`
	Input       map[string]json.RawMessage `json:"tool_input"`
	Suggestions []json.RawMessage          `json:"permission_suggestions"`
}

// Call is the meaning of a hook's input: one of Asking, Over and Nothing is set.
type Call struct {
	Asking *client.Asking // what to ask; To, ToRole and ExpiresIn are the caller's to set
	// Over is the prefix of the idempotency keys of questions that the agent no longer waits for.
	Over string
	// Nothing says why nothing is asked.
	Nothing error

	in      input
	output  func(*client.Clarification) (any, error)
	choices map[string]json.RawMessage // suggestions by the value of their option
}

// Read reads the JSON that an agent gives its hook. An error says that it is not that JSON.
func (a Agent) Read(data []byte) (*Call, error) {
	c := &Call{}
	if err := json.Unmarshal(data, &c.in); err != nil {
		return nil, fmt.Errorf("this is not the JSON of a hook: %w", err)
	}
	session := a.Name + "/" + mark(c.in.SessionID) + "/"
	call := session + mark(c.in.Tool, c.canonical(a.tool)) + "/"
	switch event, asks := c.in.Event, c.in.Tool == a.tool; {
	case event == "PreToolUse" && asks:
		c.questions(a)
	case event == "PermissionRequest" && asks && a == ClaudeCode:
		c.questions(a)
	case event == "PermissionRequest" && !asks:
		c.permission(a)
	case c.in.SessionID != "" && (event == "PostToolUse" || event == "PostToolUseFailure"):
		c.Over = call
	case c.in.SessionID != "" && (event == "Stop" || event == "SessionEnd"):
		c.Over = session
	default:
		c.Nothing = fmt.Errorf("nothing to ask for %s of %s", tools.Clean(event), tools.Clean(c.in.Tool))
	}
	if c.Nothing != nil {
		c.Asking = nil
	}
	if c.Asking == nil {
		return c, nil
	}
	if c.in.SessionID != "" {
		c.Asking.Key = call + rand.Text()
		if c.in.Event == "PreToolUse" && c.in.CallID != "" { // the hook may be called again for the same call
			c.Asking.Key = call + mark(c.in.CallID)
		}
	}
	c.Asking.By = tools.Asker{Name: a.Name, Title: a.title}
	if folder := oneLine(filepath.Base(c.in.Directory)); c.in.Directory != "" && folder != "" {
		c.Asking.By.Title = tools.Shorten(a.title+": "+folder, maxTitle)
	}
	return c, nil
}

// oneLine is a text as a name: on one line, without what is not seen.
func oneLine(s string) string { return strings.Join(strings.Fields(tools.Clean(s)), " ") }

// canonical is the input as the same text for the same call, whatever its order and white space.
func (c *Call) canonical(asks string) string {
	in := c.in.Input
	if c.in.Tool == asks {
		in = map[string]json.RawMessage{"questions": in["questions"]}
	}
	all, _ := json.Marshal(in) // what was read can be written
	var v any
	d := json.NewDecoder(strings.NewReader(string(all)))
	d.UseNumber()
	_ = d.Decode(&v)
	same, _ := json.Marshal(v)
	return string(same)
}

// mark identifies texts, without telling them.
func mark(texts ...string) string {
	h := sha256.New()
	for _, s := range texts {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// Output returns what the hook prints for the answer to Asking. The error says why it prints nothing.
func (c *Call) Output(closed *client.Clarification) (any, error) {
	if closed.State != tools.StateAnswered {
		return nil, fmt.Errorf("the question %s was closed without an answer: %s", closed.ID, closed.State)
	}
	out, err := c.output(closed)
	if err != nil {
		return nil, err
	}
	return map[string]any{"hookSpecificOutput": out}, nil
}

// questions asks what the agent's own tool asks.
func (c *Call) questions(a Agent) {
	own, err := json.Marshal(map[string]any{"tool_input": c.in.Input})
	var asking client.Asking
	if err == nil {
		asking, err = client.Read(own)
	}
	c.Asking, c.Nothing, c.output = &asking, err, c.answers
	if a == Codex {
		c.output = c.told
	}
}

// answer is the answer to one question of an agent's tool: its labels as the agent spells them.
type answer struct {
	question      string
	texts         []string // none where it was skipped or declined
	preview, note string
}

// answered are the answers to all questions, in their order.
func (c *Call) answered(closed *client.Clarification) ([]answer, error) {
	var asked []struct {
		Question string `json:"question"`
		Options  []struct {
			Label   string `json:"label"`
			Preview string `json:"preview"`
		} `json:"options"`
	}
	if err := json.Unmarshal(c.in.Input["questions"], &asked); err != nil {
		return nil, err
	}
	values := closed.Values()
	if len(values) != len(asked) || len(closed.Questions) != len(asked) {
		return nil, fmt.Errorf("the answer to %s is not one to %d questions", closed.ID, len(asked))
	}
	list, any := make([]answer, len(asked)), false
	for i, q := range asked {
		one := answer{question: q.Question, texts: values[i].Values, note: noteOf(closed, i)}
		any = any || len(one.texts) > 0
		for at, value := range one.texts {
			for _, o := range closed.Questions[i].Options {
				if o.Value == value {
					one.texts[at] = o.Label
				}
			}
			for _, o := range q.Options {
				if strings.TrimSpace(o.Label) == one.texts[at] {
					one.texts[at], one.preview = o.Label, cmp.Or(one.preview, o.Preview)
				}
			}
		}
		list[i] = one
	}
	if !any {
		return nil, fmt.Errorf("the question %s has no answer", closed.ID)
	}
	return list, nil
}

// answers are the output for AskUserQuestion: its own input, with the answers by the text of
// their question.
func (c *Call) answers(closed *client.Clarification) (any, error) {
	list, err := c.answered(closed)
	if err != nil {
		return nil, err
	}
	answers, notes := map[string]string{}, map[string]any{}
	for _, one := range list {
		if len(one.texts) == 0 {
			continue // declined alone
		}
		answers[one.question] = strings.Join(one.texts, ", ")
		extra := map[string]string{}
		if one.preview != "" {
			extra["preview"] = one.preview
		}
		if one.note != "" {
			extra["notes"] = one.note
		}
		if len(extra) > 0 {
			notes[one.question] = extra
		}
	}
	updated := map[string]any{}
	for name, value := range c.in.Input {
		updated[name] = value
	}
	updated["answers"] = answers
	if len(notes) > 0 {
		updated["annotations"] = notes
	}
	if c.in.Event == "PermissionRequest" {
		return decided(map[string]any{"behavior": "allow", "updatedInput": updated}), nil
	}
	return map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": updated}, nil
}

// told is the output for request_user_input: the call is denied, as its answers are here.
func (c *Call) told(closed *client.Clarification) (any, error) {
	list, err := c.answered(closed)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("The user has answered already, on another screen. This is not a refusal: go on with the answers, and do not ask again.")
	for _, one := range list {
		text := "(no answer)"
		if len(one.texts) > 0 {
			text = strings.Join(one.texts, ", ")
		}
		fmt.Fprintf(&b, "\n\nQuestion: %s\nThe user's answer: %s", tools.Indented(one.question), tools.Indented(text))
		if one.note != "" {
			fmt.Fprintf(&b, "\nThe user's note: %s", tools.Indented(one.note))
		}
	}
	b.WriteString("\n\nThis is all that the user answered") // Codex goes on behind it: ". Tool: request_user_input"
	return map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": b.String()}, nil
}

// noteOf returns the note that the user added to the answer to question i.
func noteOf(c *client.Clarification, i int) string {
	if i < len(c.Answer.Answers) && c.Answer.Answers[i].Note != "" {
		return c.Answer.Answers[i].Note
	}
	if i == 0 {
		return c.Answer.Note
	}
	return ""
}

// permission asks whether a tool may be used.
func (c *Call) permission(a Agent) {
	text := c.in.text()
	if len(text) > MaxInput {
		c.Nothing = fmt.Errorf("the input of %s has %d bytes, and %d can be shown: it is left to the terminal", tools.Clean(c.in.Tool), len(text), MaxInput)
		return
	}
	q := client.Question{Question: "Allow " + oneLine(c.in.Tool), Header: "Permission", InputType: tools.Confirm}
	if first := firstLine(text); first != "" {
		q.Question += ": " + first
	}
	q.Question = tools.Shorten(q.Question, maxQuestion)
	if a == ClaudeCode {
		c.suggest(&q)
	}
	c.Asking, c.output = &client.Asking{Questions: []client.Question{q}, Details: text}, c.decision
}

// maxQuestion is how many code points a question may have.
const maxQuestion = 500

// decision is the output for PermissionRequest.
func (c *Call) decision(closed *client.Clarification) (any, error) {
	var values []string
	for _, v := range closed.Values() {
		values = append(values, v.Values...)
	}
	switch {
	case slices.Equal(values, []string{"yes"}):
		return decided(map[string]any{"behavior": "allow"}), nil
	case slices.Equal(values, []string{"no"}):
		return decided(map[string]any{"behavior": "deny", "message": cmp.Or(noteOf(closed, 0), "The user refused.")}), nil
	case len(values) == 1 && c.choices[values[0]] != nil:
		return decided(map[string]any{"behavior": "allow", "updatedPermissions": []json.RawMessage{c.choices[values[0]]}}), nil
	}
	return nil, errors.New("the answer to " + closed.ID + " is neither yes nor no")
}

func decided(decision map[string]any) any {
	return map[string]any{"hookEventName": "PermissionRequest", "decision": decision}
}

// Body returns the agent's input without the parts that do not matter here, such as a tool's result.
func (c *Call) Body() json.RawMessage {
	data, _ := json.Marshal(c.in) // what was read can be written
	return data
}
