package report_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/report"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

var now = time.Date(2026, 2, 6, 10, 30, 0, 0, time.UTC)

// TestAdvice: one sentence about what matters most, once there are enough answers.
func TestAdvice(t *testing.T) {
	for name, test := range map[string]struct {
		of      report.Counts
		id      string
		percent int
	}{
		"nothing was asked":               {report.Counts{}, "", 0},
		"all is well":                     {report.Counts{Asked: 500, Answered: 500, Offered: 500, Recommended: 300, Other: 20}, "", 0},
		"the recommended, nearly always":  {report.Counts{Answered: 100, Offered: 100, Recommended: 98}, "report.recommended", 98},
		"the recommended, but with few":   {report.Counts{Answered: 29, Offered: 29, Recommended: 29}, "", 0},
		"the recommended, just often":     {report.Counts{Answered: 40, Offered: 40, Recommended: 38}, "report.recommended", 95},
		"the recommended, not enough":     {report.Counts{Answered: 1000, Offered: 1000, Recommended: 949}, "", 0},
		"the recommended, seldom offered": {report.Counts{Answered: 1000, Offered: 20, Recommended: 20}, "", 0},
		"own words":                       {report.Counts{Answered: 100, Other: 31}, "report.missed", 31},
		"own words, rounded down":         {report.Counts{Answered: 300, Other: 62}, "report.missed", 20},
		"own words, not enough":           {report.Counts{Answered: 100, Other: 19}, "", 0},
		"unwanted":                        {report.Counts{Answered: 10, Skipped: 15, Declined: 5}, "report.unwanted", 66},
		"unanswered is not unwanted":      {report.Counts{Asked: 900, Answered: 10, Skipped: 2, Expired: 800, Superseded: 88}, "", 0},
		"the same again":                  {report.Counts{Answered: 90, Again: report.Again{Same: 39, Other: 1}}, "report.repeated", 97},
		"another answer again":            {report.Counts{Answered: 90, Again: report.Again{Same: 39, Other: 10}}, "", 0},
		"unwanted comes before own words": {report.Counts{Answered: 40, Other: 40, Declined: 60}, "report.unwanted", 60},
		"own words before the same again": {report.Counts{Answered: 40, Other: 40, Again: report.Again{Same: 40}}, "report.missed", 100},
		"the same again before a default": {report.Counts{Answered: 40, Offered: 40, Recommended: 40, Again: report.Again{Same: 39}}, "report.repeated", 100},
	} {
		got := report.Advise(&test.of)
		switch {
		case got == nil && test.id != "":
			t.Errorf("%s: no advice, want %s", name, test.id)
		case got != nil && (got.ID != test.id || got.Percent != test.percent):
			t.Errorf("%s: %+v, want %s of %d %%", name, *got, test.id, test.percent)
		}
	}
}

func FuzzParseSince(f *testing.F) {
	for _, text := range []string{"30d", "12h", "1d12h", "2026-02-06", "2026-02-06T10:30:00+01:00", "", "0d", "0s", "-1h", "yesterday", "99999999999d", "2026-02-30"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		since, err := report.ParseSince(text, now)
		if err == nil && since.IsZero() && !strings.HasPrefix(text, "0001") {
			t.Errorf("%q is not a time, and is accepted", text)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	})
}

