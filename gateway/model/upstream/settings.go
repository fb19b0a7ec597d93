package upstream

import (
	"encoding/json"
	"net/http"
	"time"
)

// MaxState is the most bytes of state that a client collects from one answer: the limit of what is
// stored. If there is more, no state is sent back, because servers refuse a part of it.
const MaxState = 8 << 20

// Count converts a server's number of tokens. It limits the number to a range far above any real
// count, because a float outside of int64 cannot be converted.
func Count(n float64) int64 { return int64(min(max(n, 0), 1<<50)) }

// Settings configures the requests to one model. It is the same for all providers; each ignores
// what its API does not have.
type Settings struct {
	BaseURL string // of the provider's API; the URL of an endpoint is accepted, too
	APIKey  string // "" for none
	Model   string // the server's name of the model

	Timeout     time.Duration // to the first byte and between bytes; 0: DefaultTimeout
	StepTimeout time.Duration // of a whole request; 0: ten times Timeout
	MaxRetries  int           // attempts after the first, until an answer begins; below 0: none

	MaxTokens   int      // of one answer, including its reasoning; 0: the provider's default
	Temperature *float64 // nil: not sent; an app's own setting takes precedence
	Effort      string   // of the reasoning, in the configuration's words; "": not sent
	Show        bool     // people are shown the reasoning
	Cache       bool     // prompts are marked for the server's cache

	Header http.Header // sent with each request, in addition to the provider's own headers
	// Body is merged into each request: objects are merged member by member, null removes a member,
	// and any other value replaces ours.
	Body    map[string]json.RawMessage
	Secrets []string // in addition to APIKey: values of headers, and others from the environment
	Notes   *Notes   // records refusals and adaptations; nil: they are dropped
	// Transport sends the requests; nil: one of its own, made for many long streams. Redirects are
	// reported and not followed, because that would send the prompt to another host.
	Transport http.RoundTripper
}
