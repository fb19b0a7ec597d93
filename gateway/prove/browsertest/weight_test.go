//go:build browser

package browsertest

import (
	"slices"
	"testing"
)

// The first load of the page, with all that it asks for, is light. How soon something is seen is
// logged, not judged, as that depends on the machine:
//
//	go test -tags browser -count 5 -v -run TheFirstLoad ./gateway/prove/browsertest
func TestTheFirstLoadIsLight(t *testing.T) {
	const limit = 150_000 // bytes, compressed
	s := newSite(t, "")
	var painted []float64
	for range 5 {
		p := openChatPage(t, s, "", 1200) // in a profile of its own: nothing is cached
		p.until("find('.greeting') && performance.getEntriesByName('first-contentful-paint').length")
		painted = append(painted, eval[float64](p, "performance.getEntriesByName('first-contentful-paint')[0].startTime"))
		loaded := eval[[]float64](p, "[performance.getEntriesByType('navigation'), performance.getEntriesByType('resource')].flat().map((e) => e.encodedBodySize)")
		total := 0.0
		for _, bytes := range loaded {
			total += bytes
		}
		if total > limit || total < limit/3 {
			t.Errorf("%.0f bytes in %d responses, at most %d are wanted", total, len(loaded), limit)
		}
		t.Logf("%.0f bytes in %d responses", total, len(loaded))
	}
	slices.Sort(painted)
	t.Logf("first contentful paint: %.0f to %.0f ms, median %.0f", painted[0], painted[4], painted[2])
}
