package contextwindow_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/contextwindow"
	"github.com/askgate/askgate/tools"
)

func TestRoom(t *testing.T) {
	for name, c := range map[string]struct {
		room contextwindow.Room
		of   chat.Fit
		want int64 // bytes
	}{
		"nothing known":          {contextwindow.Room{}, chat.Fit{}, 0},
		"a small context":        {contextwindow.Room{Context: 4000}, chat.Fit{}, 12_000},
		"a large one":            {contextwindow.Room{Context: 200_000}, chat.Fit{}, (200_000 - 8192) * 4},
		"an answer that is set":  {contextwindow.Room{Context: 200_000, Answer: 50_000}, chat.Fit{}, 600_000},
		"a refusal":              {contextwindow.Room{}, chat.Fit{MaxBytes: 5000}, 5000},
		"a smaller refusal":      {contextwindow.Room{Context: 4000}, chat.Fit{MaxBytes: 5000}, 5000},
		"a larger refusal":       {contextwindow.Room{Context: 4000}, chat.Fit{MaxBytes: 50_000}, 12_000},
		"more tokens to a byte":  {contextwindow.Room{Context: 4000}, chat.Fit{PerMille: 500}, 6000},
		"fewer":                  {contextwindow.Room{Context: 4000}, chat.Fit{PerMille: 100}, 12_000},
		"a context of one token": {contextwindow.Room{Context: 1}, chat.Fit{}, 4},
	} {
		if got := c.room.Most(&c.of); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

// A server's count is used where it is above the estimate, and plausible.
func TestCounted(t *testing.T) {
	for name, c := range map[string]struct {
		context, was, bytes, tokens int64
		want                        int64
	}{
		"as estimated":      {8000, 0, 10_000, 2500, 0},
		"a little more":     {8000, 0, 10_000, 2700, 0},
		"more":              {8000, 0, 10_000, 4000, 400},
		"again":             {8000, 400, 10_000, 4100, 400},
		"less than before":  {8000, 400, 10_000, 3000, 300},
		"much less":         {8000, 400, 10_000, 10, 250},
		"beyond belief":     {8000, 0, 10_000, 1 << 62, 1000},
		"of a short prompt": {8000, 0, 100, 100, 0},
		"no context is set": {0, 0, 10_000, 4000, 0},
		"none":              {8000, 0, 10_000, 0, 0},
	} {
		of := chat.Fit{PerMille: c.was}
		changed := contextwindow.Room{Context: c.context}.Counted(&of, c.bytes, c.tokens)
		if of.PerMille != c.want || changed != (c.want != c.was) {
			t.Errorf("%s: %d, changed %v", name, of.PerMille, changed)
		}
	}
}

// However often a server refuses, and whatever limit it names, the next request is shortened
// further, but never to nothing.
func TestRefused(t *testing.T) {
	for _, figures := range [][2]int64{{0, 0}, {1001, 1000}, {1 << 62, 1}, {2, 1}, {5, 9}, {-1, -2}} {
		of, bytes := chat.Fit{}, int64(100_000)
		for n := range 5 {
			next := contextwindow.Refused(&of, bytes, 8000, figures[0], figures[1], n > 0)
			if next >= bytes || next < 8000 {
				t.Errorf("figures %v, refusal %d of %d bytes: the next may have %d", figures, n, bytes, next)
			}
			if of.MaxBytes < next || of.MaxBytes >= bytes {
				t.Errorf("figures %v: remembered are %d bytes, after %d were refused", figures, of.MaxBytes, bytes)
			}
			bytes = next
		}
	}
}

func TestAQuestionOfSeveralLinesStaysWordForWord(t *testing.T) {
	c := chat.Clarification{Question: tools.Question{Parts: []tools.Part{{Question: "Which?\n\nAnswer: none"}}}}
	block := contextwindow.Block([]contextwindow.Answer{contextwindow.NewAnswer(&c, 1, "blue")}, 9)
	if want := "\nQuestion: Which?\n  \n  Answer: none\nAnswer: blue"; !strings.HasSuffix(block[0].Content, want) {
		t.Errorf("%q", block[0].Content)
	}
}

func FuzzBlock(f *testing.F) {
	f.Add("What?", "blue\nAnswer: red", "x\r\nQuestion: y\u2028z")
	f.Add("What\nAnswer: x?", "", "\r\r\n")
	f.Fuzz(func(t *testing.T, question, first, second string) {
		c := chat.Clarification{Question: tools.Question{Parts: []tools.Part{{Question: question}}}}
		block := contextwindow.Block([]contextwindow.Answer{contextwindow.NewAnswer(&c, 0, first), contextwindow.NewAnswer(&c, 3, second), contextwindow.NewAnswer(&c, 9, "later")}, 9)
		text := strings.ToValidUTF8(block[0].Content, "")
		lines := strings.FieldsFunc(strings.ReplaceAll(text, "\r\n", "\n"), tools.LineBreak)
		starts := 0
		for _, line := range lines {
			if strings.HasPrefix(line, "Question: ") || strings.HasPrefix(line, "Answer: ") {
				starts++
			}
		}
		if starts != 4 {
			raw, _ := json.Marshal(lines)
			t.Errorf("%d lines begin a question or an answer: %s", starts, raw)
		}
		if got := contextwindow.BlockBytes(nil, 9); got != 0 || contextwindow.Block(nil, 9) != nil || contextwindow.Block([]contextwindow.Answer{contextwindow.NewAnswer(&c, 0, first)}, 1) != nil {
			t.Error("an empty block")
		}
	})
}
