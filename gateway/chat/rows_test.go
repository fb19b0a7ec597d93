package chat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// told returns the events of rows after a number, one line each.
func told(r *chat.Rows, after int64) string {
	var lines []string
	for _, ev := range r.After(chat.EventID{Fence: r.Fence, Seq: after}) {
		line := fmt.Sprint(ev.ID.Seq, " ", ev.Type)
		switch data := ev.Data.(type) {
		case chat.Chunk:
			line += " " + data.Content
		case chat.ToolCallEnd:
			line += " " + data.ToolCallID
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

// TestRowsOfCommitsTellWhatThoseOfTheRunTell: the rows give the same events commit by commit, as
// the run announces them, and all at once later, after any event. The event of a call that was
// answered from memory contains the question as well.
func TestRowsOfCommitsTellWhatThoseOfTheRunTell(t *testing.T) {
	step := &chat.Message{Content: "Hm.", Seq: 5, ToolCalls: []chat.ToolCall{{ID: "a"}, {ID: "b"}}}
	a, b := chat.Ended{Call: &step.ToolCalls[0], Result: &chat.ToolResult{}}, chat.Ended{Call: &step.ToolCalls[1], Result: &chat.ToolResult{}}
	silent := []chat.Clarification{{ToolCallID: "a", State: tools.StateRemembered}}
	opening := &chat.Opening{TurnID: "t", Message: &chat.Message{}}
	last := &chat.Message{Content: "So.", Seq: 13}
	end := &chat.Run{FinishReason: chat.FinishError, Failure: &chat.Failure{}}
	want := []string{
		"1 turn.start", "2 user.message", "5 chunk Hm.", "6 tool.call.start", "7 tool.call.start", "8 tool.call.end b",
		"9 clarification.resolved", "10 tool.call.end a", "13 chunk So.", "14 turn.error", "15 error", "16 done",
	}

	var live []string
	at := int64(0)
	for _, commit := range []*chat.Rows{
		{Opening: opening}, {Steps: []*chat.Message{step}}, {Ended: []chat.Ended{b}}, {Ended: []chat.Ended{a}, Silent: silent},
		{Steps: []*chat.Message{last}, Run: end},
	} {
		commit.Fence = 7
		last := commit.Number(at)
		live = append(live, strings.Split(told(commit, at), ", ")...)
		at = last
	}
	if !slices.Equal(live, want) {
		t.Errorf("live:\n%s\nwant\n%s", strings.Join(live, "\n"), strings.Join(want, "\n"))
	}
	whole := &chat.Rows{Fence: 7, Opening: opening, Steps: []*chat.Message{step, last}, Ended: []chat.Ended{a, b}, Silent: silent, Run: end}
	for i := range want {
		var after int64
		if i > 0 {
			_, _ = fmt.Sscan(want[i-1], &after)
		}
		if got := told(whole, after); got != strings.Join(want[i:], ", ") {
			t.Errorf("after %d: %s", after, got)
		}
	}
}

// TestATextThatWasGeneratedAgainIsDropped by readers that have part of it, at the place where it
// was.
func TestATextThatWasGeneratedAgainIsDropped(t *testing.T) {
	again := &chat.Rows{
		Fence: 7, Opening: &chat.Opening{TurnID: "t", Message: &chat.Message{}}, // up to 2, and a text up to 10
		Steps: []*chat.Message{{Content: "Now.", Seq: 15}}, Run: &chat.Run{FinishReason: chat.FinishStop, LastSeq: 16},
	}
	failed := &chat.Rows{
		Fence: 7, Opening: again.Opening, Run: &chat.Run{FinishReason: chat.FinishError, Failure: &chat.Failure{}, LastSeq: 14},
	}
	for _, test := range []struct {
		rows  *chat.Rows
		after int64
		want  string
	}{
		{again, 2, "11 step.restart, 15 chunk Now., 16 done"},
		{again, 6, "11 step.restart, 15 chunk Now., 16 done"},
		{again, 11, "15 chunk Now., 16 done"},
		{again, 13, "15 chunk w., 16 done"},
		{failed, 2, "12 turn.error, 13 error, 14 done"},
		{failed, 6, "11 step.restart, 12 turn.error, 13 error, 14 done"},
	} {
		if got := told(test.rows, test.after); got != test.want {
			t.Errorf("after %d: %s, want %s", test.after, got, test.want)
		}
	}
}

// TestThinkingThatIsNotKeptHasItsPlace: what follows it keeps its id.
func TestThinkingThatIsNotKeptHasItsPlace(t *testing.T) {
	r := &chat.Rows{Fence: 7, Opening: &chat.Opening{TurnID: "t"}, Steps: []*chat.Message{
		{Thinking: "abc", Content: "wxyz", Seq: 15, Spans: []int{2, 2, 8, 2}}, // 7 events of the thinking are not kept
	}}
	for after, want := range map[int64]string{
		1: "3 thinking ab, 5 chunk wx, 13 thinking c, 15 chunk yz",
		4: "5 chunk x, 13 thinking c, 15 chunk yz",
		9: "15 chunk yz",
	} {
		if got := told(r, after); got != want {
			t.Errorf("after %d: %s, want %s", after, got, want)
		}
	}
}
