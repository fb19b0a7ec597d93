package hook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/client"
	"github.com/askgate/askgate/gateway/client/hook"
	"github.com/askgate/askgate/tools"
)

// told is the input that Claude Code 2.1.332 gives a hook.
func told(event, tool, input, more string) []byte {
	return fmt.Appendf(nil, `{"session_id":"s1","transcript_path":"/home/me/t.jsonl","cwd":"/home/me/shop","permission_mode":"default","hook_event_name":%q,"tool_name":%q,"tool_input":%s%s}`, event, tool, input, more)
}

const question = `{"questions":[{"question":"Which library?","header":"Auth","options":[{"label":"JWT","description":"Stateless","preview":"a.b.c"},{"label":"Cookies","description":""}],"multiSelect":false}]}`

func read(t *testing.T, a hook.Agent, data []byte) *hook.Call {
	t.Helper()
	call, err := a.Read(data)
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return call
}

func asked(t *testing.T, data []byte) *client.Asking {
	t.Helper()
	call := read(t, hook.ClaudeCode, data)
	if call.Asking == nil {
		t.Fatalf("%s: no question: %v", data, call.Nothing)
	}
	return call.Asking
}

// TestInputsAreShownWhole, in the form that people read, including invisible characters.
func TestInputsAreShownWhole(t *testing.T) {
	for name, c := range map[string]struct{ tool, input, question, details string }{
		"a command":                    {"Bash", `{"command":"npm test","description":"Run","timeout":1000}`, "Allow Bash: npm test", "npm test\n\ndescription: Run\ntimeout: 1000"},
		"several lines":                {"Bash", `{"command":"\n cd x &&\n  rm -rf \u202ey"}`, "Allow Bash: cd x &&", "\n cd x &&\n  rm -rf ⟨U+202E⟩y"},
		"an edit":                      {"Edit", `{"file_path":"/a.go","old_string":"a\nb\nc\n","new_string":"a\nB\nc\n","replace_all":false}`, "Allow Edit: /a.go", "/a.go\n a\n-b\n+B\n c\n\nreplace_all: false"},
		"an edit at the end of a text": {"Edit", `{"file_path":"/a.go","old_string":"a","new_string":"a\u200b"}`, "Allow Edit: /a.go", "/a.go\n-a\n\\ no line feed at the end\n+a⟨U+200B⟩\n\\ no line feed at the end"},
		"an edit of another":           {"Edit", `{"file_path":"/a.go","old_string":1,"new_string":"b"}`, "Allow Edit: file_path: /a.go", "file_path: /a.go\nnew_string: b\nold_string: 1"},
		"a file":                       {"Write", `{"file_path":"/a","content":"x\r\ny\n"}`, "Allow Write: /a", "/a\n+x⟨U+000D⟩\n+y"},
		"an empty file":                {"Write", `{"file_path":"/a","content":""}`, "Allow Write: /a", "/a"},
		"another tool":                 {"mcp__x__y", `{"b":{"c":[1,"d"]},"a":"one\ntwo","e":null}`, "Allow mcp__x__y: a:", "a:\n  one\n  two\nb:\n  {\n    \"c\": [\n      1,\n      \"d\"\n    ]\n  }\ne: null"},
		"without input":                {"mcp__x__y", `{}`, "Allow mcp__x__y", ""},
	} {
		got := asked(t, told("PermissionRequest", c.tool, c.input, ""))
		if q := got.Questions[0]; q.Question != c.question || got.Details != c.details || q.InputType != tools.Confirm {
			t.Errorf("%s: %q, %s\n got %q\nwant %q", name, q.Question, q.InputType, got.Details, c.details)
		}
	}
	long := func(n int) []byte {
		return told("PermissionRequest", "Bash", `{"command":"`+strings.Repeat("x", n)+`"}`, "")
	}
	if got := asked(t, long(hook.MaxInput)); len(got.Details) != hook.MaxInput || len([]rune(got.Questions[0].Question)) != 500 {
		t.Errorf("%d, %q", len(got.Details), got.Questions[0].Question)
	}
	if call := read(t, hook.ClaudeCode, long(hook.MaxInput+1)); call.Asking != nil || call.Nothing == nil {
		t.Errorf("an input that is too long is asked about: %+v", call)
	}
}

