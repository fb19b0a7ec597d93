package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

// hookPatience is how long a gateway may be out of reach before the terminal asks instead.
const hookPatience = 3 * time.Second

// goodbye is how long the withdrawal of a question may take, when the hook itself is ended.
const goodbye = 2 * time.Second

// maxTitle is how long the title of an asker may be.
const maxTitle = 200

// maxShown is how much of a tool's input a person can be shown: ask_user's limit of a context.
const maxShown = 500

func hookCommand() *cobra.Command {
	hook := &cobra.Command{Use: "hook", Short: "Answer a coding agent's questions from any screen, as its hook", Example: "  askgate hook claude-code --help", Args: noArguments, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("askgate hook: say whose: askgate hook claude-code --help")}
	}}
	var a asked
	claude := &cobra.Command{
		Use:   "claude-code",
		Short: "Be the hook for AskUserQuestion and permissions of Claude Code",
		Long: `Reads the JSON of a hook of Claude Code on stdin. What AskUserQuestion asks (PreToolUse), and whether
a tool may be used (PermissionRequest), is asked through a gateway; the answer is printed as the hook's
output. On any fault, where the gateway cannot be reached within 3 s, and when the question ends
otherwise than answered, it prints nothing and exits with 0: the terminal asks, as without the hook.
Why, it says on stderr.

` + whichGateway,
		Example: `  In .claude/settings.json (the timeout is in seconds):
  {"hooks": {"PreToolUse": [{"matcher": "AskUserQuestion", "hooks": [
    {"type": "command", "command": "askgate hook claude-code", "timeout": 86400}]}]}}`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if len(args) > 0 {
				err = noArguments(cmd, args)
			} else {
				err = a.hook(cmd)
			}
			if err != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "askgate hook:", err)
			}
			return nil
		},
	}
	// Another exit code than 0 would block the tool or trouble the person.
	claude.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		fmt.Fprintln(cmd.ErrOrStderr(), "askgate hook:", err)
		return ended{code: exitOK}
	})
	a.register(claude)
	hook.AddCommand(claude)
	return hook
}

// hookInput is what Claude Code tells a hook, as far as it matters here.
type hookInput struct {
	SessionID string                     `json:"session_id"`
	Directory string                     `json:"cwd"`
	Event     string                     `json:"hook_event_name"`
	Tool      string                     `json:"tool_name"`
	CallID    string                     `json:"tool_use_id"`
	Input     map[string]json.RawMessage `json:"tool_input"`
}

const claudesQuestions = "AskUserQuestion"

// hook asks what the hook is about, and prints the answer.
func (a *asked) hook(cmd *cobra.Command) error {
	data, err := readInput(cmd, "needs the JSON of a hook")
	if err != nil {
		return err
	}
	var in hookInput
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("stdin is no JSON of a hook: %w", err)
	}
	var asking client.Asking
	var output func(*client.Clarification) (any, error)
	switch {
	case in.Event == "PreToolUse" && in.Tool == claudesQuestions:
		output = in.answers
		asking, err = client.Read(data)
		if in.SessionID != "" && in.CallID != "" { // the hook may be called again for the same call
			asking.Key = in.SessionID + "/" + in.CallID
		}
	case in.Event == "PermissionRequest" && in.Tool != claudesQuestions:
		output = decision
		asking, err = in.permission()
	default:
		return fmt.Errorf("nothing to ask for %s of %s", tools.Clean(in.Event), tools.Clean(in.Tool))
	}
	if err != nil {
		return err
	}
	if err := a.fill(&asking); err != nil {
		return err
	}
	if asking.By.Name == "" {
		asking.By.Name = "claude-code"
	}
	if asking.By.Title == "" && in.Directory != "" {
		folder := strings.Join(strings.Fields(tools.Clean(filepath.Base(in.Directory))), " ")
		asking.By.Title = tools.Shorten("Claude Code: "+folder, maxTitle)
	}
	closed, err := a.askWithin(cmd.Context(), asking)
	if err != nil {
		return err
	}
	if closed.State != tools.StateAnswered {
		return fmt.Errorf("the question %s was closed without an answer: %s", closed.ID, closed.State)
	}
	out, err := output(closed)
	if err != nil {
		return err
	}
	printed := json.NewEncoder(cmd.OutOrStdout())
	printed.SetEscapeHTML(false)
	return printed.Encode(map[string]any{"hookSpecificOutput": out})
}

