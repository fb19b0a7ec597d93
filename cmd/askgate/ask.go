package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

// asked holds the flags of the commands that ask.
type asked struct {
	options                       []string
	inputType                     string
	to, app, name, title, expires string
	withdraw                      string
	escalate                      []string
	asJSON                        bool
	toSet                         func() bool // whether --to was given, even if empty
}

func (a *asked) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.to, "to", "", "who is asked: a subject, or role:NAME for those with that role; default: the key's subject")
	a.toSet = func() bool { return cmd.Flags().Changed("to") }
	cmd.Flags().StringVar(&a.app, "app", "", "app that asks; default: ASKGATE_APP, or the only one")
	cmd.Flags().StringVar(&a.name, "as", "", "name under which the program asks, such as deploy; each name has its own chat")
	cmd.Flags().StringVar(&a.title, "title", "", "text next to the name, such as \"CI #4711\"")
	cmd.Flags().StringVar(&a.expires, "expires-in", "", "how long the question waits at most, such as 30m or 2d; default: as long as the app allows")
}

// fill adds the values of the flags to a question.
func (a *asked) fill(asking *client.Asking) error {
	if a.expires != "" {
		if d, err := tools.ParseDuration(a.expires); err != nil || d <= 0 {
			return usageError{fmt.Errorf("--expires-in %q is not a duration; write it like 30m, 12h or 2d", a.expires)}
		}
	}
	if a.withdraw != "" {
		if d, err := tools.ParseDuration(a.withdraw); err != nil || d < 10*time.Second || d > 30*24*time.Hour {
			return usageError{fmt.Errorf("--withdraw-when-gone %q is not a duration from 10s to 30d; write it like 10m or 2d", a.withdraw)}
		}
	}
	asking.WithdrawWhenGone, asking.ExpiresIn, asking.By.Name, asking.By.Title = a.withdraw, a.expires, a.name, a.title
	if a.name == "" && a.title != "" {
		asking.By.Name = "askgate ask" // the gateway's own name is refused
	}
	for _, text := range a.escalate {
		step, err := readStep(text)
		if err != nil {
			return err
		}
		asking.Escalate = append(asking.Escalate, step)
	}
	role, toRole := strings.CutPrefix(a.to, "role:")
	switch {
	case a.toSet() && (a.to == "" || toRole && role == ""): // from an empty shell variable; without this check the caller would be asked
		return usageError{fmt.Errorf("--to %q does not name anyone; write a subject or role:NAME, or omit it to ask the key's subject", a.to)}
	case toRole:
		asking.ToRole = role
	case len(a.escalate) > 0 && (a.toSet() || asking.Arguments == nil): // JSON may name a role
		return usageError{errors.New("--escalate works only in a question to a role, since others would read a person's chat; add --to role:NAME")}
	default:
		asking.To = a.to
	}
	return nil
}

// readStep reads a step of --escalate.
func readStep(text string) (client.Escalation, error) {
	after, role, _ := strings.Cut(text, "=")
	role, toRole := strings.CutPrefix(role, "role:")
	d, err := tools.ParseDuration(after)
	if !toRole || role == "" || err != nil || d < tools.MinEscalation || d > tools.MaxEscalation {
		return client.Escalation{}, usageError{fmt.Errorf("--escalate %q is not a duration from 1s to 365d and a role; write it like 1d=role:lead", text)}
	}
	return client.Escalation{After: after, To: client.Role{Role: role}}, nil
}

