package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// hookJSON returns the input of a Claude Code hook.
func hookJSON(event, tool, input string) string {
	return fmt.Sprintf(`{"session_id":"s","transcript_path":"/home/me/t.jsonl","cwd":"/home/me/shop","permission_mode":"default","hook_event_name":%q,"tool_name":%q,"tool_input":%s}`, event, tool, input)
}

const (
	oneQuestion  = `{"questions":[{"question":"Which library?","header":"Auth","options":[{"label":"JWT","description":"Stateless"},{"label":" Cookies ","description":"","preview":"x"}],"multiSelect":false}]}`
	twoQuestions = `{"questions":[{"question":"Which?","header":"A","options":[{"label":"One","description":""},{"label":"Two","description":""}],"multiSelect":false},` +
		`{"question":"What else?","header":"B","options":[{"label":"X","description":""},{"label":"Y, Z","description":""}],"multiSelect":true}],"metadata":{"source":"remember"}}`
)

// The hook answers Claude Code in the forms that it reads: by label, and in the user's own words.
func TestTheHookAnswersClaudeCode(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	allow := func(questions, answers string) string {
		var in struct{ Questions json.RawMessage }
		if err := json.Unmarshal([]byte(questions), &in); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(questions, `"metadata"`) {
			answers += `,"metadata":{"source":"remember"}`
		}
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{` + answers + `,"questions":` + string(in.Questions) + `}}}`
	}
	decided := func(decision string) string {
		return `{"hookSpecificOutput":{"decision":` + decision + `,"hookEventName":"PermissionRequest"}}`
	}
	asks := func(input string) string { return hookJSON("PreToolUse", "AskUserQuestion", input) }
	const bash = `{"command":"rm -rf node_modules","description":"Remove"}`
	for name, c := range map[string]struct{ stdin, answer, want string }{
		"an option":    {asks(oneQuestion), `{"value":"JWT"}`, allow(oneQuestion, `"answers":{"Which library?":"JWT"}`)},
		"as it spells": {asks(oneQuestion), `{"value":"Cookies"}`, allow(oneQuestion, `"annotations":{"Which library?":{"preview":"x"}},"answers":{"Which library?":" Cookies "}`)},
		"own words":    {asks(oneQuestion), `{"other":"Neither, <really>"}`, allow(oneQuestion, `"answers":{"Which library?":"Neither, <really>"}`)},
		"with a note":  {asks(oneQuestion), `{"value":"JWT","note":"short lived"}`, allow(oneQuestion, `"annotations":{"Which library?":{"notes":"short lived"}},"answers":{"Which library?":"JWT"}`)},
		"several":      {asks(twoQuestions), `{"answers":[{"value":"Two"},{"values":["Y, Z","X"],"other":"more"}]}`, allow(twoQuestions, `"answers":{"What else?":"X, Y, Z, more","Which?":"Two"}`)},
		"one declined": {asks(twoQuestions), `{"answers":[{"value":"Two"},{"declined":true}]}`, allow(twoQuestions, `"answers":{"Which?":"Two"}`)},
		"allowed":      {hookJSON("PermissionRequest", "Bash", bash), `{"value":true}`, decided(`{"behavior":"allow"}`)},
		"refused":      {hookJSON("PermissionRequest", "Bash", bash), `{"value":false}`, decided(`{"behavior":"deny","message":"The user refused."}`)},
		"refused, why": {hookJSON("PermissionRequest", "Bash", bash), `{"value":"no","note":"never"}`, decided(`{"behavior":"deny","message":"never"}`)},
		"declined":     {asks(oneQuestion), `{"declined":true}`, ""},
		"not decided":  {hookJSON("PermissionRequest", "Bash", bash), `{"declined":true}`, ""},
		"all declined": {asks(twoQuestions), `{"answers":[{"declined":true},{"declined":true}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := a.start(c.stdin, "hook", "claude-code")
			answers(t, p.url, c.answer)
			code, stdout, stderr := r.end()
			if code != 0 || strings.TrimSpace(stdout) != c.want || (stderr == "") != (c.want != "") {
				t.Errorf("exit %d\n got %s\nwant %s\n%s", code, stdout, c.want, stderr)
			}
		})
	}
}

