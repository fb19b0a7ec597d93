//go:build browser

package browsertest

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

func earlier(more object) object {
	e := object{"label": "x", "answeredAt": "2026-02-06T10:30:00.000Z"}
	for k, v := range more {
		e[k] = v
	}
	return object{"earlier": e, "options": languages, "allow_other": true}
}

// An earlier answer is not preselected, and one click sends it unchanged.
func TestAnEarlierAnswerIsKeptWithOneClick(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	for name, c := range map[string]struct {
		part object
		sent string
	}{
		"text":        {question("text", "Where?", earlier(object{"value": "Lisbon,\n Portugal"})), `{"value":"Lisbon,\n Portugal"}`},
		"fraction":    {question("number", "How much?", earlier(object{"value": 0.5})), `{"value":0.5}`},
		"large":       {question("number", "How much?", earlier(object{"value": 1e17, "label": "100000000000000001"})), `{"value":"100000000000000001"}`},
		"date":        {question("date", "When?", earlier(object{"value": "2026-12-01"})), `{"value":"2026-12-01"}`},
		"select":      {question("select", "Which?", earlier(object{"value": "de"})), `{"value":"de"}`},
		"own words":   {question("select", "Which?", earlier(object{"other": "Latin"})), `{"other":"Latin"}`},
		"multiselect": {question("multiselect", "Which?", earlier(object{"values": []string{"fr", "de"}, "other": "Latin"})), `{"values":["fr","de"],"other":"Latin"}`},
		"no":          {question("confirm", "Sure?", earlier(object{"value": "no"})), `{"value":false}`},
		"searchable": {question("select", "Which?", object{"options": languages, "searchable": true, "optionsTotal": 90, "allow_other": false,
			"earlier": object{"value": "la", "label": "Latin", "answeredAt": "2026-02-06T10:30:00.000Z"}}), `{"value":"la"}`},
	} {
		t.Run(name, func(t *testing.T) {
			if input := c.part["input_type"]; input != "select" && input != "multiselect" {
				delete(c.part, "options")
			}
			p.t = t
			p.reopen(asked(c.part))
			p.until("find('.earlier') && !find('.option.chosen') && !find('#input')?.value && answers.length === 0")
			p.click(".earlier button")
			p.answered(c.sent)
		})
	}
}

// In a form it fills in its question and moves on; nothing is sent before the user has seen all of
// it.
func TestAnEarlierAnswerFillsItsQuestionOfAForm(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(
		question("text", "Where?", object{"earlier": object{"value": "Lisbon", "label": "Lisbon", "answeredAt": time.Now().UTC().Format(time.RFC3339)}}),
		question("text", "Who?", nil),
	))
	p.set("locale", "de")
	p.until("find('.earlier span').textContent.startsWith('Sie haben um ')") // from today: the time
	p.click(".earlier button")
	p.until("find('#title').textContent === 'Who?' && !find('.earlier') && answers.length === 0")
	p.start()
	p.keys("Ada", kb.Enter)
	p.until("find('.review .answer').textContent === 'Lisbon'")
	p.click("button.main")
	p.answered(`{"answers":[{"value":"Lisbon"},{"value":"Ada"}]}`)
}
