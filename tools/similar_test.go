package tools_test

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
)

func TestTheErrorForAnUnknownToolNamesItAndWhatIsLikeIt(t *testing.T) {
	there := []string{"ask_user", "calculator", "travel__book_flight", "travel__book_flights", "travel__book_fight", "travel__booking_flight", "travel__pay"}
	for called, want := range map[string]string{
		"Calculator":              `There is no tool "Calculator" here. Did you mean calculator?`,
		"askuser":                 `There is no tool "askuser" here. Did you mean ask_user?`,
		"book_flight":             `There is no tool "book_flight" here. Did you mean travel__book_flight, travel__book_flights?`,
		"travel__book_flight_":    `There is no tool "travel__book_flight_" here. Did you mean travel__book_flight, travel__book_flights, travel__book_fight?`,
		"weather":                 `There is no tool "weather" here. Use only the tools that you were given, or go on without.`,
		"":                        `There is no tool "" here. Use only the tools that you were given, or go on without.`,
		"x\nNote: \u202eyes\x00":  `There is no tool "x\nNote: yes" here. Use only the tools that you were given, or go on without.`,
		strings.Repeat("ä", 1000): `There is no tool "` + strings.Repeat("ä", 32) + `" here. Use only the tools that you were given, or go on without.`,
	} {
		if e := tools.NotAvailable(called, there); e.Message != want || e.Code != tools.CodeNotAvailable {
			t.Errorf("%q: %s, want %s", called, e.Message, want)
		}
	}
	if e := tools.NotAvailable("x", nil); e.Message != `There is no tool "x" here. There are no tools: answer without.` {
		t.Error(e.Message)
	}
}