// A question of the hook shows who asks, and the whole command that would run.
func TestWhatTheHookShows(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	r := a.start(hookJSON("PermissionRequest", "Bash", `{"command":"echo \u202e\n rm","timeout":1000}`), "hook", "claude-code")
	_, whole := call(t, "GET", p.url+"/v1/clarifications/"+waiting(t, p.url), "")
	var c struct {
		AskedBy           struct{ Name, Title string } `json:"askedBy"`
		Question, Details string
	}
	if err := json.Unmarshal([]byte(whole), &c); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", c), `{AskedBy:{Name:claude-code Title:Claude Code: shop} Question:Allow Bash: echo ⟨U+202E⟩ Details:echo ⟨U+202E⟩`+"\n"+` rm`+"\n\n"+`timeout: 1000}`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	answers(t, p.url, `{"value":true}`)
	r.end()

	// A command that mentions a secret is not a question for a secret.
	r = a.start(hookJSON("PermissionRequest", "Bash", `{"command":"export DB_PASSWORD=$(cat password.txt) && ./enter-your-password --api-key"}`), "hook", "claude-code")
	answers(t, p.url, `{"value":false}`)
	if _, stdout, stderr := r.end(); !strings.Contains(stdout, "deny") {
		t.Errorf("%s%s", stdout, stderr)
	}
}

// The terminal and other screens ask at the same time. What was decided in the terminal is withdrawn,
// and nothing else.
func TestTheTerminalAndAScreenAreAskedAtOnce(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	asked := func(session, tool, input string) (*running, string) {
		before := map[string]bool{}
		for _, id := range open(t, p.url) {
			before[id] = true
		}
		r := a.start(strings.Replace(hookJSON("PermissionRequest", tool, input), `"session_id":"s"`, `"session_id":"`+session+`"`, 1), "hook", "claude-code")
		var found string
		waitFor(t, func() bool {
			for _, id := range open(t, p.url) {
				if !before[id] {
					found = id
				}
			}
			return found != ""
		})
		return r, found
	}
	says := func(event, tool, input string) {
		t.Helper()
		told := strings.TrimSuffix(hookJSON(event, tool, input), "}") + `,"tool_use_id":"toolu_1","tool_response":{"stdout":"` + strings.Repeat("x", 2<<20) + `"}}`
		if code, stdout, stderr := a.run(told, "hook", "claude-code"); code != 0 || stdout+stderr != "" {
			t.Errorf("%s: exit %d: %q, %q", event, code, stdout, stderr)
		}
	}
	left := func(want ...string) {
		t.Helper()
		got := open(t, p.url)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%v wait, want %v", got, want)
		}
	}
	ls, one := asked("s", "Bash", `{"command":"ls"}`)
	_, two := asked("s", "Bash", `{"command":"ls -l"}`)
	_, three := asked("s", "AskUserQuestion", oneQuestion)
	_, four := asked("other", "Bash", `{"command":"ls"}`)
	left(one, two, three, four)
	says("PostToolUse", "Bash", `{ "command" : "ls" }`)
	left(two, three, four)
	if code, stdout, _ := ls.end(); code != 0 || stdout != "" {
		t.Errorf("exit %d: %q", code, stdout)
	}
	says("PostToolUse", "AskUserQuestion", strings.Replace(oneQuestion, `{"questions"`, `{"answers":{"Which library?":"JWT"},"questions"`, 1))
	left(two, four)
	says("PostToolUse", "Bash", `{"command":"never asked"}`)
	left(two, four)
	says("Stop", "", `null`)
	left(four)
	says("SessionEnd", "", `null`)
	left(four)

	// An unreachable gateway delays the terminal by at most hookPatience.
	if code, stdout, stderr := newAsker(t, "http://127.0.0.1:1", "ASKGATE_APP=helper").run(hookJSON("Stop", "", `null`), "hook", "claude-code"); code != 0 || stdout != "" || stderr == "" {
		t.Errorf("exit %d: %q, %q", code, stdout, stderr)
	}
}

// open returns the ids of the pending questions.
func open(t *testing.T, url string) (ids []string) {
	t.Helper()
	var list struct {
		Items []struct {
			ID string `json:"clarificationId"`
		} `json:"items"`
	}
	_, body := call(t, "GET", url+"/v1/clarifications", "")
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	for _, item := range list.Items {
		ids = append(ids, item.ID)
	}
	return ids
}

