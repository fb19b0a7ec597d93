package providers_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/askgate/askgate/gateway/model/modeltest/strict"
)

// away is a server that cannot answer now: a fallback stands in.
func away() strict.Answer { return strict.Answer{Status: http.StatusServiceUnavailable} }

// pairs runs a scene for each server and each other one.
func pairs(t *testing.T, scene func(t *testing.T, a, b *strict.Kind)) {
	t.Helper()
	for _, a := range strict.Servers() {
		for _, b := range strict.Servers() {
			if a == b || a.Dead || b.Dead {
				continue
			}
			t.Run(fmt.Sprintf("%s then %s", a.Name, b.Name), func(t *testing.T) {
				t.Parallel()
				scene(t, a, b)
			})
		}
	}
}

// A chat that one model began goes on with another by fallback in the middle of a turn, and then
// with the first: each gets its own back, and nobody gets what is another's.
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

// So it does by a changed configuration.
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
