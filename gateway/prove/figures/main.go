// Command figures measures every figure that the documentation gives, and writes them with their
// commands, the date, the commit and the machine to docs/measurements.md.
//
//	go run ./gateway/prove/figures                (make figures; 20 minutes; leave the machine alone)
//	go run ./gateway/prove/figures -only first    print the figures whose title contains "first"
//
// It runs in the folder of the module. A figure is a row of the table in table.go: the other pages
// link to its section instead of repeating the number.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
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
	only := flag.String("only", "", "print the figures whose title contains this text, and write no page; default: all, into "+page)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	text, err := machine(ctx)
	if err != nil {
		return err
	}
	for _, f := range table {
		if !strings.Contains(strings.ToLower(f.title), strings.ToLower(*only)) {
			continue
		}
		fmt.Fprintln(os.Stderr, f.title, "...")
		section, err := f.section(ctx)
		if err != nil {
			return err
		}
		text += section
	}
	if *only != "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

// section runs the figure's command and returns the part of the page about it.
func (f figure) section(ctx context.Context) (string, error) {
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
	return fmt.Sprintf("\n## %s\n\n%s\n\n```sh\n%s\n```\n\n```text\n%s\n```\n", f.title, f.about, f.command, strings.Join(kept, "\n")), nil
}

// machine returns the head of the page: when, of what and where it was measured.
func machine(ctx context.Context) (string, error) {
	commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "", fmt.Errorf("git describe: %w", err)
	}
	return fmt.Sprintf(`# Measurements

Every figure that README and these pages give, with the command that measured it. `+"`make figures`"+` measures all of them again and writes this page. Machines differ: compare ratios, and measure on yours.

| | |
| --- | --- |
| date | %s |
| commit | %s |
| machine | %s, %d cores, %s of memory |
| system | %s/%s, %s |
`, time.Now().UTC().Format(time.DateOnly), bytes.TrimSpace(commit),
		proc("/proc/cpuinfo", `model name\s*: (.+)`), runtime.NumCPU(), proc("/proc/meminfo", `MemTotal:\s*(.+)`),
		runtime.GOOS, runtime.GOARCH, runtime.Version()), nil
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
