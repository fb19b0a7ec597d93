package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// command runs the program and captures its output. It must not run in parallel with other
// tests of this package, because it replaces the streams of the process.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return capture(t, func() int { return run(t.Context(), args) })
}

func capture(t *testing.T, f func() int) (code int, stdout, stderr string) {
	t.Helper()
	oldOut, oldErr := os.Stdout, os.Stderr
	defer func() { os.Stdout, os.Stderr = oldOut, oldErr }()
	read := func(target **os.File) func() string {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		*target = w
		done := make(chan string)
		go func() {
			b, _ := io.ReadAll(r)
			done <- string(b)
		}()
		return func() string {
			w.Close()
			return <-done
		}
	}
	out, err := read(&os.Stdout), read(&os.Stderr)
	code = f()
	return code, out(), err()
}

func TestExitCodesAndWhereErrorsGo(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "gateway.json"), []byte("{\n  \"lissen\": \"x\",\n  \"store\": \"$ASKGATE_TEST_UNSET\"\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := t.TempDir()
	if err := os.WriteFile(filepath.Join(open, "gateway.json"), []byte(`{"listen": "0.0.0.0:0"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		"version":              {[]string{"version"}, 0, "askgate ", ""},
		"version by flag":      {[]string{"--version"}, 0, "askgate ", ""},
		"help":                 {[]string{"--help"}, 0, "--config", ""},
		"help of serve":        {[]string{"serve", "--help"}, 0, "ASKGATE_STORE", ""},
		"help of check":        {[]string{"check", "--help"}, 0, "--config", ""},
		"unknown command":      {[]string{"sreve"}, 2, "", "sreve"},
		"unknown flag":         {[]string{"serve", "--lissen", "x"}, 2, "", "--lissen"},
		"argument too many":    {[]string{"check", "x"}, 2, "", `"x"`},
		"init without DIR":     {[]string{"init"}, 2, "", "directory"},
		"init, not empty":      {[]string{"init", broken}, 1, "", broken},
		"check of the default": {[]string{"check"}, 0, "valid", ""},
		"check of faults":      {[]string{"check", "--config", broken}, 1, "", "gateway.json:2:3: "},
		"unset variable":       {[]string{"check", "--config", broken}, 1, "", "ASKGATE_TEST_UNSET"},
		"serve with faults":    {[]string{"serve", "--config", broken}, 1, "", "gateway.json:2:3: "},
		"schema":               {[]string{"schema", "app"}, 0, `"$schema"`, ""},
		"schema of all":        {[]string{"schema"}, 0, `"gateway"`, ""},
		"keys":                 {[]string{"config", "keys"}, 0, "gateway.json | limits.burst | whole number | 0 to 1000000 | default 20 | ", ""},
		"config of what":       {[]string{"config"}, 2, "", "config keys"},
		"no such schema":       {[]string{"schema", "apps"}, 2, "", "app"},
		"key without subject":  {[]string{"key", "new", "--tenant", "t"}, 2, "", "Run askgate key new --help"},
		"key alone":            {[]string{"key"}, 2, "", "key new"},
		"open to everybody":    {[]string{"serve", "--listen", "0.0.0.0:0"}, 1, "", "--insecure"},
		"check sees it too":    {[]string{"check", "--listen", "0.0.0.0:0"}, 1, "", "--listen: "},
		"and in the file":      {[]string{"check", "--config", open}, 1, "", "gateway.json:1:12: "},
		"as serve does":        {[]string{"serve", "--config", open}, 1, "", "gateway.json:1:12: "},
		"and what allows it":   {[]string{"check", "--config", open, "--insecure"}, 0, "valid", ""},
		"log level":            {[]string{"serve", "--log-level", "loud"}, 2, "", "warn"},
		"store":                {[]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:/no/such/folder/x.db"}, 1, "", "/no/such/folder"},
		"doctor without URL":   {[]string{"doctor"}, 2, "", "URL"},
		"health, no gateway":   {[]string{"health", "http://127.0.0.1:1/healthz"}, 1, "", "127.0.0.1:1"},
	} {
		code, stdout, stderr := command(t, c.args...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) || code != 0 && stdout != "" {
			t.Errorf("%s: exit %d\nstdout: %s\nstderr: %s", name, code, stdout, stderr)
		}
	}
}

func TestInsecureByTheEnvironment(t *testing.T) {
	for value, want := range map[string]int{"true": 0, "false": 1, "": 1} {
		t.Setenv("ASKGATE_INSECURE", value)
		if code, _, stderr := command(t, "check", "--listen", ":0"); code != want {
			t.Errorf("ASKGATE_INSECURE=%s: exit %d, %s", value, code, stderr)
		}
	}
}

func TestCheckWarnsOfAStoreThatOthersCanRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chats.db")
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o644: true} {
		if err := os.WriteFile(file, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := command(t, "check", "--store", "sqlite:"+file)
		if code != 0 || strings.Contains(stderr, "warning: store: ") != want || want && !strings.Contains(stderr, "chmod 600 "+file) {
			t.Errorf("mode %v: exit %d, %s", mode, code, stderr)
		}
	}
}

func TestInitWritesAConfigurationThatIsSound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	if code, _, stderr := command(t, "init", dir); code != 0 {
		t.Fatal(stderr)
	}
	if code, _, stderr := command(t, "check", "--config", dir); code != 0 {
		t.Error(stderr)
	}
}

func TestConfigurationForKubernetesIsSound(t *testing.T) {
	data, err := os.ReadFile("../../deploy/kubernetes/gateway.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gateway.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SESSION_SECRET", strings.Repeat("0", 64)) // from the Secret
	if code, _, stderr := command(t, "check", "--config", dir); code != 0 {
		t.Error(stderr)
	}
}

func TestKeyOfKeyNewLetsItsCallerIn(t *testing.T) {
	code, stdout, stderr := command(t, "key", "new", "--tenant", "acme", "--subject", "alice", "--roles", "user,metrics", "--may-act-as")
	var made struct {
		Key   string          `json:"key"`
		Entry json.RawMessage `json:"entry"`
	}
	if err := json.Unmarshal([]byte(stdout), &made); code != 0 || err != nil || !strings.HasPrefix(made.Key, "ag_") {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if !strings.HasPrefix(strings.TrimLeft(stdout, "{ \n"), `"key"`) {
		t.Errorf("the key does not come first, as the manual has it:\n%s", stdout)
	}
	if bytes.Contains(made.Entry, []byte(made.Key)) {
		t.Error("the entry holds the key itself")
	}
	p := start(t, "", map[string]string{
		"gateway.json": `{"auth": {"mode": "apiKeys", "keys": [` + string(made.Entry) + `]}}`,
	})
	for header, want := range map[string]int{"": 401, "Bearer " + made.Key: 200, "Bearer " + made.Key + "x": 401, made.Key: 401} {
		if got := p.do("GET", "/v1/apps", "", "Authorization", header).StatusCode; got != want {
			t.Errorf("Authorization %q: %d, want %d", header, got, want)
		}
	}
}

// askgate key new --interactive=false prints a key for programs.
func TestKeyNewForNobody(t *testing.T) {
	for flag, want := range map[string]bool{"": false, "--interactive": false, "--interactive=false": true} {
		code, stdout, stderr := command(t, append([]string{"key", "new", "--tenant", "acme", "--subject", "cron"}, strings.Fields(flag)...)...)
		if code != 0 || strings.Contains(stdout, `"interactive": false`) != want {
			t.Errorf("%q: exit %d: %s%s", flag, code, stdout, stderr)
		}
	}
}

// A key for programs that ask people lists whom they may ask.
func TestKeyNewForAskers(t *testing.T) {
	code, stdout, stderr := command(t, "key", "new", "--tenant", "acme", "--subject", "ci", "--may-ask", "alice,role:oncall")
	var made struct{ Entry struct{ MayAsk []string } }
	if err := json.Unmarshal([]byte(stdout), &made); code != 0 || err != nil || !slices.Equal(made.Entry.MayAsk, []string{"alice", "role:oncall"}) {
		t.Errorf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	for _, who := range []string{"role:", "al*", "a\tb"} {
		if code, _, stderr := command(t, "key", "new", "--tenant", "acme", "--subject", "ci", "--may-ask", who); code != 2 || !strings.Contains(stderr, "role:") {
			t.Errorf("%q: exit %d: %s", who, code, stderr)
		}
	}
}

func TestHealthTellsAWellGateway(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/well" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer s.Close()
	if code, _, stderr := command(t, "health", s.URL+"/well"); code != 0 {
		t.Error(stderr)
	}
	if code, _, _ := command(t, "health", s.URL+"/ill"); code != 1 {
		t.Error("an ill gateway passes for well")
	}
}

// askgate doctor prints a line per check, and exits with 1 if one fails.
func TestDoctorSaysWhatIsBroken(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", r.Header.Get("X-Request-Id"))
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	defer s.Close()
	code, stdout, stderr := command(t, "doctor", s.URL+"/")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 1 || !strings.Contains(stderr, "doctor") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "broken  stream: ") || !strings.Contains(last, "502") || !strings.Contains(last, "Hint: ") {
		t.Errorf("the last line: %s", last)
	}
	for _, line := range lines[:len(lines)-1] {
		if !strings.HasPrefix(line, "ok      ") {
			t.Error(line)
		}
	}
}

// TestServeFromStartToSignal runs askgate without arguments, as a new user does.
func TestServeFromStartToSignal(t *testing.T) {
	t.Chdir(t.TempDir())
	port := freePort(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan int, 1)
	_, _, stderr := capture(t, func() int {
		go func() { ended <- run(ctx, []string{"--listen", port}) }()
		waitFor(t, func() bool { return get(ctx, "http://"+port+"/readyz") == http.StatusOK })
		if got := get(ctx, "http://"+port+"/"); got != http.StatusOK {
			t.Errorf("the page: %d", got)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case code := <-ended:
			return code
		case <-ctx.Done():
			return -1
		}
	})
	if !strings.Contains(stderr, "not an LLM") || !strings.Contains(stderr, "OPENAI_BASE_URL") {
		t.Errorf("the log does not say what to set for a real model:\n%s", stderr)
	}
	if strings.Contains(stderr, "level=ERROR") {
		t.Errorf("errors in the log:\n%s", stderr)
	}
	if _, err := os.Stat("askgate.db"); err != nil {
		t.Errorf("no store in the working directory: %v", err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func get(ctx context.Context, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

// waitFor waits until a condition is true that another goroutine or process brings about.
func waitFor(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Minute)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
		<-time.After(5 * time.Millisecond)
	}
}
