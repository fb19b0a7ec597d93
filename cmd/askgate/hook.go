package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/gateway/client/hook"
)

// hookPatience is how long the hook tries to reach the gateway before it leaves the question to the
// terminal.
const hookPatience = 3 * time.Second

// goodbye is how long the withdrawal of a question may take after a signal ended the hook.
const goodbye = 2 * time.Second

// maxHook limits the input of a hook, in bytes. After a call it contains the result of the tool.
const maxHook = 64 << 20

func hookCommand() *cobra.Command {
	group := &cobra.Command{Use: "hook", Short: "Answer a coding agent's questions from any screen, as its hook", Example: "  askgate hook claude-code --help", Args: noArguments, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("askgate hook: name the agent; see: askgate hook claude-code --help")}
	}}
	group.AddCommand(
		hookOf(hook.ClaudeCode, &cobra.Command{
			Use:   "claude-code",
			Short: "Act as the hook for AskUserQuestion and permissions of Claude Code",
			Long: `Reads the JSON of a Claude Code hook from stdin. For PermissionRequest it asks through a gateway what
AskUserQuestion asks, or whether a tool may be used. The terminal asks at the same time; the first
answer counts, and is printed as the output of the hook. PostToolUse, PostToolUseFailure, Stop and
SessionEnd withdraw questions that were decided in the terminal.

If anything fails, the gateway cannot be reached within 3 s, or the question ends without an answer,
the hook prints nothing and exits with 0: the terminal asks, as without the hook. The reason is on
stderr.

` + whichGateway,
			Example: `  In .claude/settings.json (the timeout is in seconds):
  {"hooks": {
    "PermissionRequest": [{"matcher": "AskUserQuestion|Bash|Edit|Write", "hooks": [
      {"type": "command", "command": "askgate hook claude-code", "timeout": 86400}]}],
    "PostToolUse": [{"matcher": "AskUserQuestion|Bash|Edit|Write", "hooks": [
      {"type": "command", "command": "askgate hook claude-code", "timeout": 10}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "askgate hook claude-code", "timeout": 10}]}]}}`,
		}),
		hookOf(hook.Codex, &cobra.Command{
			Use:   "codex",
			Short: "Act as the hook for request_user_input and permissions of Codex",
			Long: `Reads the JSON of a Codex hook from stdin. It asks through a gateway what request_user_input asks
(PreToolUse), or whether a command may run (PermissionRequest), and prints the answer as the output of
the hook. A call of request_user_input is denied with the answer as the reason, so that Codex
continues with the answer in every mode.

If anything fails, the gateway cannot be reached within 3 s, or the question ends without an answer,
the hook prints nothing and exits with 0: the terminal asks, as without the hook. The reason is on
stderr.

` + whichGateway,
			Example: `  In ~/.codex/hooks.json (the timeout is in seconds):
  {"hooks": {"PreToolUse": [{"matcher": "^request_user_input$", "hooks": [
    {"type": "command", "command": "askgate hook codex", "timeout": 86400}]}]}}`,
		}),
	)
	return group
}

// hookOf turns cmd into the hook of an agent. It always exits with 0.
func hookOf(agent hook.Agent, cmd *cobra.Command) *cobra.Command {
	var a asked
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		if len(args) > 0 {
			err = noArguments(cmd, args)
		} else {
			err = a.hook(cmd, agent)
		}
		if err != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "askgate hook:", err)
		}
		return nil
	}
	// Any other exit code than 0 would block the tool or show the user an error.
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		fmt.Fprintln(cmd.ErrOrStderr(), "askgate hook:", err)
		return ended{code: exitOK}
	})
	a.register(cmd)
	return cmd
}

// hook asks the question of the hook call and prints the answer, or withdraws questions that the
// terminal has answered.
func (a *asked) hook(cmd *cobra.Command, agent hook.Agent) error {
	data, err := readInput(cmd, "needs the JSON of a hook", maxHook)
	if err != nil {
		return err
	}
	call, err := agent.Read(data)
	switch {
	case err != nil:
		return err
	case call.Nothing != nil:
		return call.Nothing
	case call.Over != "":
		return a.over(cmd.Context(), call)
	}
	own := call.Asking.By
	if err := a.fill(call.Asking); err != nil {
		return err
	}
	by := &call.Asking.By
	by.Name, by.Title = cmp.Or(a.name, own.Name), cmp.Or(a.title, own.Title)
	closed, err := a.askWithin(cmd.Context(), *call.Asking)
	if err != nil {
		return err
	}
	out, err := call.Output(closed)
	if err != nil {
		return err
	}
	printed := json.NewEncoder(cmd.OutOrStdout())
	printed.SetEscapeHTML(false)
	return printed.Encode(out)
}

// errUnreached is the reason that a hook leaves the question to the terminal.
var errUnreached = fmt.Errorf("the gateway cannot be reached within %v", hookPatience)

// over withdraws the questions that the terminal has answered, within hookPatience.
func (a *asked) over(parent context.Context, call *hook.Call) error {
	ctx, done := context.WithTimeoutCause(parent, hookPatience, errUnreached)
	defer done()
	c, err := connect(nil)
	if err != nil {
		return err
	}
	app, err := chooseApp(ctx, c, a.app)
	if err != nil {
		return err
	}
	return c.Hook(ctx, app, call.Body())
}

// askWithin asks through a gateway that can be reached within hookPatience, and waits for the answer. If
// a signal ends the hook, it withdraws the question.
func (a *asked) askWithin(parent context.Context, asking client.Asking) (*client.Clarification, error) {
	ctx, stop := untilSignal(parent)
	defer stop()
	c, err := connect(nil)
	if err != nil {
		return nil, err
	}
	reach, reached := context.WithTimeoutCause(ctx, hookPatience, errUnreached)
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
		_, _ = c.Cancel(leaving, stored.ID) // if this fails, the question stays until it expires
	}
	return closed, err
}
