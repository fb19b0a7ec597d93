package openai

import (
	"encoding/json"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/front"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/store"
)

// tooling has the tools in a request by which its client can be called.
type tooling struct {
	names map[string]bool // false: an ask_user of the client's own
	asks  front.Demand    // of ask_user
	words bool            // a result in the chat was not an answer: it is asked in words to its end
}

// approves is the entry among a client's functions for a client that decides about calls of
// servers. No function can have this name.
const approves = "mcp "

// offered reads the tools of a request, in the shapes of Chat Completions and of Responses. It
// returns none if the request chooses not to call any.
func offered(tools []json.RawMessage, choice json.RawMessage) tooling {
	t := tooling{names: map[string]bool{}}
	if string(choice) == `"none"` {
		return t
	}
	for _, data := range tools {
		var f struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
			Function   struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		}
		if json.Unmarshal(data, &f) == nil {
			t.add(f.Name, f.Parameters)
			t.add(f.Function.Name, f.Function.Parameters)
		}
	}
	return t
}

// functions returns the functions of a client of Responses.
func functions(data json.RawMessage) tooling {
	t := tooling{names: map[string]bool{}}
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return t
	}
	for _, raw := range list {
		var f struct {
			Type       string          `json:"type"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		}
		if json.Unmarshal(raw, &f) == nil && f.Type == "function" {
			t.add(f.Name, f.Parameters)
		} else if f.Type == "mcp" {
			t.names[approves] = true
		}
	}
	return t
}

// add adds a function; if several have the same name, the first counts.
func (t *tooling) add(name string, parameters json.RawMessage) {
	if _, known := t.names[name]; name == "" || known {
		return
	}
	ok := true
	if name == front.AskUser {
		t.asks, ok = front.NewDemand(parameters)
	}
	t.names[name] = ok
}

// call reports whether a question goes out as a call, and not in words.
func (t *tooling) call(q front.Question) bool {
	return t.names[q.Tool] && (q.Class == front.Client || !t.words && t.asks.Takes(q.Input))
}

// in returns the tooling for questions of a chat.
func (t *tooling) in(view *store.View) {
	t.words = t.words || view != nil && front.InWords(view.Clarifications)
}

// mayCall reports whether one of the questions would go out as a call, in a chat that is not
// asked in words.
func (t *tooling) mayCall(asked []front.Question) bool {
	for _, q := range asked {
		if q.Class != front.Client && t.call(q) {
			return true
		}
	}
	return false
}

// unanswered notes a result that was not an answer.
func (t *tooling) unanswered(c *host.Request, of *chat.Clarification, why *front.NoAnswer) error {
	t.words = true
	return front.Unanswered(c, of, why.Reason)
}
