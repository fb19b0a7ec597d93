package calculator_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/calculator"
)

func run(t *testing.T, expression string) (string, error) {
	t.Helper()
	arguments, _ := json.Marshal(map[string]string{"expression": expression})
	out, err := calculator.Tool{}.Run(t.Context(), tools.Call{Arguments: string(arguments)})
	return out.Result, err
}

func TestResults(t *testing.T) {
	for expression, want := range map[string]string{
		"2+3": "5", " (12.5 + 7) * 3 ": "58.5", "7/2": "3.5", "-7 % 4": "-3", "0.1+0.2": "0.3",
		"010+1": "11", "00": "0", ".5*2": "1", "1/3": "0.333333333333333", "2- -3": "5",
		"99999999999999999999*99999999999999999999": "9999999999999999999800000000000000000001",
	} {
		if got, err := run(t, expression); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", expression, got, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, expression := range []string{"", "1/0", "5%0", "1.5%2", "1+", "f(1)", "1<<99", "x", "0x10", "1e999999999", "(1", strings.Repeat("1+", 200) + "1", "1..2", "()"} {
		_, err := run(t, expression)
		var told *tools.Error
		if !errors.As(err, &told) || told.Code != tools.CodeInvalidArguments {
			t.Errorf("%q: %v, want INVALID_ARGUMENTS", expression, err)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add(`{"expression":"1+1"}`)
	f.Add(`{"expression":"((((1))))%-2*.5"}`)
	f.Fuzz(func(t *testing.T, arguments string) {
		out, err := calculator.Tool{}.Run(t.Context(), tools.Call{Arguments: arguments})
		if (err == nil) == (out.Result == "") {
			t.Fatalf("%q: neither or both of result and error", arguments)
		}
	})
}
