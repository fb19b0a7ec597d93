package config

import (
	"maps"
	"slices"
	"time"

	"github.com/askgate/askgate/tools"
)

// RememberUser is the value of Remember.Remember with which answers are kept.
const RememberUser = "user"

const (
	maxKeys        = 100
	maxRememberFor = 3650 * day
)

// Remember says whether, and for how long, answers to a question are kept of a person.
type Remember struct {
	Remember string   `json:"remember"`    // RememberUser, or "" for not
	For      Duration `json:"rememberFor"` // 0: until the person deletes it
	Silent   bool     `json:"silent"`      // a person may have it used without being asked
}

// MemoryTools are the ids of the tools by which a model keeps words of a person, which an app
// has with App.Memory.
var MemoryTools = []string{"remember", "forget"}

// rememberKeys are the keys of a Remember, wherever they stand.
func rememberKeys(dst *Remember, at map[string]Node) Keys {
	return Keys{
		"remember": func(n Node) {
			at["remember"] = n
			n.OneOf(&dst.Remember, "value", RememberUser)
		},
		"rememberFor": func(n Node) {
			at["rememberFor"] = n
			n.Duration(&dst.For, time.Second, maxRememberFor, "until the person deletes it")
		},
		"silent": func(n Node) {
			at["silent"] = n
			n.Boolean(&dst.Silent)
		},
	}
}

// rememberTogether faults what says how answers are kept where they are not.
func rememberTogether(r *Remember, at map[string]Node) {
	for _, key := range []string{"rememberFor", "silent"} {
		if n, given := at[key]; given && r.Remember == "" && at["remember"].v == nil {
			n.Fault(`%q is about "remember", which is not there; add "remember": "user", or remove the key`, key)
		}
	}
}

// remembered reads clarifications.keys: those of an app stand in place of the gateway's.
func (n Node) remembered(dst *map[string]Remember) {
	list, ok := n.Members()
	if !ok {
		return
	}
	if len(list) > maxKeys {
		list[maxKeys].Name.Fault("too many keys; at most %d are allowed", maxKeys)
		list = list[:maxKeys]
	}
	keys := map[string]Remember{}
	for _, m := range list {
		if !tools.IsKey(m.Key) {
			m.Name.Fault(`%s is no key of a question; write 1 to %d of the characters A-Z, a-z, 0-9, "_", "." and "-", like "report_format"`, m.Name.Raw(), tools.MaxKey)
			continue
		}
		var r Remember
		at := map[string]Node{}
		if m.Object(rememberKeys(&r, at), nil) {
			rememberTogether(&r, at)
		}
		keys[m.Key] = r
	}
	*dst = keys
}

// templateRemember adds the keys of a template that are about remembering to known.
func templateRemember(t *Template, known Keys) (together func()) {
	at := map[string]Node{}
	maps.Copy(known, rememberKeys(&t.Remember, at))
	return func() { rememberTogether(&t.Remember, at) }
}

// memoryTools gives an app that keeps words the tools for it.
func (l *loader) memoryTools(a *App, own toolSet) {
	if !a.Memory {
		return
	}
	for _, id := range MemoryTools {
		if !slices.Contains(a.Tools, id) && (find(own.byID, id) != nil || find(l.shared.byID, id) != nil) {
			a.Tools = append(a.Tools, id)
		}
	}
}
