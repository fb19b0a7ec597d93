package clock_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/clock"
)

func TestTellsTheTimeOfTheZone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock starts at 2000-01-01T00:00:00Z
		for arguments, want := range map[string]string{
			"":                             "Saturday, 2000-01-01T00:00:00Z",
			`{}`:                           "Saturday, 2000-01-01T00:00:00Z",
			`{"timezone":"Europe/Berlin"}`: "Saturday, 2000-01-01T01:00:00+01:00",
			`{"timezone":"America/Lima"}`:  "Friday, 1999-12-31T19:00:00-05:00",
		} {
			out, err := clock.Tool{}.Run(t.Context(), tools.Call{Arguments: arguments})
			if err != nil || out.Result != want {
				t.Errorf("%s: %q, %v; want %q", arguments, out.Result, err, want)
			}
		}
	})
}

func TestRefusesWhatIsNoZone(t *testing.T) {
	for _, arguments := range []string{`{"timezone":"Mars"}`, `{"timezone":"Local"}`, `{"timezone":"../../etc/passwd"}`, `[]`, `{"timezone":1}`, `{"timezone":"` + strings.Repeat("x", 100) + `"}`} {
		_, err := clock.Tool{}.Run(t.Context(), tools.Call{Arguments: arguments})
		var told *tools.Error
		if !errors.As(err, &told) || told.Code != tools.CodeInvalidArguments {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}
