package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

// programs is the group of the commands that speak to a running gateway.
const programs = "programs"

// Exit codes of the commands that wait for a person.
const (
	exitRefused = 3   // skipped or declined
	exitClosed  = 4   // expired, or closed without the person
	exitSignal  = 128 // and the number of the signal
)

// ended is the end of a command by an exit code of its own; error is nil where nothing is to be said.
type ended struct {
	code int
	error
}

// Unwrap implements errors' interface.
func (e ended) Unwrap() error { return e.error }

const whichGateway = `The gateway is ASKGATE_URL (default ` + client.DefaultURL + `), the key ASKGATE_KEY, and the app
ASKGATE_APP, or the only one that the key may use.`

// exits stands in the help of the commands that wait.
const exits = `It exits with 0 when it was answered, 3 when it was skipped or declined, 4 when it expired or was
cancelled, 1 for a fault and 2 for a mistake in the command line.`

// connect makes the client of the environment; trouble may be nil.
func connect(trouble func(error)) (*client.Client, error) {
	c, err := client.New(client.Options{
		URL: os.Getenv("ASKGATE_URL"), Key: os.Getenv("ASKGATE_KEY"), Language: environmentLanguage(), Trouble: trouble,
	})
	if err != nil {
		return nil, usageError{fmt.Errorf("ASKGATE_URL: %w", err)}
	}
	return c, nil
}

// environmentLanguage is that of the terminal as a tag: de-DE for de_DE.UTF-8.
func environmentLanguage() string {
	tag, _, _ := strings.Cut(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")), ".")
	if tag == "C" || tag == "POSIX" {
		return ""
	}
	return strings.ReplaceAll(tag, "_", "-")
}

// chooseApp is the flag's app, the environment's, or else the only one.
func chooseApp(ctx context.Context, c *client.Client, flag string) (string, error) {
	if app := cmp.Or(flag, os.Getenv("ASKGATE_APP")); app != "" {
		return app, nil
	}
	apps, err := c.Apps(ctx)
	if err != nil {
		return "", withHint(err, "")
	}
	switch len(apps) {
	case 0:
		return "", errors.New("the key may not use any app; give it one in the gateway's configuration, or use another key (ASKGATE_KEY)")
	case 1:
		return apps[0].ID, nil
	}
	ids := make([]string, len(apps))
	for i, app := range apps {
		ids[i] = app.ID
	}
	return "", usageError{fmt.Errorf("there is more than one app; name one with --app or ASKGATE_APP: %s", strings.Join(ids, ", "))}
}

// withHint adds to a refusal what the caller of a command can do about it; missing is what a 404
// means.
func withHint(err error, missing string) error {
	var p *client.Problem
	switch {
	case !errors.As(err, &p) || p.Code == "":
		return err
	case p.Status == http.StatusUnauthorized:
		return fmt.Errorf("%w: set ASKGATE_KEY to a key of this gateway", err)
	case p.Status == http.StatusNotFound && missing != "":
		return fmt.Errorf("%w: %s", err, missing)
	}
	return err
}

func noQuestion(id string) string {
	return fmt.Sprintf("there is no question %q that the key may see", id)
}

// interrupted is why a command ends that a signal ends.
type interrupted struct{ signal syscall.Signal }

func (i interrupted) Error() string { return i.signal.String() }

// untilSignal ends ctx with an interrupted at SIGINT or SIGTERM.
func untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			cancel(interrupted{s.(syscall.Signal)}) //nolint:forcetypeassert // what Notify sends on Unix and Windows
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// signalled is the end of a command by a signal, with what to say about it.
func signalled(err error, say string) error {
	var by interrupted
	if !errors.As(err, &by) {
		return err
	}
	end := ended{code: exitSignal + int(by.signal)}
	if say != "" {
		end.error = errors.New(say)
	}
	return end
}

// progress is one line on a terminal, which changes; elsewhere nothing is written.
type progress struct {
	w     io.Writer
	text  string // what is being done
	shown bool   // the line is not empty
}

func newProgress(cmd *cobra.Command) *progress {
	if !terminal(cmd.ErrOrStderr()) {
		return &progress{w: io.Discard}
	}
	return &progress{w: cmd.ErrOrStderr()}
}

func terminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

const (
	eraseLine = "\r\x1b[2K"
	lineWidth = 78 // so that it is one line
)

func (p *progress) say(text string) {
	p.text = text
	p.show(text)
}

func (p *progress) show(text string) {
	fmt.Fprint(p.w, eraseLine+tools.Shorten(text, lineWidth))
	p.shown = true
}

// trouble shows why a try failed; nil, that another one did not.
func (p *progress) trouble(err error) {
	if err == nil {
		p.say(p.text)
		return
	}
	text := err.Error()
	p.show("Trying again: " + strings.TrimSpace(tools.Visible(text[strings.LastIndex(text, ": ")+1:])))
}

func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.w, eraseLine)
		p.shown = false
	}
}

// readInput reads what a program gives on stdin; what is missing there is named by want.
func readInput(cmd *cobra.Command, want string, most int64) ([]byte, error) {
	if terminal(cmd.InOrStdin()) {
		return nil, usageError{fmt.Errorf("%s: %s, or JSON on stdin", cmd.CommandPath(), want)}
	}
	data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), most+1))
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // which Windows puts before what it pipes
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%s: more than %d MiB on stdin", cmd.CommandPath(), most>>20)
	case len(strings.TrimSpace(string(data))) == 0:
		return nil, usageError{fmt.Errorf("%s: %s, or JSON on stdin, which is empty", cmd.CommandPath(), want)}
	}
	return data, nil
}

const maxInput = 1 << 20