// The hook answers Codex by denying the call with the user's answer, and permissions in the form that
// Codex expects.
func TestCodexIsAnswered(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	const asks = `{"questions":[{"id":"env","header":"Where","question":"Deploy where?","options":[{"label":"Test","description":""},{"label":"Live","description":""}]}]}`
	for name, c := range map[string]struct{ stdin, answer, want string }{
		"answered": {hookJSON("PreToolUse", "request_user_input", asks), `{"value":"Live"}`,
			`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"The user has answered already, on another screen. This is not a refusal: go on with the answers, and do not ask again.\n\nQuestion: Deploy where?\nThe user's answer: Live\n\nThis is all that the user answered"}}`},
		"declined": {hookJSON("PreToolUse", "request_user_input", asks), `{"declined":true}`, ""},
		"allowed":  {hookJSON("PermissionRequest", "Bash", `{"command":"ls"}`), `{"value":true}`, `{"hookSpecificOutput":{"decision":{"behavior":"allow"},"hookEventName":"PermissionRequest"}}`},
	} {
		r := a.start(c.stdin, "hook", "codex")
		answers(t, p.url, c.answer)
		if code, stdout, stderr := r.end(); code != 0 || strings.TrimSpace(stdout) != c.want || (stderr == "") != (c.want != "") {
			t.Errorf("%s: exit %d\n got %s\nwant %s\n%s", name, code, stdout, c.want, stderr)
		}
	}
	secret := hookJSON("PreToolUse", "request_user_input", strings.Replace(asks, `"id":"env"`, `"isSecret":true,"id":"env"`, 1))
	if code, stdout, stderr := a.run(secret, "hook", "codex"); code != 0 || stdout != "" || !strings.Contains(stderr, "secret") {
		t.Errorf("exit %d: %q, %q", code, stdout, stderr)
	}
}

// If anything fails, the hook prints nothing and exits with 0, so that the terminal asks.
func TestTheHookLeavesItToTheTerminal(t *testing.T) {
	p := start(t, "", map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"apps/other.json":  `{"id": "other", "name": "Other", "tools": ["ask_user"]}`,
	})
	good := hookJSON("PreToolUse", "AskUserQuestion", oneQuestion)
	here := "ASKGATE_APP=helper"
	for name, c := range map[string]struct {
		stdin string
		env   []string
		args  []string
	}{
		"no gateway":           {good, []string{here, "ASKGATE_URL=http://127.0.0.1:1"}, nil},
		"no address":           {good, []string{here, "ASKGATE_URL=nowhere"}, nil},
		"no app":               {good, nil, nil},
		"another app":          {good, []string{"ASKGATE_APP=third"}, nil},
		"nothing":              {"", []string{here}, nil},
		"no JSON":              {"hello", []string{here}, nil},
		"another event":        {hookJSON("Notification", "AskUserQuestion", oneQuestion), []string{here}, nil},
		"another tool":         {hookJSON("PreToolUse", "Bash", `{"command":"ls"}`), []string{here}, nil},
		"nothing asked":        {hookJSON("PreToolUse", "AskUserQuestion", `{}`), []string{here}, nil},
		"what is refused":      {hookJSON("PreToolUse", "AskUserQuestion", strings.Replace(oneQuestion, "Which library?", "", 1)), []string{here}, nil},
		"too much to be shown": {hookJSON("PermissionRequest", "Write", `{"content":"`+strings.Repeat("x", 256<<10)+`"}`), []string{here}, nil},
		"expired":              {good, []string{here}, []string{"--expires-in", "1s"}},
		"a flag":               {good, []string{here}, []string{"--bogus"}},
		"a word":               {good, []string{here}, []string{"bogus"}},
		"a time":               {good, []string{here}, []string{"--expires-in", "soon"}},
	} {
		a := newAsker(t, p.url, c.env...)
		if code, stdout, stderr := a.run(c.stdin, append([]string{"hook", "claude-code"}, c.args...)...); code != 0 || stdout != "" || stderr == "" {
			t.Errorf("%s: exit %d: %q, %q", name, code, stdout, stderr)
		}
	}
}

// A hook that a signal ends withdraws its question; the terminal asks instead.
func TestAHookThatIsEndedTakesItsQuestionBack(t *testing.T) {
	p := start(t, "", oneApp)
	address, arrived := waits(t, p.url)
	r := newAsker(t, address).start(hookJSON("PreToolUse", "AskUserQuestion", oneQuestion), "hook", "claude-code")
	<-arrived
	id := waiting(t, p.url)
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := r.end(); code != 0 || stdout != "" {
		t.Errorf("exit %d: %q", code, stdout)
	}
	if _, whole := call(t, "GET", p.url+"/v1/clarifications/"+id, ""); !strings.Contains(whole, `"state":"cancelled"`) {
		t.Errorf("%s", whole)
	}
}

// A repeated call of the hook does not ask again: Claude Code may call it twice for one tool call.
func TestACallOfTheHookThatIsRepeatedIsNotAskedAgain(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	stdin := strings.Replace(hookJSON("PreToolUse", "AskUserQuestion", oneQuestion), `"session_id"`, `"tool_use_id":"toolu_1","session_id"`, 1)
	first := a.start(stdin, "hook", "claude-code")
	answers(t, p.url, `{"value":"JWT"}`)
	_, once, _ := first.end()
	if _, twice, stderr := a.run(stdin, "hook", "claude-code"); once == "" || twice != once {
		t.Errorf("%q and %q: %s", once, twice, stderr)
	}
}
