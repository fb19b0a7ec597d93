package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

func pendingCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List the questions that wait for you, in all chats",
		Long: `Prints a line for each question that waits for the person of the key: id, app, who asks, and the
question with its options, separated by tabs. Of a call that several people must allow, it says how many
have.

` + whichGateway,
		Example: "  askgate pending\n  askgate pending --json | jq -r .clarificationId",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := connectFor(readPatience, nil)
			if err != nil {
				return err
			}
			list, err := c.Pending(cmd.Context())
			if err != nil {
				return withHint(err, "")
			}
			var b strings.Builder
			for i := range list {
				if asJSON {
					b.Write(append(oneLine(list[i].JSON), '\n'))
				} else {
					b.WriteString(summary(&list[i]) + "\n")
				}
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), b.String())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each clarification as a line of JSON")
	return cmd
}

func oneLine(data json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return data // impossible: it was parsed as JSON before
	}
	return b.Bytes()
}

// indented matches the end of a line of laid out JSON, and the indentation of the next.
var indented = regexp.MustCompile(`\n *`)

// summary formats a question as a line for a terminal. Control characters are escaped, so that what
// others wrote cannot move the cursor.
func summary(c *client.Clarification) string {
	asker := ""
	if c.AskedBy != nil {
		asker = c.AskedBy.Name
		if c.AskedBy.Title != "" {
			asker += " (" + c.AskedBy.Title + ")"
		}
	}
	var texts []string
	for _, q := range c.Questions {
		text := q.Question
		if len(c.Questions) > 1 {
			text = q.ID + ": " + text
		}
		if len(q.Options) > 0 {
			var values []string
			for _, o := range q.Options {
				values = append(values, o.Value)
			}
			text += " [" + strings.Join(values, "|") + "]"
		}
		texts = append(texts, text)
	}
	fields := []string{c.ID, c.App, asker, strings.Join(texts, "; ")}
	for i, field := range fields {
		fields[i] = strings.Join(strings.Fields(tools.Visible(field)), " ")
	}
	line := strings.Join(fields, "\t")
	if c.Kind == tools.KindApproval { // its texts have no line ends, and their spaces count
		line += "; " + tools.Visible(c.ToolName+" "+indented.ReplaceAllString(c.ArgumentsText, " "))
	}
	if c.Quorum > 1 {
		line += "; " + allowedBy(c)
	}
	for _, also := range c.AlsoAsks {
		line += fmt.Sprintf("; since %s, role:%s may answer, too", also.At.UTC().Format(time.RFC3339), tools.Visible(also.Role))
	}
	return line
}

// allowedBy says how many of several people have allowed a call that still waits, and who.
func allowedBy(c *client.Clarification) string {
	people := make([]string, len(c.Decisions))
	for i := range people {
		people[i] = strings.Join(strings.Fields(tools.Visible(c.Decisions[i].By)), " ")
	}
	said := fmt.Sprintf("%d of %d have allowed", len(people), c.Quorum)
	if len(people) > 0 {
		said += ": " + strings.Join(people, ", ")
	}
	return said
}

// answered holds the flags of askgate answer.
type answered struct {
	note, result          string
	skip, decline, forget bool
}

func answerCommand() *cobra.Command {
	var a answered
	cmd := &cobra.Command{
		Use:   "answer ID [VALUE...]",
		Short: "Answer a question that waits for you",
		Long: `Answers the clarification ID: by an option's value or label, yes or no, a number, a date as
2026-12-31, or a text; by several values for a multiselect; by ID=VALUE for each question of a form.
Anything that is not an option is an answer in your own words, if the question allows that. Without
VALUE it reads JSON on stdin, in the same form as the field "answer" of a message. An approval that
takes a result in place of the call is refused with --result TEXT, which the model reads instead.

With --forget it deletes your answer to the closed question ID, wherever it stands. What a model or a
tool made of it stays.

If several people must allow a call, a yes may leave it waiting for others; stderr says so.

Exit codes: 0 if the answer was accepted, 1 if it is invalid (the question stays open) or the question
was already closed, and 2 for a mistake in the command line.

` + whichGateway,
		Example: `  askgate answer clr_igcc... yes --note "after lunch"
  askgate answer clr_igcc... env=live day=2026-12-31
  askgate answer clr_igcc... --decline
  askgate answer clr_igcc... --forget
  askgate answer clr_igcc... --result "I refunded it by hand."
  echo '{"values": ["a", "b"], "other": "c"}' | askgate answer clr_igcc...`,
		Args: func(cmd *cobra.Command, args []string) error { return oneID(cmd, args[:min(1, len(args))]) },
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := connect(nil)
			if err != nil {
				return err
			}
			id, values := args[0], args[1:]
			if a.forget {
				if len(values) > 0 || a.skip || a.decline || a.result != "" || a.note != "" {
					return usageError{errors.New("askgate answer: --forget deletes an answer, and goes with no other; give only the ID")}
				}
				return withHint(c.DeleteAnswer(cmd.Context(), id), noQuestion(id))
			}
			var answer json.RawMessage
			if len(values) == 0 && !a.skip && !a.decline && a.result == "" {
				if answer, err = readInput(cmd, "needs VALUE", maxInput); err != nil {
					return err
				}
				if !json.Valid(answer) {
					return errors.New(`askgate answer: stdin is not JSON; write a VALUE, or JSON such as {"value": "yes"}`)
				}
			} else {
				asked, err := c.Get(cmd.Context(), id)
				if err != nil {
					return withHint(err, noQuestion(id))
				}
				if answer, err = a.read(asked, values); err != nil {
					return err
				}
			}
			now, err := c.Answer(cmd.Context(), id, answer)
			if err != nil {
				return withHint(err, noQuestion(id))
			}
			if now.State == tools.StatePending {
				_, err = fmt.Fprintln(cmd.ErrOrStderr(), "The call still waits: "+allowedBy(now)+".")
			}
			return err
		},
	}
	cmd.Flags().StringVar(&a.note, "note", "", "a note to go with the answer")
	cmd.Flags().StringVar(&a.result, "result", "", "a result in place of the call that waits, which is not made")
	cmd.Flags().BoolVar(&a.skip, "skip", false, "skip the question, if it allows that")
	cmd.Flags().BoolVar(&a.decline, "decline", false, "decline to answer")
	cmd.Flags().BoolVar(&a.forget, "forget", false, "delete your answer to the closed question")
	return cmd
}

