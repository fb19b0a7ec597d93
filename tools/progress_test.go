package tools_test

import (
	"math"
	"testing"

	"github.com/askgate/askgate/tools"
)

func TestProgressRises(t *testing.T) {
	for _, c := range []struct {
		p      float64
		before *tools.Progress
		want   bool
	}{
		{0, nil, true}, {-3, nil, true}, {1, &tools.Progress{Progress: 0.5}, true},
		{1, &tools.Progress{Progress: 1}, false}, {0, &tools.Progress{Progress: 1}, false},
		{math.NaN(), nil, false}, {math.Inf(1), nil, false}, {math.Inf(-1), nil, false}, {math.NaN(), &tools.Progress{}, false},
	} {
		if got := (tools.Progress{Progress: c.p}).Follows(c.before); got != c.want {
			t.Errorf("%v after %+v: %v", c.p, c.before, got)
		}
	}
}

func TestATotalThatSaysNothingIsLeftOut(t *testing.T) {
	for total, want := range map[float64]bool{10: true, 5: true, 4.9: false, 0: false, -1: false, math.Inf(1): false, math.NaN(): false} {
		p := tools.Progress{Progress: 5, Total: &total, Message: "half"}.Within()
		if (p.Total != nil) != want || p.Progress != 5 || p.Message != "half" {
			t.Errorf("of %v: %+v", total, p)
		}
	}
}
