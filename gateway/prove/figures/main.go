// Command figures measures every figure that the documentation gives, and writes it with its command,
// the date, the commit and the machine to docs/measurements.md.
//
//	go run ./gateway/prove/figures                (make figures; 20 minutes; leave the machine alone)
//	go run ./gateway/prove/figures -only first    measure only the figures whose title contains "first"
//
// It runs in the folder of the module. A figure is a row of the table in table.go: the other pages
// link to its section instead of repeating the number. The page is written after each figure, so an
// interrupted run loses only the figure at which it stopped.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"runtime"
	"strings"
	"time"
)

const page = "docs/measurements.md"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run() error {
	only := flag.String("only", "", "measure only the figures whose title contains this text; default: all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=8", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	when := time.Now().UTC().Format(time.DateOnly) + ", commit " + string(bytes.TrimSpace(commit))
	if exec.CommandContext(ctx, "git", "diff", "--quiet", "HEAD", "--", ".", ":!"+page).Run() != nil {
		when += " with changes"
	}
	when += ", " + machine()
	for _, f := range table {
		if !strings.Contains(strings.ToLower(f.title), strings.ToLower(*only)) {
			continue
		}
		fmt.Fprintln(os.Stderr, f.title, "...")
		section, err := f.section(ctx, when)
		if err != nil {
			return err
		}
		old, err := os.ReadFile(page)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.WriteFile(page, []byte(with(string(old), f.title, section)), 0o644); err != nil { //nolint:gosec // page is a constant
			return err
		}
	}
	return nil
}

// with returns the page with a new section in the place of the old one of that title. Sections that
// the table does not have go.
func with(old, title, section string) string {
	text := head
	for _, f := range table {
		if f.title == title {
			text += section
		} else if _, after, found := strings.Cut(old, heading(f.title)); found {
			body, _, _ := strings.Cut(after, "\n## ")
			text += heading(f.title) + strings.TrimRight(body, "\n") + "\n"
		}
	}
	return text
}

func heading(title string) string { return "\n## " + title + "\n" }

// section runs the figure's command and returns the part of the page about it.
func (f figure) section(ctx context.Context, when string) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", f.command) //nolint:gosec // a constant of table.go
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w\n%s%s", f.title, f.command, err, out, errs.String())
	}
	var kept []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimRight(line, " \n"); regexp.MustCompile(f.keep).MatchString(line) {
			kept = append(kept, strings.ReplaceAll(line, "\t", "  "))
		}
	}
	if len(kept) == 0 {
		return "", fmt.Errorf("%s: %s: no line of the output matches %s:\n%s", f.title, f.command, f.keep, out)
	}
	return fmt.Sprintf("%s\n%s\n\n```sh\n%s\n```\n\n%s:\n\n```text\n%s\n```\n", heading(f.title), f.about, f.command, when, strings.Join(kept, "\n")), nil
}

const head = `# Measurements

Every figure that README and these pages give, with the command that measured it, and when and where it did. ` + "`make figures`" + ` measures all of them again and writes this page. Machines differ: compare ratios, and measure on yours.
`

// machine returns what the figures are measured on.
func machine() string {
	return fmt.Sprintf("%s, %d cores, %s", proc("/proc/cpuinfo", `model name\s*: (.+)`), runtime.NumCPU(), runtime.Version())
}

// proc returns what the expression captures in a file of Linux's, or "unknown" on other systems.
func proc(name, expression string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return "unknown"
	}
	m := regexp.MustCompile(expression).FindSubmatch(text)
	if m == nil {
		return "unknown"
	}
	return string(m[1])
}
