package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func TestVariablesOfAFile(t *testing.T) {
	for line, want := range map[string][2]string{
		"":                                {"", ""},
		"  # a comment":                   {"", ""},
		"A=b":                             {"A", "b"},
		"\ufeffA=b\r":                     {"A", "b"},
		"export  A = b c ":                {"A", "b c"},
		"A=":                              {"A", ""},
		"A=p#w$x":                         {"A", "p#w$x"},
		"A=b # comment":                   {"A", "b"},
		`A='b # "c" $d\n' # comment`:      {"A", `b # "c" $d\n`},
		`A="b # 'c' \"d\" \$e\\f\n\x" #`:  {"A", "b # 'c' \"d\" $e\\f\n\\x"},
		"URL=postgres://u:p=w@h/d?a=b&c=": {"URL", "postgres://u:p=w@h/d?a=b&c="},
	} {
		key, value, wrong := variable(line)
		if key != want[0] || value != want[1] || wrong != "" {
			t.Errorf("%q: %q = %q, %s", line, key, value, wrong)
		}
	}
	for _, line := range []string{"A", "=b", "1A=b", "A B=c", `A="b`, "A='b", `A="b" c`, "A='b'c", "A=\xff", "A=\x00"} {
		if key, value, wrong := variable(line); wrong == "" {
			t.Errorf("%q: %q = %q", line, key, value)
		}
	}
}

func FuzzVariable(f *testing.F) {
	f.Add(`export A="b\n" # c`)
	f.Fuzz(func(t *testing.T, line string) {
		key, value, wrong := variable(line)
		if wrong != "" && (key != "" || value != "") || len(value) > len(line) {
			t.Errorf("%q: %q = %q, %s", line, key, value, wrong)
		}
	})
}

// The environment takes precedence over the file, flags over both, and no value is shown.
func TestAFileOfVariables(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, ".env")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ASKGATE_STORE", "ASKGATE_CONFIG"} { // set by the file: put back at the end
		t.Setenv(name, "")
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	write("export ASKGATE_STORE='sqlite:" + filepath.Join(dir, "file.db") + "'\nASKGATE_CONFIG=" + filepath.Join(dir, "none") + "\n")
	if code, _, stderr := command(t, "migrate", "--env-file", file); code != exitFault || !strings.Contains(stderr, filepath.Join(dir, "none")) {
		t.Errorf("the file's configuration: exit %d, %s", code, stderr)
	}
	if code, stdout, stderr := command(t, "migrate", "--env-file", file, "--config="); code != 0 || !strings.Contains(stdout, "file.db") || !strings.Contains(stdout, "now up to date") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, _ := command(t, "migrate", "--env-file", file, "--config="); code != 0 || !strings.Contains(stdout, "Nothing to do") {
		t.Errorf("again: exit %d, %s", code, stdout)
	}
	t.Setenv("ASKGATE_STORE", "sqlite:"+filepath.Join(dir, "environment.db"))
	if _, stdout, _ := command(t, "migrate", "--env-file", file, "--config="); !strings.Contains(stdout, "environment.db") {
		t.Errorf("the environment does not win: %s", stdout)
	}
	if _, stdout, _ := command(t, "migrate", "--env-file", file, "--config=", "--store", "sqlite:"+filepath.Join(dir, "flag.db")); !strings.Contains(stdout, "flag.db") {
		t.Errorf("the flag does not win: %s", stdout)
	}
	write("# keys\nOPENAI_API_KEY=\"sk-secret\nB=c\n")
	if code, _, stderr := command(t, "check", "--env-file", file); code != exitFault || !strings.Contains(stderr, ".env:2: the quote") || strings.Contains(stderr, "sk-secret") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if code, _, stderr := command(t, "serve", "--env-file", filepath.Join(dir, "gone")); code != exitFault || !strings.Contains(stderr, "--env-file") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestInstants(t *testing.T) {
	now := time.Now().UTC()
	today := now.Truncate(24 * time.Hour)
	for written, want := range map[string]time.Time{
		"2026-02-06":                time.Date(2026, 2, 6, 0, 0, 0, 0, time.UTC),
		"2026-02-06T10:30:00+01:00": time.Date(2026, 2, 6, 9, 30, 0, 0, time.UTC),
		"today":                     today,
		"yesterday":                 today.AddDate(0, 0, -1),
		"30d":                       now.AddDate(0, 0, -30),
		"36h":                       now.Add(-36 * time.Hour),
	} {
		var i instant
		if err := i.Set(written); err != nil || time.Time(i).Sub(want).Abs() > 24*time.Hour { // midnight may pass between
			t.Errorf("%s: %v, %v", written, time.Time(i), err)
		}
	}
	for _, written := range []string{"", "lately", "-3h", "0s", "6.2.2026"} {
		var i instant
		if err := i.Set(written); err == nil || !strings.Contains(err.Error(), "yesterday") {
			t.Errorf("%q: %v, %v", written, time.Time(i), err)
		}
	}
}

