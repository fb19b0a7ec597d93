package sqldb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Questions implements store.Overseer. It reads one index, once for the counts, and once more for
// the times of the rows that it returns. The examples of all rows together have at most
// store.MaxPageBytes: each row has an equal share, so that a long question does not hide the
// others.
func (d *Overview) Questions(ctx context.Context, since time.Time, app string, limit int) (store.Questions, error) {
	var found store.Questions
	err := d.h.snapshot(ctx, func(s session) error {
		c := questionCounter{limit: max(limit, 1)}
		from := toMillis(since)
		if err := s.each(rows(c.add, q.talliedQuestions, from, app == "", app)); err != nil {
			return err
		}
		found = c.result()
		most := int64(store.MaxPageBytes / max(len(found.Rows), 1))
		bytes := int64(0)
		var sizes []query
		for i := range found.Rows {
			if row := &found.Rows[i]; row.Template == "" {
				sizes = append(sizes, rows(func(scan scanner) error {
					var n int64
					err := scan(&n)
					bytes += n
					return err
				}, q.exampleSizes, row.App, row.Template, row.Shape, from, most, fewExamples))
			}
		}
		if err := s.each(sizes...); err != nil {
			return err
		}
		if err := store.Admit(ctx, bytes); err != nil {
			return err
		}
		return s.each(d.detailsOf(found.Rows, from, most)...)
	})
	if err != nil {
		return store.Questions{}, err
	}
	return found, nil
}

// questionCounter adds up the rows of talliedQuestions, which come in order, question by
// question.
type questionCounter struct {
	limit  int
	found  store.Questions
	models map[[2]string]*store.ModelRow
}

func (c *questionCounter) add(scan scanner) error {
	var app, template, shape, model string
	var state tools.State
	var marks int64
	var asked, shown int
	if err := scan(&app, &template, &shape, &model, &state, &marks, &asked, &shown); err != nil {
		return err
	}
	row := c.row(app, template, shape)
	count(&row.QuestionCounts, state, marks, asked, shown)
	if model != "" {
		row.Models[model] += asked
		count(c.model(app, model), state, marks, asked, shown)
	}
	return nil
}

// count adds questions of one state and with the same marks.
func count(to *store.QuestionCounts, state tools.State, marks int64, asked, shown int) {
	to.Asked += asked
	to.Shown += shown
	if n := to.In(state); n != nil {
		*n += asked
	}
	if state != tools.StateAnswered {
		return
	}
	for _, m := range [...]struct {
		mark int64
		n    *int
	}{
		{marksRecommends, &to.Recommended}, {marksTaken, &to.Taken}, {marksOther, &to.Other},
		{marksAgainSame, &to.AgainSame}, {marksAgainAnother, &to.AgainOther},
	} {
		if marks&m.mark != 0 {
			*m.n += asked
		}
	}
}

// row returns the row of a question. If there are far more rows than wanted, those asked least
// are dropped: models that never ask the same twice make a row of each question.
func (c *questionCounter) row(app, template, shape string) *store.QuestionRow {
	list := c.found.Rows
	if n := len(list); n == 0 || list[n-1].App != app || list[n-1].Template != template || list[n-1].Shape != shape {
		if n >= 2*c.limit+1000 {
			c.cut()
		}
		c.found.Rows = append(c.found.Rows, store.QuestionRow{App: app, Template: template, Shape: shape, Models: map[string]int{}})
	}
	return &c.found.Rows[len(c.found.Rows)-1]
}

func (c *questionCounter) cut() {
	slices.SortFunc(c.found.Rows, func(a, b store.QuestionRow) int {
		return cmp.Or(cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.App, b.App), cmp.Compare(a.Template, b.Template), cmp.Compare(a.Shape, b.Shape))
	})
	if over := len(c.found.Rows) - c.limit; over > 0 {
		c.found.Others += over
		clear(c.found.Rows[c.limit:])
		c.found.Rows = c.found.Rows[:c.limit]
	}
}

func (c *questionCounter) model(app, model string) *store.QuestionCounts {
	if c.models == nil {
		c.models = make(map[[2]string]*store.ModelRow)
	}
	at := [2]string{app, model}
	if c.models[at] == nil {
		c.models[at] = &store.ModelRow{App: app, Model: model}
	}
	return &c.models[at].QuestionCounts
}

func (c *questionCounter) result() store.Questions {
	c.cut()
	for _, m := range c.models {
		c.found.Models = append(c.found.Models, *m)
	}
	slices.SortFunc(c.found.Models, func(a, b store.ModelRow) int {
		return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.Model, b.Model))
	})
	return c.found
}

// fewExamples is enough to find a genuine one.
const fewExamples = 3

// detailsOf reads how long people took and, if there is no template, an example of at most most
// bytes.
func (d *Overview) detailsOf(list []store.QuestionRow, from, most int64) (each []query) {
	for i := range list {
		row := &list[i]
		key := []any{row.App, row.Template, row.Shape, from}
		closed := row.Answered + row.Skipped + row.Declined
		if closed > 0 {
			took := make([]int64, 0, closed)
			each = append(each, rows(func(scan scanner) error {
				var ms int64
				if err := scan(&ms); err != nil {
					return err
				}
				if took = append(took, ms); len(took) == closed {
					row.Waits = waitsOf(took)
				}
				return nil
			}, q.tooks, slices.Clone(key)...))
		}
		if row.Template == "" {
			each = append(each, rows(func(scan scanner) error {
				if row.Example != nil {
					return nil
				}
				var k keptClarification
				if err := d.h.scanClarification(scan, &k); err != nil || !k.genuine {
					return nil //nolint:nilerr // a damaged example counts as none
				}
				row.Example = &k.Question
				return nil
			}, q.exampleOf, append(slices.Clone(key), most, fewExamples)...))
		}
	}
	return each
}

// waitsOf sorts times in ms, of which there must be at least one.
func waitsOf(took []int64) store.Waits {
	slices.Sort(took)
	at := func(percent int) time.Duration {
		return time.Duration(took[(len(took)*percent+99)/100-1]) * time.Millisecond
	}
	return store.Waits{Count: len(took), P50: at(50), P90: at(90)}
}
