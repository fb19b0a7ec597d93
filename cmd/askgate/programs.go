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
	"time"

	"github.com/spf13/cobra"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/tools"
)

// programs is the id of the group of commands that talk to a running gateway.
const programs = "programs"

// Exit codes of the commands that wait for a person.
const (
	exitRefused = 3   // skipped or declined
	exitClosed  = 4   // expired, or closed without the person
	exitSignal  = 128 // plus the number of the signal
)

// ended ends a command with an exit code of its own. error is printed; it is nil if there is nothing to
// print.
type ended struct {
	code int
	error
}

// Unwrap implements errors' interface.
func (e ended) Unwrap() error { return e.error }

const whichGateway = `Environment: ASKGATE_URL is the gateway (default ` + client.DefaultURL + `), ASKGATE_KEY the key,
and ASKGATE_APP the app (default: the only one that the key may use).`

// exits is part of the help of the commands that wait for a person.
const exits = `Exit codes: 0 if the question was answered, 3 if it was skipped or declined, 4 if it expired or was
cancelled, 1 for an error, and 2 for a mistake in the command line.`

// connect returns a client for the gateway that the environment names. trouble, which may be nil, is
// called when a request fails and will be tried again, and with nil when one succeeds.
func connect(trouble func(error)) (*client.Client, error) { return connectFor(0, trouble) }

// readPatience is how long a command that only reads tries to reach a server. It loses nothing by
// giving up.
const readPatience = 3 * time.Second

// connectFor is connect with a limit on how long a gateway that cannot be reached is tried; 0: the
// client's own.
func connectFor(patience time.Duration, trouble func(error)) (*client.Client, error) {
	c, err := client.New(client.Options{
		Patience: patience, URL: os.Getenv("ASKGATE_URL"), Key: os.Getenv("ASKGATE_KEY"), Language: environmentLanguage(), Trouble: trouble,
	})
	if err != nil {
		return nil, usageError{fmt.Errorf("ASKGATE_URL: %w", err)}
	}
	return c, nil
}

// environmentLanguage returns the language of the terminal as a tag, such as de-DE for de_DE.UTF-8; "" if
// the environment names none.
func environmentLanguage() string {
	tag, _, _ := strings.Cut(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG")), ".")
	if tag == "C" || tag == "POSIX" {
		return ""
	}
	return strings.ReplaceAll(tag, "_", "-")
}

// chooseApp returns the app of the flag, or that of the environment, or the only app that the key may use.
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
		return "", errors.New("the key may not use any app; allow it one in the gateway's configuration, or set ASKGATE_KEY to another key")
	case 1:
		return apps[0].ID, nil
	}
	ids := make([]string, len(apps))
	for i, app := range apps {
		ids[i] = app.ID
	}
	return "", usageError{fmt.Errorf("there is more than one app; name one with --app or ASKGATE_APP: %s", strings.Join(ids, ", "))}
}

// withHint adds to a refusal by the gateway what the user of the command can do about it. missing
// explains a 404.
func withHint(err error, missing string) error {
	var p *client.Problem
	switch {
	case errors.Is(err, client.ErrUnreached):
		return fmt.Errorf("%w; start it, or set ASKGATE_URL to its address", err)
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
	return fmt.Sprintf("there is no question %q, or the key may not see it", id)
}

// interrupted is the cause of a context that a signal cancelled.
type interrupted struct{ signal syscall.Signal }

func (i interrupted) Error() string { return i.signal.String() }

// untilSignal returns a context that SIGINT or SIGTERM cancels, with an interrupted as the cause. The
// caller must call the returned function.
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

// signalled returns the end of a command that a signal interrupted, and prints say unless it is empty.
// It returns any other error unchanged.
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

// progress is a status line on a terminal. If stderr is not a terminal, it writes nothing.
type progress struct {
	w     io.Writer
	text  string // what the command is doing
	shown bool   // whether the line has text
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
	lineWidth = 78 // columns; a longer text would wrap
)

func (p *progress) say(text string) {
	p.text = text
	p.show(text)
}

func (p *progress) show(text string) {
	fmt.Fprint(p.w, eraseLine+tools.Shorten(text, lineWidth))
	p.shown = true
}

// trouble shows why a request failed that will be tried again. With nil it shows the status again.
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

// readInput reads at most most bytes of stdin. want completes the error for a terminal and for an empty
// stdin: what the command line lacks.
func readInput(cmd *cobra.Command, want string, most int64) ([]byte, error) {
	if terminal(cmd.InOrStdin()) {
		return nil, usageError{fmt.Errorf("%s: %s, or JSON on stdin", cmd.CommandPath(), want)}
	}
	data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), most+1))
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // Windows adds it to piped text
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
