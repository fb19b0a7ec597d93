// Package report tells what became of questions, as the API, the admin view and the command
// line show it: one row for each template, or for each text with its options, and a sentence
// where there is something to do about it.
//
//	store.Overseer.Questions ── Read ── Report ┬─ JSON: GET /v1/admin/questions, askgate report --json
//	                                           └─ Print: askgate report
//
// It only reads: what it says is decided by the rows of the store at that moment, so it is the
// same on every node. Everything here is safe for concurrent use.
package report

import (
	"context"
	"fmt"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// DefaultSpan is how far a report looks back by default.
const DefaultSpan = 30 * 24 * time.Hour

// DefaultRows and MaxRows are the default and the maximum number of rows in a report.
const (
	DefaultRows = 100
	MaxRows     = 500
)

// Texts words a text of the message files, as locales.Catalog does in a language.
type Texts func(id string, data map[string]any) string

// Wish selects the contents of a report.
type Wish struct {
	Since time.Time // asked then or later
	App   string    // "": all
	Rows  int       // at most
	Texts bool      // whether it has what was asked, where that is a model's text
	Now   time.Time
}

// ParseSince reads a duration before now, like 30d, or a time: RFC 3339, or a date in UTC,
// also as yesterday or today.
func ParseSince(text string, now time.Time) (time.Time, error) {
	if d, err := tools.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), nil
	}
	today := now.UTC().Truncate(24 * time.Hour)
	switch text {
	case "today":
		return today, nil
	case "yesterday":
		return today.AddDate(0, 0, -1), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is not a time; write how long ago, like 30d or 12h, or 2026-02-06 (UTC), 2026-02-06T10:30:00+01:00, yesterday or today", text)
}

// Report is what became of questions, in the form that programs read.
type Report struct {
	Since  chat.Time  `json:"since"`
	Until  chat.Time  `json:"until"`
	Items  []Row      `json:"items"`  // asked most often first
	Others int        `json:"others"` // rows that are left out
	Models []ModelRow `json:"models"` // of all rows, by app and model
}

// Row is one question, however often it was asked.
type Row struct {
	App      string `json:"app"`
	Template string `json:"template,omitempty"`
	// What was asked where no template says it, for those who may read it. Options are the
	// labels of all parts.
	Text      string   `json:"text,omitempty"`
	Options   []string `json:"options,omitempty"`
	InputType string   `json:"input_type,omitempty"` // as metrics have it; "" of a template
	Counts
	Seconds *Seconds       `json:"seconds"` // nil: no person has closed one
	Models  map[string]int `json:"models"`  // how often each asked; programs are left out
	Advice  string         `json:"advice,omitempty"`
}

// ModelRow is all questions of a model in an app.
type ModelRow struct {
	App   string `json:"app"`
	Model string `json:"model"`
	Counts
}

// Counts are questions by what became of them, see store.QuestionCounts.
type Counts struct {
	Asked       int   `json:"asked"`
	Shown       int   `json:"shown"`
	Pending     int   `json:"pending"`
	Answered    int   `json:"answered"`
	Skipped     int   `json:"skipped"`
	Declined    int   `json:"declined"`
	Expired     int   `json:"expired"`
	Superseded  int   `json:"superseded"`
	Cancelled   int   `json:"cancelled"`
	Remembered  int   `json:"remembered"`
	Other       int   `json:"other"`       // answered in own words, with no value
	Recommended int   `json:"recommended"` // answered with the recommended option
	Offered     int   `json:"offered"`     // answered where an option was recommended
	Again       Again `json:"again"`
}

// Again is how people answered who had answered the same before.
type Again struct {
	Same  int `json:"same"`
	Other int `json:"other"`
}

// Seconds is how long people took to answer, skip or decline.
type Seconds struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
}

// Read makes a report of what is stored. Advice is in the language of texts.
func Read(ctx context.Context, from store.Overseer, w Wish, texts Texts) (*Report, error) {
	found, err := from.Questions(ctx, w.Since, w.App, w.Rows)
	if err != nil {
		return nil, err
	}
	r := &Report{Since: chat.Time(w.Since), Until: chat.Time(w.Now), Items: make([]Row, len(found.Rows)), Others: found.Others,
		Models: make([]ModelRow, len(found.Models))}
	for i := range found.Rows {
		r.Items[i] = newRow(&found.Rows[i], w.Texts)
		if a := Advise(&r.Items[i].Counts); a != nil {
			r.Items[i].Advice = texts(a.ID, map[string]any{"Percent": a.Percent})
		}
	}
	for i, m := range found.Models {
		r.Models[i] = ModelRow{App: m.App, Model: m.Model, Counts: newCounts(&m.QuestionCounts)}
	}
	return r, nil
}

func newRow(q *store.QuestionRow, texts bool) Row {
	row := Row{App: q.App, Template: q.Template, Counts: newCounts(&q.QuestionCounts), Models: q.Models}
	if q.Waits.Count > 0 {
		row.Seconds = &Seconds{P50: q.Waits.P50.Seconds(), P90: q.Waits.P90.Seconds()}
	}
	if q.Example == nil {
		return row
	}
	row.InputType = q.Example.InputType()
	if !texts {
		return row
	}
	for i, p := range q.Example.Parts {
		if i > 0 {
			row.Text += " · "
		}
		row.Text += p.Question
		for _, o := range p.Options {
			row.Options = append(row.Options, o.Label)
		}
	}
	return row
}

func newCounts(c *store.QuestionCounts) Counts {
	return Counts{
		Asked: c.Asked, Shown: c.Shown, Pending: c.Pending, Answered: c.Answered, Skipped: c.Skipped, Declined: c.Declined,
		Expired: c.Expired, Superseded: c.Superseded, Cancelled: c.Cancelled, Remembered: c.Remembered,
		Other: c.Other, Recommended: c.Taken, Offered: c.Recommended, Again: Again{Same: c.AgainSame, Other: c.AgainOther},
	}
}
