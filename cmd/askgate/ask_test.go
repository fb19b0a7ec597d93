package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/gatewaytest"
)

// asker runs the program's commands as separate processes against one gateway.
type asker struct {
	t   *testing.T
	env []string
}

func newAsker(t *testing.T, url string, env ...string) *asker {
	t.Helper()
	return &asker{t, append([]string{"ASKGATE_URL=" + url, asProgram + "=1"}, env...)}
}

// running is a started command.
type running struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr gatewaytest.Log
	ended          chan struct{}
}

func (a *asker) start(stdin string, args ...string) *running {
	a.t.Helper()
	return a.startWith(strings.NewReader(stdin), nil, args...)
}

// startWith starts a command with the caller's streams. If stdout is nil, the output is collected.
func (a *asker) startWith(stdin io.Reader, stdout io.Writer, args ...string) *running {
	a.t.Helper()
	r := &running{t: a.t, cmd: exec.Command(os.Args[0], args...), ended: make(chan struct{})}
	r.cmd.Env, r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = a.env, stdin, &r.stdout, &r.stderr
	if stdout != nil {
		r.cmd.Stdout = stdout
	}
	if err := r.cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait() // its code is looked at
	}()
	a.t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // mostly gone by now
		<-r.ended
	})
	return r
}

// end waits until the command ends, and returns its result.
// askedLine is what ask prints at once; TestAskSaysAtOnceHowToAnswer checks it.
var askedLine = regexp.MustCompile(`(?m)^Asked clr_[a-z0-9]+\. Answer on the page .*\n`)

func (r *running) end() (code int, stdout, stderr string) {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(time.Minute):
		r.t.Fatalf("it does not end\nstdout: %s\nstderr: %s", &r.stdout, &r.stderr)
	}
	return r.cmd.ProcessState.ExitCode(), r.stdout.String(), askedLine.ReplaceAllString(r.stderr.String(), "")
}

func (a *asker) run(stdin string, args ...string) (code int, stdout, stderr string) {
	a.t.Helper()
	return a.start(stdin, args...).end()
}

