package strict

import (
	"fmt"
	"slices"
	"strings"
)

// match finds the message of the server's that m repeats; nil: m was made by another server.
func (d dialect) match(a *asked, m node) *handed {
	mine := calls(m)
	for _, h := range a.s.handed {
		theirs := calls(obj(h.echo))
		if len(theirs) != len(mine) {
			continue
		}
		if len(mine) == 0 {
			if plain(said(m["content"])) == plain(said(obj(h.echo)["content"])) {
				return h
			}
			continue
		}
		for j, c := range mine {
			name, arguments := function(c)
			hisName, hisArguments := function(theirs[j])
			// An id that cannot be guessed is proof; one such as call_0 has to come with its words.
			if c["id"] == theirs[j]["id"] && (len(str(c["id"])) >= 9 || readAs(arguments, hisArguments)) && c["id"] != "" || name == hisName && readAs(arguments, hisArguments) && repeated(a, h) {
				return h
			}
		}
	}
	return nil
}

// repeated reports whether a call's id is blank, or was used before, so that a gateway must replace it.
func repeated(a *asked, of *handed) bool {
	seen := map[string]bool{"": true}
	for _, h := range a.s.handed {
		for _, id := range h.ids {
			if h == of && seen[id] {
				return true
			}
			seen[id] = true
		}
	}
	return false
}

// plain returns a text without reasoning in tags at its beginning, and without white space around
// it.
func plain(s string) string {
	s = strings.TrimSpace(s)
	if _, after, ok := strings.Cut(s, "</think>"); ok && strings.HasPrefix(s, "<think>") {
		s = after
	}
	return strings.TrimSpace(s)
}

// place returns the state of m that this dialect knows: of the message, and of each call.
func (d dialect) place(m node) (any, []any) {
	var onCalls []any
	for _, c := range calls(m) {
		onCalls = append(onCalls, c[d.state])
	}
	switch d.state {
	case "":
		return nil, nil
	case "tags", "split":
		if m["reasoning_details"] != nil {
			return m["reasoning_details"], nil
		}
		if head, _, ok := strings.Cut(said(m["content"]), "</think>"); ok {
			return head, nil
		}
		return nil, nil
	case "chunk":
		var thought strings.Builder // a client may join the pieces, or keep them
		for _, p := range objs(m["content"]) {
			for _, t := range objs(p["thinking"]) {
				thought.WriteString(str(t["text"]))
			}
		}
		return orNull(thought.String()), nil
	}
	return m[d.state], onCalls
}

// foreign reports whether m has state of this dialect that the server did not hand out with it.
func (d dialect) foreign(a *asked, m node) bool {
	got, onCalls := d.place(m)
	if h := d.match(a, m); h != nil {
		want, wantOnCalls := d.place(obj(h.echo))
		if got != nil && got != "" && !same(got, want) {
			return true
		}
		for j, c := range onCalls {
			if c != nil && !sentinel(c) && !same(c, wantOnCalls[j]) {
				return true
			}
		}
		return false
	}
	return got != nil && got != "" || slices.ContainsFunc(onCalls, func(c any) bool { return c != nil && !sentinel(c) })
}

// sentinel reports whether v is the state that Google documents for calls whose state is unknown.
func sentinel(v any) bool {
	return str(obj(obj(v)["google"])["thought_signature"]) == skipValidator
}

// skipValidator is the sentinel (ai.google.dev/gemini-api/docs/thought-signatures).
const skipValidator = "skip_thought_signature_validator"

// flaws returns the deviations that the server accepts silently.
func (d dialect) flaws(a *asked) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for i, m := range a.messages {
		if m["role"] != "assistant" {
			continue
		}
		h := d.match(a, m)
		if h == nil {
			d.strangerFlaws(a, i, m, add)
			continue
		}
		echo := obj(h.echo)
		want, wantOnCalls := d.place(echo)
		got, gotOnCalls := d.place(m)
		if want != nil && !same(got, want) {
			add("message %d: state %s is %s, and was %s", i, d.state, canon(got), canon(want))
		}
		for _, k := range stateMembers {
			if echo[k] != nil && k != d.state && !same(m[k], echo[k]) {
				add("message %d: %s is %s, and was %s", i, k, canon(m[k]), canon(echo[k]))
			}
		}
		for j := range wantOnCalls {
			if wantOnCalls[j] != nil && !same(gotOnCalls[j], wantOnCalls[j]) {
				add("message %d: state %s of call %d is %s, and was %s", i, d.state, j, canon(gotOnCalls[j]), canon(wantOnCalls[j]))
			}
		}
		if said(m["content"]) != said(echo["content"]) {
			add("message %d: the text is %q, and was %q", i, said(m["content"]), said(echo["content"]))
		}
		for j, c := range calls(m) {
			was := calls(echo)[j]
			switch name, arguments := function(c); {
			case same(c["function"], was["function"]):
			case name == str(obj(was["function"])["name"]) && !isObject(str(obj(was["function"])["arguments"])): // it would be refused
			case name == str(obj(was["function"])["name"]) && sameJSON(arguments, str(obj(was["function"])["arguments"])):
				add("message %d: call %d is written differently: %s, and was %s", i, j, canon(c["function"]), canon(was["function"]))
			default:
				add("message %d: call %d is %s, and was %s", i, j, canon(c["function"]), canon(was["function"]))
			}
			if was["id"] != "" && c["id"] != was["id"] && !repeated(a, h) {
				add("message %d: id of call %d is %v, and was %v", i, j, c["id"], was["id"])
			}
		}
	}
	return found
}

// strangerFlaws returns those of a message that the server did not make.
func (d dialect) strangerFlaws(a *asked, i int, m node, add func(string, ...any)) {
	for _, k := range stateMembers {
		if v, there := m[k]; there && v != "" {
			add("message %d of another maker has %s", i, k)
		}
		for j, c := range calls(m) {
			if v, there := c[k]; there && !sentinel(v) {
				add("message %d of another maker has %s at call %d", i, k, j)
			}
		}
	}
	for j, c := range calls(m) {
		if !nine.MatchString(str(c["id"])) {
			add("message %d of another maker: the id of call %d is %v", i, j, c["id"])
		}
	}
	if strings.Contains(said(m["content"]), "<think>") {
		add("message %d of another maker has reasoning in its text", i)
	}
}
