//go:build browser

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// chooses makes the file control of the page in view accept a file of that name and text.
const chooses = `globalThis.choose = (name, text, type = "text/plain") => {
  const of = new DataTransfer();
  of.items.add(new File([text], name, { type }));
  inPage("#input").files = of.files;
  inPage("#input").dispatchEvent(new Event("change"));
};`

// A file on one page of a form is uploaded as soon as it is chosen, stays over a reload and while
// another page is in view, and is read by the model; a refused file shows the reason.
func TestAFileOfAForm(t *testing.T) {
	t.Parallel()
	_, p := openForm(t, `{"question": "Which list?", "input_type": "file", "accept": [".csv"], "maxBytes": 100}`, whichName)
	p.js(chooses)
	p.until("at() === '1 of 2' && inPage('#input')?.type === 'file'")
	p.js("choose('list.csv', '%PDF-1.7 and more')")
	p.until("inPage('#error-file')?.textContent.includes('application/pdf')")
	p.js("choose('list.csv', 'x'.repeat(200))")
	p.until("inPage('#error-file')?.textContent.includes('too large (limit 100 byte')")
	p.js("choose('list.csv', 'a;b\\n1;2')")
	p.until("inPage('.file')?.textContent.includes('list.csv (')")
	p.js("inPage('button.main').click()")
	p.until("at() === '2 of 2' && inPage('#input')")
	p.do(chromedp.Reload())
	p.js(formHelpers)
	p.until("form() && at() === '1 of 2' && inPage('.file')?.textContent.includes('list.csv')")
	p.js("inPage('button.main').click()")
	p.until("at() === '2 of 2' && page().shadowRoot.activeElement?.id === 'input'")
	p.keys("Alpha")
	p.js("inPage('button.main').click()")
	p.until("form().shadowRoot.querySelector('.head')")
	p.shot("several-file")
	said := eval[[]string](p, "[...form().shadowRoot.querySelectorAll('askgate-clarification')].flatMap((c) => [...c.shadowRoot.querySelectorAll('.answer')].map((a) => a.textContent))")
	if got := strings.Join(said, ", "); !strings.Contains(got, "list.csv") || strings.Contains(got, "fil_") {
		t.Errorf("to be sent: %s", got)
	}
	p.js("form().shadowRoot.querySelector('button.main').click()")
	p.says("Told: list.csv (text/csv, 7 bytes)")
	if got := p.transcript()[1]; !strings.Contains(got, "list.csv") || strings.Contains(got, "fil_") {
		t.Errorf("the transcript has %q", got)
	}
	p.do(chromedp.Reload())
	p.says("Told: list.csv (text/csv, 7 bytes)")
	if got := p.transcript()[1]; !strings.Contains(got, "list.csv") || strings.Contains(got, "fil_") {
		t.Errorf("the transcript has, after a reload, %q", got)
	}
}
