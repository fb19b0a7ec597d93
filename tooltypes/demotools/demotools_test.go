package demotools_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/arguments"
	"github.com/askgate/askgate/tools/options"
	"github.com/askgate/askgate/tooltypes/demotools"
)

func TestThereAreMoreProjectsThanAQuestionHolds(t *testing.T) {
	out, err := demotools.Projects{}.Run(t.Context(), tools.Call{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := options.Compile("/projects", "/name", "/id", "/team")
	if err != nil {
		t.Fatal(err)
	}
	list, err := options.Read(out.Result, rows, nil)
	if err != nil || list.Len() <= 20 {
		t.Errorf("%d options, %v", list.Len(), err)
	}
}

func TestABookingSaysWhatItWouldHaveBooked(t *testing.T) {
	call := tools.Call{Arguments: `{"destination":"The sea","from":"2026-12-31"}`}
	out, err := demotools.Booking{}.Run(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	var made map[string]any
	if err := json.Unmarshal([]byte(out.Result), &made); err != nil {
		t.Fatal(err)
	}
	if made["destination"] != "The sea" || made["to"] != "2027-01-01" || made["booked"] != false || made["reference"] == "" {
		t.Error(out.Result)
	}
	if again, _ := (demotools.Booking{}).Run(t.Context(), call); again.Result != out.Result {
		t.Errorf("the same call, another result: %s", again.Result)
	}
}

// Arguments that match the schema are booked or refused, whatever they are.
func FuzzBooking(f *testing.F) {
	_, parameters := demotools.Booking{}.Definition()
	schema, err := arguments.Compile(parameters)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"destination":"x","from":"2026-02-30"}`)
	f.Add(`{"destination":"x","from":"9999-12-31"}`)
	f.Add(`{"destination":"x","from":1}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		if schema.Check(arguments) != nil {
			return
		}
		out, err := demotools.Booking{}.Run(t.Context(), tools.Call{Arguments: arguments})
		var refused *tools.Error
		if err != nil && (!errors.As(err, &refused) || refused.Code != tools.CodeInvalidArguments) || err == nil && !json.Valid([]byte(out.Result)) {
			t.Errorf("%s: %q, %v", arguments, out.Result, err)
		}
	})
}