// call sends a request to a gateway.
func call(t *testing.T, method, url, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// waiting waits until exactly one question is pending at the gateway, and returns its id.
func waiting(t *testing.T, url string) (id string) {
	t.Helper()
	var list struct {
		Items []struct {
			ID string `json:"clarificationId"`
		} `json:"items"`
	}
	waitFor(t, func() bool {
		_, body := call(t, "GET", url+"/v1/clarifications", "")
		return json.Unmarshal([]byte(body), &list) == nil && len(list.Items) > 0
	})
	return list.Items[0].ID
}

// answers answers the only pending question.
func answers(t *testing.T, url, answer string) (id string) {
	t.Helper()
	id = waiting(t, url)
	if status, body := call(t, "POST", url+"/v1/clarifications/"+id+"/answer", answer); status != http.StatusOK {
		t.Fatalf("%s: %d %s", answer, status, body)
	}
	return id
}

// oneApp is a configuration with one app, so that commands need not name it.
var oneApp = map[string]string{
	"gateway.json":     `{"limits": {"requestsPerMinute": 60000, "burst": 1000}}`,
	"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
	"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
}

// A script and a coding agent get their answers even if the gateway is killed while they wait.
func TestAnswersOfProgramsOutliveTheGateway(t *testing.T) {
	n := startNode(t, os.Args[0], asProgram+"=1", "ASKGATE_STORE=sqlite:"+t.TempDir()+"/a.db")
	url := "http://" + n.address
	a := newAsker(t, url, "ASKGATE_APP=assistant")
	for _, c := range []struct {
		stdin, answer, stdout string
		args                  []string
	}{
		{"", `{"value":"yes"}`, "yes\n", []string{"ask", "Deploy now?", "--option", "yes", "--option", "no"}},
		{
			`{"hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which?","header":"H","options":[{"label":"A","description":""},{"label":"B","description":""}],"multiSelect":false}]}}`,
			`{"other":"neither"}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"answers":{"Which?":"neither"},"questions":[{"question":"Which?","header":"H","options":[{"label":"A","description":""},{"label":"B","description":""}],"multiSelect":false}]}}}` + "\n",
			[]string{"hook", "claude-code"},
		},
	} {
		r := a.start(c.stdin, c.args...)
		id := waiting(t, url)
		n.end(syscall.SIGKILL)
		n.start()
		if again := waiting(t, url); again != id {
			t.Errorf("%v: %s waits in place of %s", c.args, again, id)
		}
		answers(t, url, c.answer)
		if code, stdout, stderr := r.end(); code != 0 || stdout != c.stdout || stderr != "" {
			t.Errorf("%v: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}

// ask prints only the values; the exit code says how the question ended.
func TestWhatAskPrints(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	const form = `{"questions":[{"id":"env","question":"Where?","options":["test","live"]},{"id":"what","question":"What?","input_type":"multiselect","options":["a","b","c"],"allow_skip":true},{"id":"why","question":"Why?"}]}`
	for name, c := range map[string]struct {
		stdin, answer string
		args          []string
		code          int
		stdout        string
	}{
		"an option":                  {"", `{"value":"eu"}`, []string{"Which?", "--option", "eu=Europe", "--option", "us=United States=America"}, 0, "eu\n"},
		"as typed":                   {"", `{"value":" two\nlines "}`, []string{"Why?"}, 0, " two\nlines \n"},
		"controls":                   {"", `{"value":"yes\u001b[2K\u0007\rno\u009b1m\u202e\tx"}`, []string{"Why?"}, 0, `yes\u001b[2K\u0007\rno\u009b1m\u202e` + "\tx\n"},
		"several":                    {"", `{"values":["c","a"]}`, []string{"Which?", "--type", "multiselect", "--option", "a", "--option", "b", "--option", "c"}, 0, "a\nc\n"},
		"confirm":                    {"", `{"value":false}`, []string{"Sure?", "--type", "confirm"}, 0, "no\n"},
		"order":                      {"", `{"values":["c","a","b"]}`, []string{"Which first?", "--type", "rank", "--option", "a", "--option", "b", "--option", "c"}, 0, "c\na\nb\n"},
		"scale":                      {"", `{"value":4}`, []string{"How was it?", "--type", "scale"}, 0, "4\n"},
		"time":                       {"", `{"value":"2026-12-31T12:00:00+01:00"}`, []string{"When?", "--type", "datetime"}, 0, "2026-12-31T12:00:00+01:00\n"},
		"number":                     {"", `{"value":1.50}`, []string{"How much?", "--type", "number"}, 0, "1.50\n"},
		"date":                       {"", `{"value":"2026-12-31"}`, []string{"When?", "--type", "date"}, 0, "2026-12-31\n"},
		"own words":                  {`{"question":"Which?","options":["a"],"allow_other":true}`, `{"other":"neither"}`, nil, 0, "neither\n"},
		"form":                       {form, `{"answers":[{"value":"live"},{"values":["a","b"]},{"value":"x\nenv: test"}]}`, nil, 0, "env: live\nwhat: a\nwhat: b\nwhy: x\n  env: test\n"},
		"form, part":                 {form, `{"answers":[{"value":"live"},{"skipped":true},{"value":"x"}]}`, nil, 0, "env: live\nwhy: x\n"},
		"codex":                      {`{"questions":[{"id":"db","header":"DB","question":"Which?","options":[{"label":"PG","description":""},{"label":"SQLite","description":""}]}]}`, `{"value":"PG"}`, nil, 0, "PG\n"},
		"MCP":                        {`{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"]}}`, `{"answers":[{"value":"Bo"},{"value":7}]}`, nil, 0, "name: Bo\nage: 7\n"},
		"declined":                   {"", `{"declined":true}`, []string{"Why?"}, 3, ""},
		"skipped":                    {`{"question":"Why?","allow_skip":true}`, `{"skipped":true}`, nil, 3, ""},
		"expired":                    {"", "", []string{"Why?", "--expires-in", "1s"}, 4, ""},
		"cancelled":                  {"", "/cancel", []string{"Why?"}, 4, ""},
		"no such app":                {"", "", []string{"Why?", "--app", "other"}, 1, ""},
		"no such type":               {"", "", []string{"Why?", "--type", "essay"}, 1, ""},
		"text options":               {"", "", []string{"Why?", "--type", "text", "--option", "a"}, 2, ""},
		"other yes":                  {"", "", []string{"Why?", "--type", "confirm", "--option", "now", "--option", "later"}, 2, ""},
		"yes and no":                 {"", `{"value":"yes"}`, []string{"Why?", "--type", "confirm", "--option", "yes", "--option", "no"}, 0, "yes\n"},
		"no such person":             {"", "", []string{"Why?", "--to", "bob"}, 1, ""},
		"no role":                    {"", "", []string{"Why?", "--to", "role:oncall"}, 1, ""},
		"empty to":                   {"", "", []string{"Why?", "--to", ""}, 2, ""},
		"empty role":                 {"", "", []string{"Why?", "--to", "role:"}, 2, ""},
		"byte order":                 {"\ufeff" + `{"question":"Why?"}`, `{"value":"x"}`, nil, 0, "x\n"},
		"no JSON":                    {"Why?", "", nil, 1, ""},
		"no question":                {"", "", nil, 2, ""},
		"two of them":                {"", "", []string{"Why", "now?"}, 2, ""},
		"no time to be gone":         {"", "", []string{"Why?", "--withdraw-when-gone", "soon"}, 2, ""},
		"too little time to be gone": {"", "", []string{"Why?", "--withdraw-when-gone", "9s"}, 2, ""},
		"too much time to be gone":   {"", "", []string{"Why?", "--withdraw-when-gone", "31d"}, 2, ""},
		"no role to escalate to":     {"", "", []string{"Why?", "--to", "role:oncall", "--escalate", "1d"}, 2, ""},
		"a person to escalate to":    {"", "", []string{"Why?", "--to", "role:oncall", "--escalate", "1d=alice"}, 2, ""},
		"no time to escalate":        {"", "", []string{"Why?", "--to", "role:oncall", "--escalate", "soon=role:lead"}, 2, ""},
		"escalated of a person":      {"", "", []string{"Why?", "--escalate", "1d=role:lead"}, 2, ""},
		"escalated of another":       {"", "", []string{"Why?", "--to", "bob", "--escalate", "1d=role:lead"}, 2, ""},
		"no time":                    {"", "", []string{"Why?", "--expires-in", "tomorrow"}, 2, ""},
		"flags and JSON":             {form, "", []string{"--option", "a"}, 2, ""},
		"no such flag":               {"", "", []string{"Why?", "--wait", "1s"}, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := a.start(c.stdin, append([]string{"ask"}, c.args...)...)
			id := ""
			switch {
			case c.answer == "/cancel":
				id = waiting(t, p.url)
				if status, body := call(t, "POST", p.url+"/v1/clarifications/"+id+"/cancel", ""); status != http.StatusOK {
					t.Fatalf("%d %s", status, body)
				}
			case c.answer != "":
				id = answers(t, p.url, c.answer)
			}
			code, stdout, stderr := r.end()
			if code != c.code || stdout != c.stdout || (stderr == "") != (code == 0) {
				t.Errorf("exit %d\nstdout: %q\nstderr: %s", code, stdout, stderr)
			}
			if strings.Contains(stderr, "\x1b") {
				t.Errorf("progress where there is no terminal: %q", stderr)
			}
			if id == "" {
				return
			}
			var whole struct {
				ID    string `json:"clarificationId"`
				State string `json:"state"`
			}
			if code, stdout, _ := a.run("", "wait", id, "--json"); code != c.code || json.Unmarshal([]byte(stdout), &whole) != nil || whole.ID != id || whole.State == "pending" || strings.Count(stdout, "\n") != 1 {
				t.Errorf("wait --json: exit %d, %q", code, stdout)
			}
		})
	}
}

// If the answer cannot be printed, ask fails: a script must not take empty output for the answer.
func TestAnAnswerThatCannotBePrintedIsAFault(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	for _, args := range [][]string{{"ask", "Why?"}, {"ask", "Why?", "--json"}} {
		closed, stdout, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = stdout.Close()
		r := a.startWith(strings.NewReader(""), closed, args...) // which can only be read from
		answers(t, p.url, `{"value":"x"}`)
		if code, _, stderr := r.end(); code != 1 || stderr == "" {
			t.Errorf("%v: exit %d, %q", args, code, stderr)
		}
		_ = closed.Close()
	}
}

// The flags --as, --title and --json of ask.
func TestWhoAsks(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	r := a.start("", "ask", "Why?", "--as", "deploy", "--title", "CI #4711", "--json")
	answers(t, p.url, `{"value":"because","note":"after lunch"}`)
	code, stdout, stderr := r.end()
	var c struct {
		AskedBy struct{ Kind, Name, Title string } `json:"askedBy"`
		Answer  struct{ Value, Note string }       `json:"answer"`
	}
	if err := json.Unmarshal([]byte(stdout), &c); code != 0 || err != nil || stderr != "" {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	if got := fmt.Sprint(c); got != "{{program deploy CI #4711} {because after lunch}}" {
		t.Errorf("%s", got)
	}
	r = a.start("", "ask", "Why?", "--title", "CI #4712")
	answers(t, p.url, `{"value":"because","note":"after lunch"}`)
	if code, stdout, stderr := r.end(); code != 0 || stdout != "because\n" || stderr != "Note by anonymous: after lunch\n" {
		t.Errorf("exit %d: %q, %q", code, stdout, stderr)
	}
}

// waits returns the address of a proxy to a gateway, and a channel that reports requests that wait.
func waits(t *testing.T, to string) (address string, waits <-chan struct{}) {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy, arrived := httputil.NewSingleHostReverseProxy(target), make(chan struct{}, 100)
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("wait") {
			arrived <- struct{}{}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, arrived
}

// An interrupted ask prints how to continue, and the question stays open.
func TestAnInterruptedAskSaysHowToGoOn(t *testing.T) {
	p := start(t, "", oneApp)
	address, arrived := waits(t, p.url)
	a := newAsker(t, address)
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		r := a.start("", "ask", "Why?")
		<-arrived
		id := waiting(t, p.url)
		if err := r.cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if code, stdout, stderr := r.end(); code != want || stdout != "" || !strings.Contains(stderr, "askgate wait "+id+"\n") {
			t.Errorf("exit %d: %q, %q", code, stdout, stderr)
		}
		again := a.start("", "wait", id)
		<-arrived
		answers(t, p.url, `{"value":"because"}`)
		if code, stdout, _ := again.end(); code != 0 || stdout != "because\n" {
			t.Errorf("exit %d: %q", code, stdout)
		}
	}
}

// The environment names the gateway, the app and the key. If that is not enough, the error says what to
// do.
func TestWhichGatewayAppAndKey(t *testing.T) {
	_, made, _ := command(t, "key", "new", "--tenant", "acme", "--subject", "alice", "--roles", "ops")
	var key struct {
		Key   string          `json:"key"`
		Entry json.RawMessage `json:"entry"`
	}
	if err := json.Unmarshal([]byte(made), &key); err != nil {
		t.Fatal(err)
	}
	p := start(t, "", map[string]string{
		"gateway.json":     `{"auth": {"mode": "apiKeys", "keys": [` + string(key.Entry) + `]}}`,
		"tools.json":       oneApp["tools.json"],
		"apps/helper.json": oneApp["apps/helper.json"],
		"apps/other.json":  `{"id": "other", "name": "Other", "tools": ["ask_user"]}`,
	})
	a := newAsker(t, p.url)
	own := a.env
	for name, c := range map[string]struct {
		env    []string
		code   int
		stderr string
	}{
		"no key":         {nil, 1, "ASKGATE_KEY"},
		"a wrong key":    {[]string{"ASKGATE_KEY=ag_wrong"}, 1, "ASKGATE_KEY"},
		"several apps":   {[]string{"ASKGATE_KEY=" + key.Key}, 2, "helper, other"},
		"no such app":    {[]string{"ASKGATE_KEY=" + key.Key, "ASKGATE_APP=third"}, 1, "third"},
		"no address":     {[]string{"ASKGATE_URL=ask.example.org"}, 2, "ASKGATE_URL"},
		"another's site": {[]string{"ASKGATE_URL=" + p.url + "/elsewhere"}, 1, "404"},
	} {
		a.env = append(own[:len(own):len(own)], c.env...)
		if code, stdout, stderr := a.run("", "ask", "Why?", "--expires-in", "1s"); code != c.code || stdout != "" || !strings.Contains(stderr, c.stderr) || strings.Contains(stderr, "ag_") {
			t.Errorf("%s: exit %d: %s%s", name, code, stdout, stderr)
		}
	}
	a.env = append(own[:len(own):len(own)], "ASKGATE_KEY="+key.Key, "ASKGATE_APP=other")
	if code, _, stderr := a.run("", "ask", "Why?", "--expires-in", "1s"); code != 4 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// The person at the terminal of a script need not know where to answer.
func TestAskSaysAtOnceHowToAnswer(t *testing.T) {
	p := start(t, "", oneApp)
	r := newAsker(t, p.url).start("", "ask", "Why?")
	id := waiting(t, p.url)
	want := "Asked " + id + ". Answer on the page " + p.url + "/, or with: askgate answer " + id + " VALUE\n"
	waitFor(t, func() bool { return r.stderr.String() == want })
	answers(t, p.url, `{"value":"because"}`)
	if code, stdout, _ := r.end(); code != 0 || stdout != "because\n" {
		t.Errorf("exit %d: %q", code, stdout)
	}
}

// Commands that only read name the address of a dead server and the fix; a client's patience of 30 s
// would be a test that waits.
func TestCommandsThatReadGiveUpOnADeadServer(t *testing.T) {
	a := newAsker(t, "http://127.0.0.1:1")
	for _, c := range []struct{ args, fix string }{
		{"pending", "tried for 3s"},
		{"pending", "set ASKGATE_URL"},
		{"health 127.0.0.1:1", "askgate health HOST:PORT"},
		{"audit --store postgres://u@127.0.0.1:1/db", "see that the server runs"},
		{"report --store postgres://u@127.0.0.1:1/db", "see that the server runs"},
	} {
		code, stdout, stderr := a.run("", strings.Fields(c.args)...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, "127.0.0.1:1") || !strings.Contains(stderr, c.fix) {
			t.Errorf("%s: exit %d, %q, %s", c.args, code, stdout, stderr)
		}
	}
}