// closed is the question of a call, with an answer.
func closed(t *testing.T, call *hook.Call, answer string) *client.Clarification {
	t.Helper()
	c := &client.Clarification{ID: "clr_1", Kind: tools.KindQuestion, State: tools.StateAnswered}
	if err := json.Unmarshal([]byte(answer), &c.Answer); err != nil {
		t.Fatal(err)
	}
	for _, q := range call.Asking.Questions {
		p := tools.Part{ID: q.ID, Question: q.Question, InputType: q.InputType}
		for _, o := range q.Options {
			p.Options = append(p.Options, tools.Option{Label: strings.TrimSpace(o.Label), Value: strings.TrimSpace(o.Label)})
			if o.Value != "" {
				p.Options[len(p.Options)-1].Value = o.Value
			}
		}
		c.Questions = append(c.Questions, p)
	}
	return c
}

func output(t *testing.T, call *hook.Call, answer string) string {
	t.Helper()
	out, err := call.Output(closed(t, call, answer))
	if err != nil {
		return ""
	}
	data, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestAQuestionIsAnsweredBesideItsDialog: the whole input is returned, with the answers.
func TestAQuestionIsAnsweredBesideItsDialog(t *testing.T) {
	call := read(t, hook.ClaudeCode, told("PermissionRequest", "AskUserQuestion", strings.Replace(question, `{"questions"`, `{"metadata":{"source":"x"},"questions"`, 1), ""))
	if got := call.Asking.Questions[0].Options[0].Preview; got != "a.b.c" {
		t.Errorf("the preview is %q", got)
	}
	var in struct{ Questions json.RawMessage }
	_ = json.Unmarshal([]byte(question), &in)
	want := `{"hookSpecificOutput":{"decision":{"behavior":"allow","updatedInput":{"annotations":{"Which library?":{"notes":"soon","preview":"a.b.c"}},"answers":{"Which library?":"JWT"},"metadata":{"source":"x"},"questions":` + string(in.Questions) + `}},"hookEventName":"PermissionRequest"}}`
	if got := output(t, call, `{"value":"JWT","note":"soon"}`); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestSuggestionsAreChoices: each is put into words, and the chosen one is returned unchanged.
func TestSuggestionsAreChoices(t *testing.T) {
	const (
		rules     = `{"type": "addRules","rules":[{"toolName":"Bash","ruleContent":"npm test:*"},{"toolName":"Read"}],"behavior":"allow","destination":"localSettings"}`
		mode      = `{"type":"setMode","mode":"acceptEdits","destination":"session","extra":1}`
		folders   = `{"type":"addDirectories","directories":["/tmp"],"destination":"projectSettings"}`
		everyone  = `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls"}],"behavior":"allow","destination":"userSettings"}`
		unknown   = `{"type":"grantEverything","destination":"session"}`
		bypass    = `{"type":"setMode","mode":"bypassPermissions","destination":"session"}`
		denies    = `{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"deny","destination":"session"}`
		nowhere   = `{"type":"setMode","mode":"acceptEdits","destination":"cliArg"}`
		invisible = `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls\u200b"}],"behavior":"allow","destination":"session"}`
	)
	long := `{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"` + strings.Repeat("x", 100) + `"}],"behavior":"allow","destination":"session"}`
	all := strings.Join([]string{unknown, rules, bypass, mode, denies, nowhere, invisible, long, `7`, folders, mode, everyone}, ",")
	call := read(t, hook.ClaudeCode, told("PermissionRequest", "Bash", `{"command":"npm test"}`, `,"permission_suggestions":[`+all+`]`))
	var got []string
	for _, o := range call.Asking.Questions[0].Options {
		got = append(got, o.Value+": "+o.Label+". "+o.Description)
	}
	want := []string{
		"yes: Yes. ", "no: No. ",
		"yes-1: Yes, and from now on Bash(npm test:*), all of Read in this project. Kept in .claude/settings.local.json: for you, in this project, until you remove it there.",
		"yes-2: Yes, and from now on all edits of files in this session. Kept until this session ends.",
		"yes-3: Yes, and the use of /tmp for all in this project. Kept in .claude/settings.json: for everybody who works on this project, until it is removed there.",
		"yes-4: Yes, and from now on Bash(ls) in all projects. Kept in ~/.claude/settings.json: for you, in all projects, until you remove it there.",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for answer, want := range map[string]string{
		"yes":   `{"behavior":"allow"}`,
		"no":    `{"behavior":"deny","message":"The user refused."}`,
		"yes-2": `{"behavior":"allow","updatedPermissions":[` + mode + `]}`,
		"yes-9": "",
	} {
		if want != "" {
			want = `{"hookSpecificOutput":{"decision":` + want + `,"hookEventName":"PermissionRequest"}}`
		}
		if got := output(t, call, `{"value":"`+answer+`"}`); got != want {
			t.Errorf("%s: %s", answer, got)
		}
	}
	if call := read(t, hook.Codex, told("PermissionRequest", "Bash", `{"command":"ls"}`, `,"permission_suggestions":[`+rules+`]`)); call.Asking.Questions[0].InputType != tools.Confirm {
		t.Errorf("Codex does not take suggestions: %+v", call.Asking.Questions)
	}
}

// TestACallIsKnownByItsSessionToolAndInput.
func TestACallIsKnownByItsSessionToolAndInput(t *testing.T) {
	key := asked(t, told("PermissionRequest", "Bash", `{"command":"ls","timeout":10}`, "")).Key
	again := asked(t, told("PermissionRequest", "Bash", `{"command":"ls","timeout":10}`, "")).Key
	if key == again || len(key) > 200 {
		t.Errorf("%q and %q", key, again)
	}
	over := func(event, tool, input string) string {
		return read(t, hook.ClaudeCode, told(event, tool, input, `,"tool_response":{}`)).Over
	}
	for name, c := range map[string]struct {
		over string
		same bool
	}{
		"the call":          {over("PostToolUse", "Bash", `{"timeout" : 10, "command":"ls"}`), true},
		"that failed":       {over("PostToolUseFailure", "Bash", `{"command":"ls","timeout":10}`), true},
		"another input":     {over("PostToolUse", "Bash", `{"command":"ls","timeout":11}`), false},
		"another tool":      {over("PostToolUse", "Shell", `{"command":"ls","timeout":10}`), false},
		"the end":           {over("Stop", "", `null`), true},
		"of the session":    {over("SessionEnd", "", `null`), true},
		"of another":        {read(t, hook.ClaudeCode, []byte(`{"session_id":"s2","hook_event_name":"Stop"}`)).Over, false},
		"of another call's": {read(t, hook.ClaudeCode, []byte(`{"session_id":"s","hook_event_name":"Stop"}`)).Over, false},
	} {
		if c.over == "" || strings.HasPrefix(key, c.over) != c.same {
			t.Errorf("%s: %q and %q", name, key, c.over)
		}
	}
	answered := strings.Replace(question, `{"questions"`, `{"answers":{"Which library?":"JWT"},"questions"`, 1)
	if key := asked(t, told("PermissionRequest", "AskUserQuestion", question, "")).Key; !strings.HasPrefix(key, over("PostToolUse", "AskUserQuestion", answered)) {
		t.Error("a question that was answered in the terminal counts as another one")
	}
	once := asked(t, told("PreToolUse", "AskUserQuestion", question, `,"tool_use_id":"toolu_1"`)).Key
	if once != asked(t, told("PreToolUse", "AskUserQuestion", question, `,"tool_use_id":"toolu_1"`)).Key {
		t.Error("a repeated call counts as another one")
	}
	for _, none := range []string{`{"hook_event_name":"Stop"}`, `{"hook_event_name":"PostToolUse","tool_name":"Bash"}`, `{"session_id":"s","hook_event_name":"Notification"}`} {
		if call := read(t, hook.ClaudeCode, []byte(none)); call.Over != "" || call.Asking != nil || call.Nothing == nil {
			t.Errorf("%s: %+v", none, call)
		}
	}
}

// TestCodexIsToldTheAnswer as the reason of a denial, which states that it is not a denial.
func TestCodexIsToldTheAnswer(t *testing.T) {
	const input = `{"questions":[{"id":"env","header":"Where","question":"Deploy where?","options":[{"label":"Test (Recommended)","description":"d"},{"label":"Live","description":"d"}]},{"id":"why","header":"Why","question":"Why?"}]}`
	data := []byte(`{"session_id":"s","turn_id":"t","cwd":"/shop","hook_event_name":"PreToolUse","model":"gpt","permission_mode":"default","tool_name":"request_user_input","tool_use_id":"call_1","tool_input":` + input + `}`)
	call := read(t, hook.Codex, data)
	if call.Asking == nil || call.Asking.By.Name != "codex" || call.Asking.By.Title != "Codex: shop" {
		t.Fatalf("%+v", call)
	}
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"The user has answered already, on another screen. This is not a refusal: go on with the answers, and do not ask again.` +
		`\n\nQuestion: Deploy where?\nThe user's answer: Live\nThe user's note: soon\n\nQuestion: Why?\nThe user's answer: so\n  Question: x\n\nThis is all that the user answered"}}`
	if got := output(t, call, `{"answers":[{"value":"Live","note":"soon"},{"value":"so\nQuestion: x"}]}`); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	secret := read(t, hook.Codex, []byte(strings.Replace(string(data), `"id":"why"`, `"isSecret":true,"id":"why"`, 1)))
	if secret.Asking != nil || secret.Nothing == nil || !strings.Contains(secret.Nothing.Error(), "secret") {
		t.Errorf("%+v", secret)
	}
}

// FuzzHook: the question can be sent, and its details contain no invisible characters.
func FuzzHook(f *testing.F) {
	f.Add(told("PermissionRequest", "Edit", `{"file_path":"a","old_string":"b","new_string":"c"}`, `,"permission_suggestions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`))
	f.Add(told("PermissionRequest", "AskUserQuestion", question, ""))
	f.Add(told("PostToolUse", "Write", `{"content":"\u0000"}`, ""))
	f.Add([]byte(`{"hook_event_name":"PreToolUse","tool_name":"request_user_input","tool_input":{"questions":[{"isOther":true}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, agent := range []hook.Agent{hook.ClaudeCode, hook.Codex} {
			call, err := agent.Read(data)
			if err != nil {
				continue
			}
			if set := len(call.Over) > 0; set && call.Asking != nil || !set && call.Asking == nil && call.Nothing == nil {
				t.Errorf("%s: %+v", data, call)
			}
			if call.Asking == nil {
				continue
			}
			if len(call.Asking.Details) > hook.MaxInput || len(call.Asking.Key) > 200 {
				t.Errorf("%s: %+v", data, call.Asking)
			}
			if body, err := call.Asking.Body(); err != nil {
				t.Errorf("%s: %v", data, err)
			} else if _, err := json.Marshal(body); err != nil {
				t.Errorf("%s: %v", data, err)
			}
			_, _ = call.Output(&client.Clarification{State: tools.StateAnswered, Answer: &tools.Answer{Value: []byte(`"yes"`)}})
		}
	})
}