func TestParseSince(t *testing.T) {
	for text, want := range map[string]time.Time{
		"30d": now.AddDate(0, 0, -30), "90m": now.Add(-90 * time.Minute), "2026-02-01": time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC),
		"2026-02-06T10:30:00+01:00": now.Add(-time.Hour),
		"today":                     now.UTC().Truncate(24 * time.Hour), "yesterday": now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -1),
	} {
		if got, err := report.ParseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0d", "-3h", "30", "tomorrow", "2026-02-30", "2026-02-06 10:30"} {
		if got, err := report.ParseSince(text, now); err == nil || !strings.Contains(err.Error(), "30d") {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}

// stored is a store in which only this was asked.
type stored struct {
	store.Overseer
	found store.Questions
	err   error
}

func (s stored) Questions(context.Context, time.Time, string, int) (store.Questions, error) {
	return s.found, s.err
}

func words(id string, data map[string]any) string { return fmt.Sprint(id, " ", data["Percent"]) }

func read(t *testing.T, texts bool) *report.Report {
	t.Helper()
	form := &tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{
		{Question: "Which\nformat?", InputType: tools.Select, Options: []tools.Option{{Label: "PDF"}, {Label: "HT\x1b[31mML"}}},
		{Question: "How long may it be, and in which of the many languages?", InputType: tools.Text},
	}}
	r, err := report.Read(t.Context(), stored{found: store.Questions{
		Rows: []store.QuestionRow{
			{App: "a", Template: "report_format", QuestionCounts: store.QuestionCounts{Asked: 50, Answered: 45, Shown: 48, Expired: 5, Recommended: 45, Taken: 44,
				AgainSame: 3, AgainOther: 2}, Waits: store.Waits{Count: 45, P50: 7 * time.Second, P90: 3 * time.Hour}, Models: map[string]int{"large": 40, "small": 10}},
			{App: "b", Shape: "0123", Example: form, QuestionCounts: store.QuestionCounts{Asked: 2, Pending: 1, Superseded: 1}},
			{App: "b", Shape: "4567", QuestionCounts: store.QuestionCounts{Asked: 1, Pending: 1}},
		},
		Others: 7,
		Models: []store.ModelRow{{App: "a", Model: "large", QuestionCounts: store.QuestionCounts{Asked: 40, Answered: 40}}},
	}}, report.Wish{Since: now.Add(-time.Hour), Now: now, Texts: texts}, words)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRead(t *testing.T) {
	r := read(t, true)
	want := report.Row{App: "a", Template: "report_format", Seconds: &report.Seconds{P50: 7, P90: 10800}, Models: map[string]int{"large": 40, "small": 10},
		Advice: "report.recommended 97", Counts: report.Counts{Asked: 50, Answered: 45, Shown: 48, Expired: 5, Offered: 45, Recommended: 44,
			Again: report.Again{Same: 3, Other: 2}}}
	if !reflect.DeepEqual(r.Items[0], want) {
		t.Errorf("the first row is %+v", r.Items[0])
	}
	form := r.Items[1]
	if form.Text != "Which\nformat? · How long may it be, and in which of the many languages?" || len(form.Options) != 2 || form.InputType != "form" || form.Seconds != nil {
		t.Errorf("the form is %+v", form)
	}
	if r.Others != 7 || r.Models[0].Asked != 40 || time.Time(r.Until) != now {
		t.Errorf("the report is %+v", r)
	}
	hidden := read(t, false)
	if row := hidden.Items[1]; row.Text != "" || row.Options != nil || row.InputType != "form" || hidden.Items[0].Template == "" {
		t.Errorf("without texts: %+v", row)
	}
	failed := errors.New("no")
	if _, err := report.Read(t.Context(), stored{err: failed}, report.Wish{}, words); !errors.Is(err, failed) {
		t.Errorf("the store fails: %v", err)
	}
}

// TestPrint: a table whose lines stay single lines, whatever was asked.
func TestPrint(t *testing.T) {
	var b strings.Builder
	if err := read(t, true).Print(&b); err != nil {
		t.Fatal(err)
	}
	const want = `question                                          app  asked  shown  answered  skipped  declined  expired  superseded  other  recommended  same/other-again  p50  p90  models
[report_format]                                   a    50     48     45        0        0         5        0           0      44           3/2               7s   3h   large 40, small 10
  -> report.recommended 97
Which format? · How long may it be, and in whic…  b    2      0      0         0        0         0        1           0      0            0/0               -    -    
()                                                b    1      0      0         0        0         0        0           0      0            0/0               -    -    
and 7 that were asked less often

model  app  asked  shown  answered  skipped  declined  expired  superseded  other  recommended  same/other-again
large  a    40     0      40        0        0         0        0           0      0            0/0
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	b.Reset()
	empty := &report.Report{Since: chat.Time(now)}
	if err := empty.Print(&b); err != nil || b.String() != "Nothing was asked since 2026-02-06 10:30:00.\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
