package providers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// away is a server that cannot respond now: a fallback takes over.
func away() strict.Answer { return strict.Answer{Status: http.StatusServiceUnavailable} }

// sameMaker reports whether two servers are one to a gateway: state of either is sent to the other.
func sameMaker(a, b *strict.Kind) bool {
	return a.Provider == b.Provider && a.API == b.API && a.BaseURL == b.BaseURL && a.Model == b.Model
}

// pairs runs a scene for each server and each other one.
func pairs(t *testing.T, scene func(t *testing.T, a, b *strict.Kind)) {
	t.Helper()
	for _, a := range strict.Servers() {
		for _, b := range strict.Servers() {
			if sameMaker(a, b) || a.Dead || b.Dead {
				continue
			}
			t.Run(fmt.Sprintf("%s then %s", a.Name, b.Name), func(t *testing.T) {
				t.Parallel()
				scene(t, a, b)
			})
		}
	}
}

// A chat that one model began continues with another by fallback in the middle of a turn, and then
// with the first: each gets its own state back, and none gets another's.
func TestFallbackInTheMiddleOfATurnAndBack(t *testing.T) {
	t.Parallel()
	pairs(t, func(t *testing.T, a, b *strict.Kind) {
		one := strict.New(t, a, strict.Calls("I count.", "Counting.", call("calculator", sum)), away())
		two := strict.New(t, b, strict.Calls("And ask.", "", call("ask_user", question)))
		h := open(t, one, entry{name: "other", server: two})
		h.asks(h.says("Count"))
		h.restart()
		one.Script(strict.Calls("Once more.", "", call("calculator", sum2)), away())
		two.Script(strict.Think("Blue.", "Blue and counted."))
		h.want(h.answers(0, value("blue")), "Blue and counted.")
		one.Script(strict.Think("Back again.", "Back."), strict.Say("Still here."))
		h.want(h.says("Are you back?"), "Back.")
		h.want(h.says("Thanks"), "Still here.")
		h.clean()
	})
}

// The same after a change of the configuration.
func TestAChangedConfigurationAndBack(t *testing.T) {
	t.Parallel()
	pairs(t, func(t *testing.T, a, b *strict.Kind) {
		one := strict.New(t, a, strict.Think("Hello.", "Hello from one."), strict.Calls("I ask.", "One question.", call("ask_user", question), call("calculator", sum)))
		two := strict.New(t, b, strict.Calls("And count.", "", call("calculator", sum2)), strict.Think("Blue.", "Blue from two."), strict.Calls("I ask, too.", "", call("ask_user", choice)))
		h := open(t, one)
		h.want(h.says("Hi"), "Hello from one.")
		h.asks(h.says("Paint it"))
		h.entries[0].server = two
		h.restart()
		h.want(h.answers(0, value("blue")), "Blue from two.")
		h.asks(h.says("A drink"))
		h.entries = []entry{{name: "default", server: one}}
		h.restart()
		one.Script(strict.Calls("Tea, then.", "", call("calculator", sum)), strict.Think("Tea.", "Tea from one."), strict.Say("Fine."))
		h.want(h.answers(0, value("Tea")), "Tea from one.")
		h.want(h.says("Thanks"), "Fine.")
		h.clean()
		h.entries = []entry{{name: "default", server: two}}
		h.clean()
	})
}

// With the key of another account the server refuses the state that it handed out to the first: the
// request is sent once more without it, the state stays out, and later state is sent back.
func TestStateThatTheServerRefuses(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, k *strict.Kind) {
		one := strict.New(t, k, strict.Calls("I count.", "", call("calculator", sum)), strict.Calls("I ask.", "One question.", call("ask_user", question)))
		h := open(t, one)
		h.asks(h.says("Paint it"))
		two := strict.New(t, k, strict.Calls("I count again.", "", call("calculator", sum2)), strict.Think("Blue.", "Blue from two."), strict.Think("Fine.", "Fine."), strict.Say("Bye."))
		h.entries[0].server = two
		h.restart()
		h.want(h.answers(0, value("blue")), "Blue from two.")
		refused := len(two.Refusals())
		h.want(h.says("Thanks"), "Fine.")
		h.restart()
		h.want(h.says("Bye"), "Bye.")
		for i, r := range two.Refusals() {
			state := r.Rule == "signatures" || r.Rule == "encrypted content" || r.Rule == "state is changed"
			if !state && !slices.Contains(learnt, r.Rule) {
				t.Errorf("refused: %s: %s", r.Rule, r.Body)
			}
			if state && i >= refused {
				t.Errorf("refused again: %s: %s", r.Rule, r.Body)
			}
		}
		// State of the second model is sent back to it.
		for _, f := range two.Flaws() {
			if !strings.Contains(f, "of another maker") {
				t.Error(f)
			}
		}
	})
}

// split is one address with both APIs of OpenAI behind it.
type split struct{ chat, responses *strict.Server }

func (s split) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/responses") {
		return s.responses.Transport().RoundTrip(r)
	}
	return s.chat.Transport().RoundTrip(r)
}

// Tools with reasoning: a server that names /v1/responses is asked there from this request on.
func TestAServerThatWantsResponses(t *testing.T) {
	t.Parallel()
	for chat, responses := range map[*strict.Kind]*strict.Kind{strict.OpenAI56: strict.Responses56, strict.OpenAI6: strict.Responses6} {
		t.Run(chat.Name, func(t *testing.T) {
			t.Parallel()
			one := strict.New(t, chat)
			two := strict.New(t, responses, strict.Calls("I must know.", "", call("ask_user", question)), strict.Think("Blue it is.", "Blue, then."), strict.Say("Fine."))
			h := open(t, one, entry{name: "unused", server: two})
			h.entries[0].transport = split{one, two}
			h.entries[0].set = func(m *config.Model) {
				m.API, m.Reasoning.Effort = "auto", "low"
				m.BaseURL = strings.Replace(m.BaseURL, "api.openai.com", "gateway.example.com", 1)
			}
			h.restart()
			h.asks(h.says("Paint it"))
			h.want(h.answers(0, value("blue")), "Blue, then.")
			h.want(h.says("Thanks"), "Fine.")
			h.clean()
			if n := len(one.Requests()); n != 1 {
				t.Errorf("%d requests to Chat Completions, want the first alone", n)
			}
		})
	}
}
