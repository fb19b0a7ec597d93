//go:build browser

package browsertest

import (
	"strings"
	"testing"
)

// A pattern that never ends does not block the page, and its verdict is left to the gateway.
func TestAPatternCannotFreezeThePage(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("text", "Code?", object{"validation": object{"pattern": `(?:\w+\s?)+\.`, "flags": "u"}})))
	p.start()
	p.js("globalThis.beats = 0; setInterval(() => beats++, 10)")
	p.js("find('#input').value = 'a'.repeat(200); find('#input').dispatchEvent(new Event('input')); await card.updateComplete")
	p.click("button.main")
	p.until("beats > 10 && answers.length === 0") // it beats while the worker is busy
	p.answered(`{"value":"` + strings.Repeat("a", 200) + `"}`)
}

// Without a worker the gateway decides as well.
func TestWithoutAWorkerTheGatewayDecides(t *testing.T) {
	t.Parallel()
	p := showCard(t, asked(question("text", "Code?", object{"validation": object{"pattern": "[A-Z]+", "flags": "u"}})))
	p.start()
	p.js("globalThis.Worker = class { constructor() { throw new Error('not here') } }")
	p.js("find('#input').value = 'abc'; find('#input').dispatchEvent(new Event('input')); await card.updateComplete")
	p.click("button.main")
	p.answered(`{"value":"abc"}`)
}
