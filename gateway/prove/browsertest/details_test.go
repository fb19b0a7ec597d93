//go:build browser

package browsertest

import (
	"strings"
	"testing"
)

// permission returns a coding agent's question with the given number of lines to read.
func permission(lines int, more ...string) object {
	options := options(append([]string{"Yes", "yes", "No", "no"}, more...)...)
	return with(asked(question("select", "Allow Bash: make", object{"options": options})), "details", strings.Repeat("make\n", lines)+"rm ⟨U+202E⟩")
}

// TestDetailsAreReadBeforeTheyAreAllowed: allowing requires that the end was in view; a no does not.
func TestDetailsAreReadBeforeTheyAreAllowed(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]object{
		"a choice":  permission(500, "Always", "yes-1"),
		"a confirm": with(asked(question("confirm", "Allow Bash: make", nil)), "details", strings.Repeat("make\n", 500)+"rm"),
	} {
		t.Run(name, func(t *testing.T) {
			p := showCard(t, ask)
			p.start()
			p.until("find('#pick-0').getAttribute('aria-disabled') === 'true' && !find('#pick-1').hasAttribute('aria-disabled')")
			p.keys("1")
			p.js("find('#pick-0').click(); await card.updateComplete")
			if eval[bool](p, "find('#pick-0').checked") {
				t.Fatal("it was allowed before its end was in view")
			}
			p.js("find('#end').scrollIntoView()")
			p.until("!find('#pick-0').hasAttribute('aria-disabled')")
			p.js("find('#pick-0').click(); await card.updateComplete; find('button.main').click()")
			if name == "a choice" {
				p.answered(`{"value":"yes"}`)
			} else {
				p.answered(`{"value":true}`)
			}
		})
	}
	p := showCard(t, permission(500))
	p.start()
	p.js("find('#pick-1').click(); await card.updateComplete; find('button.main').click()")
	p.answered(`{"value":"no"}`)
}

// TestDetailsShowWhatCannotBeSeen: invisible characters are marked, and nothing is interpreted as
// HTML.
func TestDetailsShowWhatCannotBeSeen(t *testing.T) {
	t.Parallel()
	p := showCard(t, with(permission(1), "details", "<b>a</b> ⟨U+202E⟩ ⟨0xFF⟩"))
	p.start()
	p.until(`find('#call').textContent === "<b>a</b> ⟨U+202E⟩ ⟨0xFF⟩" && [...card.shadowRoot.querySelectorAll('#call mark')].map((m) => m.textContent).join() === "⟨U+202E⟩,⟨0xFF⟩"`)
}
