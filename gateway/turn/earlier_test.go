package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/askgate/askgate/gateway/stream"
)

// The event, the snapshot and another node all offer an earlier answer, and whether people use it
// is counted: for a form, part by part.
func TestWhatBecomesOfEarlierAnswers(t *testing.T) {
	const form = `{"questions":[{"question":"Which format?","options":["pdf","csv"],"allow_skip":true},{"question":"Which colour?","input_type":"text","allow_skip":true},{"question":"How many?","input_type":"number"}]}`
	h := build(t, `{}`, nil, step("call_1", form), says("one"), step("call_2", form), says("two"), step("call_3", form), says("three"))
	h.drive(h.message("hi"))
	h.drive(h.closes("call_1", `{"answers":[{"value":"csv"},{"value":"blue"},{"value":3}]}`))
	answered := h.snapshot().Messages[1].ToolCalls[0].Clarification.AnsweredAt
	events := h.drive(h.message("again")).events(t)
	h = h.node(stream.NewLocal())
	shown := h.snapshot().Pending[0].Questions
	for i, want := range []string{"csv", "blue", "3"} {
		e := shown[i].Earlier
		if e == nil || e.Label != want || strings.Trim(string(e.Value), `"`) != want || !time.Time(e.AnsweredAt).Equal(time.Time(*answered)) || e.Memory {
			t.Errorf("part %d offers %+v, want %s of %v", i, e, want, answered)
		}
	}
	if event := string(events[3].Data); events[3].Name != "clarification" || strings.Count(event, `"earlier":{"value":`) != 3 {
		t.Errorf("the event is %s %s", events[3].Name, event)
	}
	h.drive(h.closes("call_2", `{"answers":[{"value":"csv"},{"skipped":true},{"value":4}]}`))
	h.drive(h.message("and again"))
	if e := h.snapshot().Pending[0].Questions; e[0].Earlier.Label != "csv" || e[1].Earlier.Label != "blue" || e[2].Earlier.Label != "4" {
		t.Errorf("the third time, %+v", e)
	}
	h.drive(h.closes("call_3", `{"declined":true}`))
	if err := testutil.GatherAndCompare(h.engine.Options.Registry.(prometheus.Gatherer), strings.NewReader(
		`# HELP askgate_clarification_earlier_total Answers to questions that offered an earlier one: kept, changed.
		# TYPE askgate_clarification_earlier_total counter
		askgate_clarification_earlier_total{app="helper",how="changed"} 1
		askgate_clarification_earlier_total{app="helper",how="kept"} 1
	`), "askgate_clarification_earlier_total"); err != nil {
		t.Error(err)
	}
}
