package main

import (
	"bytes"
	"strings"
	"testing"
)

// pending and answer accept the words that a person uses.
func TestPendingAndAnswer(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	const (
		which = `{"question":"Which?","options":[{"label":"Europe","value":"eu"},{"label":"United States","value":"us"}]}`
		other = `{"question":"Which?","options":["a","b"],"allow_other":true}`
		many  = `{"question":"Which?","input_type":"multiselect","options":["a","b","c"],"allow_other":true}`
		form  = `{"questions":[{"id":"env","question":"Where?","options":["test","live"]},{"id":"what","question":"What?","allow_skip":true}]}`
	)
	for name, c := range map[string]struct {
		question string
		args     []string
		code     int // of answer
		values   string
	}{
		"value":            {which, []string{"us"}, 0, "us\n"},
		"label":            {which, []string{"united states"}, 0, "us\n"},
		"no option":        {which, []string{"asia"}, 1, ""},
		"two":              {which, []string{"eu", "us"}, 2, ""},
		"own words":        {other, []string{"neither of them"}, 0, "neither of them\n"},
		"several":          {many, []string{"C", "a", "neither"}, 0, "a\nc\nneither\n"},
		"form":             {form, []string{"what=a = b", "env=live"}, 0, "env: live\nwhat: a = b\n"},
		"form, skipped":    {form, []string{"env=live"}, 0, "env: live\n"},
		"form, missing":    {form, []string{"what=x"}, 1, ""},
		"form, unnamed":    {form, []string{"live"}, 2, ""},
		"number":           {`{"question":"N?","input_type":"number"}`, []string{"1.50"}, 0, "1.50\n"},
		"scale":            {`{"question":"S?","input_type":"scale"}`, []string{"4"}, 0, "4\n"},
		"off the scale":    {`{"question":"S?","input_type":"scale"}`, []string{"6"}, 1, ""},
		"order":            {`{"question":"R?","input_type":"rank","options":["a","b","c"]}`, []string{"C", "a", "b"}, 0, "c\na\nb\n"},
		"half an order":    {`{"question":"R?","input_type":"rank","options":["a","b","c"]}`, []string{"c", "a"}, 1, ""},
		"time":             {`{"question":"T?","input_type":"datetime"}`, []string{"2026-12-31T12:00:00+01:00"}, 0, "2026-12-31T12:00:00+01:00\n"},
		"no offset":        {`{"question":"T?","input_type":"datetime"}`, []string{"2026-12-31T12:00:00"}, 1, ""},
		"no number":        {`{"question":"N?","input_type":"number"}`, []string{"many"}, 1, ""},
		"words for number": {`{"question":"N?","input_type":"number","allow_other":true}`, []string{"a few"}, 0, "a few\n"},
		"number, or words": {`{"question":"N?","input_type":"number","allow_other":true,"validation":{"max":3}}`, []string{"4"}, 1, ""},
		"words for date":   {`{"question":"D?","input_type":"date","allow_other":true}`, []string{"on Monday"}, 0, "on Monday\n"},
		"words for yes":    {`{"question":"Sure?","input_type":"confirm","allow_other":true}`, []string{"if it rains"}, 0, "if it rains\n"},
		"confirm":          {`{"question":"Sure?","input_type":"confirm"}`, []string{"YES"}, 0, "yes\n"},
		"decline":          {which, []string{"--decline", "--note", "busy"}, 0, ""},
		"skip":             {which, []string{"--skip"}, 1, ""},
		"value and skip":   {which, []string{"eu", "--skip"}, 2, ""},
		"nothing":          {which, nil, 2, ""},
		"a text of dashes": {`{"question":"Q?"}`, []string{"--", "--force"}, 0, "--force\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := a.start(c.question, "ask")
			id := waiting(t, p.url)
			code, stdout, stderr := a.run("", append([]string{"answer", id}, c.args...)...)
			if code != c.code || stdout != "" || (stderr == "") != (code == 0) {
				t.Errorf("exit %d: %q, %s", code, stdout, stderr)
			}
			if code != 0 {
				if code, _, stderr := a.run(`{"declined":true}`, "answer", id); code != 0 {
					t.Errorf("JSON: exit %d: %s", code, stderr)
				}
			}
			if _, stdout, _ := r.end(); stdout != c.values {
				t.Errorf("%q", stdout)
			}
			if code, _, stderr := a.run("", "answer", id, "--decline"); code != 1 || !strings.Contains(stderr, "already_answered") {
				t.Errorf("a second answer: exit %d: %s", code, stderr)
			}
		})
	}
	if code, stdout, stderr := a.run("", "pending"); code != 0 || stdout != "" || stderr != "" {
		t.Errorf("nothing waits: exit %d: %q, %s", code, stdout, stderr)
	}
	a.start(form, "ask", "--as", "deploy", "--title", "CI 1")
	id := waiting(t, p.url)
	if code, stdout, _ := a.run("", "pending"); code != 0 || !strings.HasPrefix(stdout, id+"\thelper\tdeploy") || !strings.HasSuffix(stdout, "\tenv: Where? [test|live]; what: What?\n") {
		t.Errorf("exit %d: %q", code, stdout)
	}
	if code, stdout, _ := a.run("", "pending", "--json"); code != 0 || !strings.HasPrefix(stdout, `{"app":"helper"`) || !bytes.Contains([]byte(stdout), []byte(id)) {
		t.Errorf("exit %d: %q", code, stdout)
	}
	if code, _, stderr := a.run("", "answer", "clr_none", "x"); code != 1 || !strings.Contains(stderr, "clr_none") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// askgate answer --forget deletes the answer, also again, and says what it cannot delete.
func TestAnswersAreForgotten(t *testing.T) {
	p := start(t, "", oneApp)
	a := newAsker(t, p.url)
	r := a.start("", "ask", "Why?")
	id := waiting(t, p.url)
	if code, _, stderr := a.run("", "answer", id, "--forget"); code != 1 || !strings.Contains(stderr, "clarification_pending") {
		t.Errorf("while it waits: exit %d: %s", code, stderr)
	}
	if code, _, stderr := a.run("", "answer", id, "--forget", "because"); code != 2 || !strings.Contains(stderr, "--forget") {
		t.Errorf("with a value: exit %d: %s", code, stderr)
	}
	answers(t, p.url, `{"value":"because"}`)
	r.end()
	for range 2 {
		if code, stdout, stderr := a.run("", "answer", id, "--forget"); code != 0 || stdout+stderr != "" {
			t.Errorf("exit %d: %s%s", code, stdout, stderr)
		}
	}
	if got := p.body("GET", "/v1/clarifications/"+id, ""); !strings.Contains(got, `"answer":{"deleted":true}`) {
		t.Errorf("afterwards: %s", got)
	}
}
