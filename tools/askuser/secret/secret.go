package secret

import (
	"fmt"
	"strings"

	"github.com/askgate/askgate/tools"
)

// Kind is the kind of a secret.
type Kind string

// The kinds.
const (
	Password Kind = "password" // passphrases and login data too
	PIN      Kind = "pin"
	Code     Kind = "code"     // one-time, verification and recovery codes
	Card     Kind = "card"     // number, check digits or data of a payment card
	Key      Kind = "key"      // private, API and recovery keys, tokens, seed phrases
	Identity Kind = "identity" // social security numbers
)

// Finding is the first secret that a question asks for.
type Finding struct {
	Kind  Kind
	Field string // of the part, as the contract names it: question, options[2].label
}

// Find says whether a question asks the person to write a secret down. It is pure and
// deterministic, and safe for concurrent use.
func Find(p tools.Part) (Finding, bool) {
	if !writable(p) {
		return Finding{}, false
	}
	var room []word
	var topic Kind
	for _, f := range [...]struct{ name, text string }{{"header", p.Header}, {"context", p.Context}, {"validation.message", message(p)}} {
		if !speaks(f.text) {
			continue
		}
		t := newText(f.text, &room)
		if kind := t.asked(""); kind != "" {
			return Finding{kind, f.name}, true
		}
		if topic == "" {
			topic = t.topic
		}
	}
	if topic != "" || speaks(p.Question) {
		t := newText(p.Question, &room)
		kind := t.asked(topic)
		if kind == "" {
			kind = t.bare(0, len(t.words))
		}
		if kind == "" {
			kind = t.listed()
		}
		if kind != "" {
			return Finding{kind, "question"}, true
		}
	}
	if kind := hinted(p.Placeholder, &room); kind != "" {
		return Finding{kind, "placeholder"}, true
	}
	for i, o := range p.Options {
		for _, f := range [...]struct{ name, text string }{{"label", o.Label}, {"description", o.Description}} {
			if !speaks(f.text) {
				continue
			}
			t := newText(f.text, &room)
			if kind := t.asked(""); kind != "" {
				return Finding{kind, fmt.Sprintf("options[%d].%s", i, f.name)}, true
			}
		}
	}
	return Finding{}, false
}

// writable says whether an answer can hold text of the person's own.
func writable(p tools.Part) bool {
	return p.InputType == tools.Text || p.InputType == tools.Number || p.AllowOther
}

func message(p tools.Part) string {
	if p.Validation == nil {
		return ""
	}
	return p.Validation.Message
}

// beginnings are how keys of well-known services begin, and key files.
// Source: the services' own secret scanning patterns, docs.github.com.
var beginnings = []string{"sk-", "sk_live_", "sk_test_", "rk_live_", "ghp_", "gho_", "github_pat_", "glpat-", "AKIA", "xoxb-", "xoxp-", "AIza", "-----BEGIN"}

// hinted reads a placeholder, which shows what belongs into the field: the name of a
// secret or how one begins.
func hinted(placeholder string, room *[]word) Kind {
	for _, b := range beginnings {
		if strings.HasPrefix(placeholder, b) {
			return Key
		}
	}
	if !speaks(placeholder) {
		return ""
	}
	t := newText(placeholder, room)
	if kind := t.asked(""); kind != "" {
		return kind
	}
	for from, to := range t.clauses() {
		if kind := t.bare(from, to); kind != "" {
			return kind
		}
	}
	return ""
}