func askCommand() *cobra.Command {
	var a asked
	cmd := &cobra.Command{
		Use:   "ask [QUESTION]",
		Short: "Ask a person, wait, and print the answer",
		Long: `Asks a person through a gateway, waits until the question is closed, and prints the answer: the
values, one per line, and "id: value" for a form. Text is printed as typed, except for
control characters, which are printed as escapes (\u001b). It keeps waiting after lost connections and
restarts of the gateway.

Without QUESTION it reads JSON from stdin: a question or form as ask_user takes it, AskUserQuestion of
Claude Code, request_user_input of Codex, or an elicitation of MCP.

` + exits + `

` + whichGateway,
		Example: `  askgate ask "Deploy now?" --option yes --option no
  askgate ask "Which region?" --option eu=Europe --option us="United States" --to role:oncall
  askgate ask "Version?" --type text --as release --title "CI #4711" --expires-in 2h
  [ "$(askgate ask "Delete the old backups?" --type confirm)" = yes ] && ./delete.sh
  echo '{"questions": [{"id": "env", "question": "Where?", "options": ["test", "live"]},
    {"id": "day", "question": "When?", "input_type": "date"}]}' | askgate ask`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{fmt.Errorf("askgate ask: the question must be one argument, not %d; put it in quotes", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			asking, err := a.asking(cmd, args)
			if err != nil {
				return err
			}
			return a.ask(cmd, asking)
		},
	}
	cmd.Flags().StringVar(&a.withdraw, "withdraw-when-gone", "", "withdraws the question when neither ask nor wait has waited for its answer for that long, 10s to 30d; default: never")
	cmd.Flags().StringArrayVar(&a.escalate, "escalate", nil, "who may answer, too, if no one has answered after a time, as 1d=role:NAME; requires --to role:NAME; may be repeated, with growing times")
	cmd.Flags().StringArrayVar(&a.options, "option", nil, "an option, as VALUE or VALUE=LABEL; may be repeated")
	cmd.Flags().StringVar(&a.inputType, "type", "", "text, select, multiselect, confirm, number, date, datetime, scale or rank; default: select with options, otherwise text")
	a.register(cmd)
	cmd.Flags().BoolVar(&a.asJSON, "json", false, "print the whole clarification as JSON, however it ended")
	return cmd
}

// asking reads the question from the arguments or from stdin.
func (a *asked) asking(cmd *cobra.Command, args []string) (asking client.Asking, err error) {
	if len(args) == 0 {
		if len(a.options) > 0 || a.inputType != "" {
			return asking, usageError{errors.New("askgate ask: --option and --type need QUESTION; in JSON, put them next to the question")}
		}
		data, err := readInput(cmd, "needs QUESTION", maxInput)
		if err != nil {
			return asking, err
		}
		if asking, err = client.Read(data); err != nil {
			return asking, fmt.Errorf("askgate ask: stdin: %w", err)
		}
		return asking, a.fill(&asking)
	}
	question := client.Question{Question: args[0], InputType: tools.InputType(a.inputType)}
	for _, option := range a.options {
		value, label, titled := strings.Cut(option, "=")
		if !titled {
			label = value
		}
		question.Options = append(question.Options, client.Option{Label: label, Value: value})
	}
	asking.Questions = []client.Question{question}
	return asking, a.fill(&asking)
}

// ask asks, waits and prints.
func (a *asked) ask(cmd *cobra.Command, asking client.Asking) error {
	ctx, stop := untilSignal(cmd.Context())
	defer stop()
	line := newProgress(cmd)
	defer line.end()
	c, err := connect(line.trouble)
	if err != nil {
		return err
	}
	line.say("Asking ...")
	app, err := chooseApp(ctx, c, a.app)
	if err != nil {
		return signalled(err, "")
	}
	stored, err := c.Ask(ctx, app, asking)
	if len(a.options) > 0 && a.inputType != "" && aboutOptions(err) {
		return usageError{fmt.Errorf("askgate ask: --option does not go with --type %s; use --type select, or omit the options", a.inputType)}
	}
	if err != nil {
		return signalled(withHint(err, fmt.Sprintf("there is no app %q, or the key may not use it; name another with --app or ASKGATE_APP", app)), "")
	}
	line.end()
	fmt.Fprintf(cmd.ErrOrStderr(), "Asked %s. Answer on the page %s/, or with: askgate answer %s VALUE\n", stored.ID, strings.TrimRight(c.URL(), "/"), stored.ID)
	return await(ctx, cmd, c, line, stored.ID, a.asJSON)
}

// aboutOptions reports whether the gateway refused a question because its type cannot have options.
func aboutOptions(err error) bool {
	var p *client.Problem
	return errors.As(err, &p) && len(p.Errors) > 0 && p.Errors[0].Field == "options" && p.Errors[0].Code == "options_type"
}

func waitCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "wait ID",
		Short: "Wait for the answer to an earlier question, and print it",
		Long: `Waits until the question ID is closed, and prints the answer as ask does, or immediately if it
is already closed. A program that was interrupted can continue with it.

` + exits + `

` + whichGateway,
		Example: "  askgate wait clr_igccsxtb5haoj4puh6ftvdpyap",
		Args:    oneID,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			line := newProgress(cmd)
			defer line.end()
			c, err := connect(line.trouble)
			if err != nil {
				return err
			}
			return await(ctx, cmd, c, line, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the whole clarification as JSON, however it ended")
	return cmd
}

func oneID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || args[0] == "" {
		return usageError{fmt.Errorf("%s: name one question by its id, such as clr_igcc...; askgate pending lists those that wait for you", cmd.CommandPath())}
	}
	return nil
}

// await waits until a clarification is closed, prints the answer, and returns how the command ends.
func await(ctx context.Context, cmd *cobra.Command, c *client.Client, line *progress, id string, asJSON bool) error {
	line.say("Waiting for the answer to " + id + " ...")
	closed, err := c.Wait(ctx, id)
	line.end()
	if err != nil {
		return signalled(withHint(err, noQuestion(id)), "The question stays open. To wait for it again: askgate wait "+id)
	}
	if asJSON {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", oneLine(closed.JSON)); err != nil {
			return err
		}
	} else if err := printValues(cmd.OutOrStdout(), closed); err != nil {
		return err
	}
	by := ""
	if closed.AnsweredBy != nil {
		by = " by " + tools.Visible(closed.AnsweredBy.Subject)
	}
	if closed.Answer != nil && closed.Answer.Note != "" && !asJSON {
		fmt.Fprintf(cmd.ErrOrStderr(), "Note%s: %s\n", by, tools.Visible(closed.Answer.Note))
	}
	switch closed.State {
	case tools.StateAnswered:
		return nil
	case tools.StateSkipped, tools.StateDeclined:
		return ended{exitRefused, fmt.Errorf("The question was %s%s.", closed.State, by)} //nolint:staticcheck // a sentence for people
	default:
		return ended{exitClosed, fmt.Errorf("The question was closed without an answer: %s%s.", closed.State, by)} //nolint:staticcheck // likewise
	}
}

// printValues prints the answer for scripts. In a form, the further lines of a text are indented, so
// that it cannot look like the answer to another question. Control characters are escaped.
func printValues(w io.Writer, c *client.Clarification) error {
	var b strings.Builder
	for _, v := range c.Values() {
		for _, text := range v.Values {
			if len(c.Questions) > 1 {
				text = v.ID + ": " + strings.NewReplacer("\r\n", "\n  ", "\n", "\n  ", "\r", "\n  ").Replace(text)
			}
			b.WriteString(tools.Visible(text) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
