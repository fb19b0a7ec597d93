package upstream

import (
	"encoding/json"
	"net/http"
	"time"
)

// MaxState is how much state of one answer a client collects, in bytes: as much as is stored of a
// chat. Of more, nothing goes back: servers refuse a part.
const MaxState = 8 << 20

// Count is a number of tokens as a server wrote it. Far above any count it is cut: a float beyond
// int64 would not convert.
func Count(n float64) int64 { return int64(min(max(n, 0), 1<<50)) }

// Settings say how one model is asked: the same for all providers, each of which reads what its
// API has.
type Settings struct {
	BaseURL string // of the provider's API; an endpoint behind it is fine
	APIKey  string // "" for none
	Model   string // the server's name of the model

	Timeout     time.Duration // to the first byte and between bytes; 0: DefaultTimeout
	StepTimeout time.Duration // of a whole request; 0: ten times Timeout
	MaxRetries  int           // further attempts after one that failed before the first piece; below 0: none

	MaxTokens   int      // of one answer, its reasoning included; 0: the provider's default
	Temperature *float64 // nil: not sent; an app's own wins
	Effort      string   // of the reasoning, in the words of the configuration; "": not sent
	Show        bool     // people are shown the reasoning
	Cache       bool     // prompts are marked for the server's cache

	Header http.Header // sent with each request, beside the provider's own
	// Body is merged into each request: objects member by member, anything else replaces, and null
	// takes a member out.
	Body    map[string]json.RawMessage
	Secrets []string // beside APIKey: values of headers, and whatever else came from the environment
	Notes   *Notes   // told of refusals and of what was learnt; nil: nobody is
	// Transport carries the requests; nil: one of its own, made for many long streams. A redirect is
	// reported, not followed: that would carry the prompt to another host.
	Transport http.RoundTripper
}