func TestAddressesWithoutAScheme(t *testing.T) {
	for given, want := range map[string]string{
		"https://a.example/x": "https://a.example/x",
		"a.example":           "https://a.example",
		"a.example:8443/x":    "https://a.example:8443/x",
		"localhost:8080":      "http://localhost:8080",
		"127.0.0.1:8080/x":    "http://127.0.0.1:8080/x",
		"[::1]:8080":          "http://[::1]:8080",
		"10.0.0.7":            "http://10.0.0.7",
		":8080":               "http://:8080",
	} {
		if got := withScheme(given); got != want {
			t.Errorf("%s: %s, not %s", given, got, want)
		}
	}
}

func TestATakenPortNamesWhoHasIt(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	code, _, stderr := command(t, "serve", "--listen", l.Addr().String(), "--store", "sqlite:"+filepath.Join(t.TempDir(), "a.db"))
	own, _ := os.ReadFile("/proc/self/comm") // "" where there is no /proc, which every text has
	for _, part := range []string{"cannot listen on " + l.Addr().String(), "--listen 127.0.0.1:", strings.TrimSpace(string(own))} {
		if code != exitFault || !strings.Contains(stderr, part) {
			t.Errorf("exit %d, without %q: %s", code, part, stderr)
		}
	}
}

// The help of every command has examples, with existing flags, and lists only flags that apply to it.
func TestHelpOfEveryCommand(t *testing.T) {
	root := rootCommand()
	var all []*cobra.Command
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		all = append(all, c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, c := range all {
		if c.Example == "" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "askgate" {
				continue
			}
			used, rest, err := rootCommand().Find(words[1:])
			if err != nil {
				t.Errorf("%s: %s: %v", c.CommandPath(), line, err)
				continue
			}
			for _, word := range rest {
				name, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
				if strings.HasPrefix(word, "--") && name != "help" && used.Flag(name) == nil {
					t.Errorf("%s: its example has --%s, which %s does not", c.CommandPath(), name, used.CommandPath())
				}
			}
		}
	}
	for name, without := range map[string][]string{"audit": {"listen", "redis", "insecure", "admin-listen"}, "migrate": {"listen", "redis", "insecure", "admin-listen"}} {
		c, _, err := root.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range without {
			if c.Flag(flag) != nil {
				t.Errorf("%s has --%s", name, flag)
			}
		}
	}
	if code, stdout, _ := command(t, "--version"); code != 0 || !strings.HasPrefix(stdout, "askgate ") {
		t.Errorf("--version: exit %d, %s", code, stdout)
	}
	if _, _, stderr := command(t, "migrte"); !strings.Contains(stderr, `did you mean "migrate"?`) {
		t.Errorf("a typing error: %s", stderr)
	}
	if code, stdout, stderr := command(t, "help", "migrte"); code != 2 || stdout != "" || !strings.Contains(stderr, `did you mean "migrate"?`) {
		t.Errorf("help on a typing error: exit %d, %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := command(t, "help", "migrate"); code != 0 || !strings.Contains(stdout, "--store") {
		t.Errorf("help on a command: exit %d, %s%s", code, stdout, stderr)
	}
}

// check prints what would be in use, and with --connect whether it can be reached; it
// changes nothing.
func TestCheckPrintsWhatWouldBeInUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	store := "sqlite:" + file
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	code, stdout, stderr := command(t, "check", "--connect", "--store", store)
	for _, part := range []string{"valid", "config=built in", "store=" + store, "auth=none", "provider=openai", "OPENAI_API_KEY"} {
		if code != 0 || !strings.Contains(stdout, part) || strings.Contains(stdout+stderr, "sk-secret") {
			t.Errorf("without %q: exit %d, %s%s", part, code, stdout, stderr)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("check has made the store")
	}
	if code, _, stderr := command(t, "check", "--connect", "--store", "sqlite:"+filepath.Join(file, "none", "b.db")); code != exitFault || !strings.Contains(stderr, "folder of the store") {
		t.Errorf("no folder: exit %d, %s", code, stderr)
	}
	if code, _, stderr := command(t, "check", "--connect", "--store", store, "--redis", "redis://user:secret@127.0.0.1:1/0"); code != exitFault || !strings.Contains(stderr, "redis://127.0.0.1:1/0") || strings.Contains(stderr, "secret@") {
		t.Errorf("no Redis: exit %d, %s", code, stderr)
	}
	if code, _, _ := command(t, "check", "--store", store, "--redis", "redis://127.0.0.1:1/0"); code != 0 {
		t.Errorf("without --connect: exit %d", code)
	}
}
