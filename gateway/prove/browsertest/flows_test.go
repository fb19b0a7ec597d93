//go:build browsers

package browsertest

import (
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
)

// flows are what people do on the chat page. Each claim holds in every engine.
var flows = []struct {
	claim string
	run   func(t *testing.T, e engine)
}{
	{"a message gets its answer, in an installation without sign-in", message},
	{"one click answers a question, after the time to undo", oneClick},
	{"keys answer a question", byKeys},
}

// TestTheMainFlowsWorkInOtherEngines runs each flow in each engine, one at a time: only one window has
// the focus.
func TestTheMainFlowsWorkInOtherEngines(t *testing.T) {
	testenv.Clear()
	for _, engine := range engines {
		t.Run(engine.name, func(t *testing.T) {
			running := engine.start(t)
			for _, flow := range flows {
				t.Run(flow.claim, func(t *testing.T) { flow.run(t, running) })
			}
		})
	}
}

func message(t *testing.T, e engine) {
	w := show(t, e, answers(t, "All is **well**."))
	w.write("How are you?")
	w.says("All is well.")
	w.until("find('.bubble').textContent === 'How are you?' && find('askgate-markdown strong').textContent === 'well' && find('#message').value === '' && document.activeElement.id === 'message'")
	w.until("location.hash.startsWith('#assistant/') && document.querySelectorAll('#side nav a').length === 1")
}

func oneClick(t *testing.T, e engine) {
	w := show(t, e)
	w.js(clockwork)
	w.write("select")
	w.until("find('#pick-1') && !card.shadowRoot.querySelector('button.main')")
	w.click("find('.option:nth-child(2)')")
	w.until("find('#undo') && find('.option.chosen .label').textContent.trim() === 'German' && grace.length === 1")
	if got := strings.Join(value[[]string](w, "log()"), "\n"); strings.Contains(got, "You answered") {
		t.Errorf("an answer is sent before the time to undo is over: %s", got)
	}
	w.click("find('#undo')")
	w.until("!find('#undo') && grace.length === 0")
	w.click("find('.option:nth-child(2)')")
	w.until("find('#undo')")
	w.js("due()")
	w.says("You answered: German (de)")
}

func byKeys(t *testing.T, e engine) {
	w := show(t, e)
	w.write("select")
	w.until("card.shadowRoot.activeElement")
	w.keys(arrowDown + enter)
	w.says("You answered: German (de)") // once the time to undo is over
	w.until("document.activeElement.id === 'message'")
	w.write("select")
	w.until("find('#question') && card.shadowRoot.activeElement")
	w.keys("5")
	w.keys("Latin" + enter)
	w.says("You answered: Other: Latin")
}