// askWithin asks a gateway that is there within hookPatience, and waits. A question that
// nobody waits for any more, because the hook is ended, is withdrawn.
func (a *asked) askWithin(parent context.Context, asking client.Asking) (*client.Clarification, error) {
	ctx, stop := untilSignal(parent)
	defer stop()
	c, err := connect(nil)
	if err != nil {
		return nil, err
	}
	reach, reached := context.WithTimeoutCause(ctx, hookPatience, fmt.Errorf("the gateway cannot be reached within %v", hookPatience))
	defer reached()
	app, err := chooseApp(reach, c, a.app)
	if err != nil {
		return nil, err
	}
	stored, err := c.Ask(reach, app, asking)
	if err != nil {
		return nil, err
	}
	closed, err := c.Wait(ctx, stored.ID)
	if errors.As(err, &interrupted{}) {
		leaving, left := context.WithTimeout(parent, goodbye)
		defer left()
		_, _ = c.Cancel(leaving, stored.ID) // if it does not succeed, the question stays until it expires
	}
	return closed, err
}

// answers are the output for AskUserQuestion: its own input, with the answers by the text of
// their question.
func (in *hookInput) answers(c *client.Clarification) (any, error) {
	var asked []struct {
		Question string `json:"question"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
	}
	if err := json.Unmarshal(in.Input["questions"], &asked); err != nil {
		return nil, err
	}
	values := c.Values()
	if len(values) != len(asked) {
		return nil, fmt.Errorf("the answer to %s is not one to %d questions", c.ID, len(asked))
	}
	answers, notes := map[string]string{}, map[string]any{}
	for i, q := range asked {
		texts := values[i].Values
		if len(texts) == 0 {
			continue // declined alone
		}
		for at, value := range texts {
			for _, o := range c.Questions[i].Options {
				if o.Value == value {
					texts[at] = o.Label
				}
			}
			for _, o := range q.Options { // as Claude Code spells it
				if strings.TrimSpace(o.Label) == texts[at] {
					texts[at] = o.Label
				}
			}
		}
		answers[q.Question] = strings.Join(texts, ", ")
		if note := noteOf(c, i); note != "" {
			notes[q.Question] = map[string]string{"notes": note}
		}
	}
	if len(answers) == 0 {
		return nil, fmt.Errorf("the question %s has no answer", c.ID)
	}
	updated := map[string]any{"questions": in.Input["questions"], "answers": answers}
	if len(notes) > 0 {
		updated["annotations"] = notes
	}
	return map[string]any{"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": updated}, nil
}

// noteOf is what the person wrote beside the answer to question i.
func noteOf(c *client.Clarification, i int) string {
	if i < len(c.Answer.Answers) && c.Answer.Answers[i].Note != "" {
		return c.Answer.Answers[i].Note
	}
	if i == 0 {
		return c.Answer.Note
	}
	return ""
}

// permission asks whether a tool may be used. What does not fit on the screen is not asked:
// nobody may allow what was not shown whole.
func (in *hookInput) permission() (client.Asking, error) {
	shown := in.shown()
	if n := utf8.RuneCountInString(shown); n > maxShown {
		return client.Asking{}, fmt.Errorf("the input of %s has %d characters, and %d can be shown: it is left to the terminal", tools.Clean(in.Tool), n, maxShown)
	}
	return client.Asking{Questions: []client.Question{{
		Question: fmt.Sprintf("May the agent use %s?", in.Tool), Header: "Permission", InputType: tools.Confirm, Context: shown,
	}}}, nil
}

// shown is a tool's input for people: name and value of each argument, every character visible.
func (in *hookInput) shown() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(in.Input)) {
		text := string(in.Input[name])
		_ = json.Unmarshal(in.Input[name], &text) // what is no text stays JSON
		if visible := tools.Clean(text); visible != text {
			text = string(in.Input[name])
		}
		fmt.Fprintf(&b, "%s: %s\n", name, text)
	}
	return strings.TrimSpace(b.String())
}

// decision is the output for PermissionRequest.
func decision(c *client.Clarification) (any, error) {
	var values []string
	for _, v := range c.Values() {
		values = append(values, v.Values...)
	}
	made := map[string]string{}
	switch {
	case slices.Equal(values, []string{"yes"}):
		made["behavior"] = "allow"
	case slices.Equal(values, []string{"no"}):
		made["behavior"], made["message"] = "deny", "The user refused."
		if note := noteOf(c, 0); note != "" {
			made["message"] = note
		}
	default:
		return nil, fmt.Errorf("the answer to %s is neither yes nor no", c.ID)
	}
	return map[string]any{"hookEventName": "PermissionRequest", "decision": made}, nil
}
