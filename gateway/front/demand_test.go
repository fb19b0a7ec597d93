package front

import (
	"strings"
	"testing"
)

// The cost of following a $ref counts as well: a long one may be followed from many places.
func TestADemandOfLongReferences(t *testing.T) {
	long := "#/" + strings.Repeat("x/", 20_000)
	many := strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/far"},`, 1000), ",")
	d, ok := NewDemand([]byte(`{"properties":{"questions":{"anyOf":[` + many + `]}},"$defs":{"far":{"$ref":"` + long + `"}}}`))
	if !ok {
		t.Fatal("it contains only questions")
	}
	c := checker{root: d.schema}
	if c.fits(d.schema, map[string]any{"questions": []any{}}, 0) {
		t.Error("a reference that leads nowhere demands a value that does not exist")
	}
	if followed := int(testing.AllocsPerRun(1, func() {
		c := checker{root: d.schema}
		c.fits(d.schema, map[string]any{"questions": []any{}}, 0)
	})); followed > 20*maxChecked {
		t.Errorf("%d allocations", followed)
	}
}