// read builds an answer from values. The gateway checks whether it is valid.
func (a *answered) read(c *client.Clarification, values []string) (json.RawMessage, error) {
	answer := map[string]any{}
	ways := 0
	for _, given := range []bool{a.skip, a.decline, a.result != "", len(values) > 0} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return nil, usageError{errors.New("askgate answer: VALUE, --skip, --decline and --result exclude each other; give only one")}
	case a.result != "":
		answer["value"], answer["result"] = false, a.result
	case a.skip:
		answer["skipped"] = true
	case a.decline:
		answer["declined"] = true
	case c.Kind == tools.KindInput:
		answer["result"] = strings.Join(values, " ")
		if json.Valid([]byte(values[0])) && len(values) == 1 {
			answer["result"] = json.RawMessage(values[0])
		}
	case len(c.Questions) == 1:
		var err error
		if answer, err = answerTo(&c.Questions[0], values); err != nil {
			return nil, err
		}
	default:
		of := map[string][]string{}
		for _, v := range values {
			id, value, named := strings.Cut(v, "=")
			if !named || !slices.ContainsFunc(c.Questions, func(q tools.Part) bool { return q.ID == id }) {
				return nil, usageError{fmt.Errorf("askgate answer: %q is not an ID=VALUE of this form; its questions are %s", v, ids(c.Questions))}
			}
			of[id] = append(of[id], value)
		}
		var parts []map[string]any
		for i := range c.Questions {
			part := map[string]any{"skipped": true}
			if given := of[c.Questions[i].ID]; given != nil {
				var err error
				if part, err = answerTo(&c.Questions[i], given); err != nil {
					return nil, err
				}
			}
			parts = append(parts, part)
		}
		answer["answers"] = parts
	}
	if c.Digest != "" {
		answer["digest"] = c.Digest
	}
	if a.note != "" {
		answer["note"] = a.note
	}
	return json.Marshal(answer)
}

func ids(questions []tools.Part) string {
	var list []string
	for _, q := range questions {
		list = append(list, q.ID)
	}
	return strings.Join(list, ", ")
}

// answerTo builds the answer to one question.
func answerTo(q *tools.Part, values []string) (map[string]any, error) {
	if q.InputType.TakesValues() {
		chosen, other := []string{}, []string{}
		for _, v := range values {
			if option, ok := chosenOption(q, v); ok || !q.AllowOther || q.Searchable {
				chosen = append(chosen, option)
			} else {
				other = append(other, v)
			}
		}
		if len(other) > 0 {
			return map[string]any{"values": chosen, "other": strings.Join(other, ", ")}, nil
		}
		return map[string]any{"values": chosen}, nil
	}
	if len(values) != 1 {
		return nil, usageError{fmt.Errorf("askgate answer: question %q takes one value, not %d; put text in quotes", q.ID, len(values))}
	}
	value, known := chosenOption(q, values[0])
	switch {
	case q.InputType == tools.Select && !known && q.AllowOther && !q.Searchable:
		return map[string]any{"other": value}, nil
	case q.OwnWords(value):
		return map[string]any{"other": value}, nil
	case (q.InputType == tools.Number || q.InputType == tools.Scale) && json.Valid([]byte(value)):
		return map[string]any{"value": json.RawMessage(value)}, nil
	}
	return map[string]any{"value": value}, nil
}

// chosenOption returns the value of the option that v names, by its value or else by its label,
// regardless of case if there is no exact match. If no option matches, it returns v and false.
func chosenOption(q *tools.Part, v string) (string, bool) {
	for _, is := range []func(o tools.Option) bool{
		func(o tools.Option) bool { return o.Value == v },
		func(o tools.Option) bool { return o.Label == v },
		func(o tools.Option) bool { return strings.EqualFold(o.Value, v) },
		func(o tools.Option) bool { return strings.EqualFold(o.Label, v) },
	} {
		if i := slices.IndexFunc(q.Options, is); i >= 0 {
			return q.Options[i].Value, true
		}
	}
	return v, false
}

func listenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "listen",
		Short: "Print questions that wait for you, and what happens to them, as JSON lines",
		Long: `Prints each event of GET /v1/events as a line of JSON: first snapshot, with the questions that wait
already, then clarification, clarification.decided, clarification.resolved, asker.message and done, of all apps and chats. It
continues after lost connections and restarts, without a gap, until you stop it.

` + whichGateway,
		Example: `  askgate listen | jq -c 'select(.event == "clarification") | .data.questions'`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilSignal(cmd.Context())
			defer stop()
			line := newProgress(cmd)
			defer line.end()
			c, err := connect(line.trouble)
			if err != nil {
				return err
			}
			out := json.NewEncoder(cmd.OutOrStdout())
			out.SetEscapeHTML(false)
			for event, err := range c.Events(ctx, "") {
				if err != nil {
					return signalled(withHint(err, ""), "")
				}
				line.end()
				if err := out.Encode(struct {
					Event string          `json:"event"`
					ID    string          `json:"id"`
					Data  json.RawMessage `json:"data"`
				}{event.Name, event.ID, event.Data}); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
