//go:build browser

package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// projects returns a question with 1,000 options, three of which it lists.
func projects(inputType string) object {
	return asked(question(inputType, "Which project?", object{"options": options("Alpha", "p-1", "Beta", "p-2", "Gamma", "p-3"), "optionsTotal": 1000, "searchable": true}))
}

// searching lets the page find any of the 1,000 options, as the gateway would.
const searching = `globalThis.searches = []; globalThis.searchFails = false;
card.searchOptions = async (query, { question, signal }) => {
	searches.push(query + " in " + question);
	if (globalThis.slow) await new Promise((go) => { globalThis.go = go; });
	if (searchFails) throw new Error("no");
	const all = Array.from({ length: 1000 }, (_, i) => ({ label: "Project " + (i + 1), value: "p-" + (i + 1), description: "Team " + i % 7 }));
	const items = all.filter((o) => o.label.toLowerCase().includes(query.toLowerCase()));
	return { items: items.slice(0, 20), total: items.length, nextCursor: null };
};`

const told = `card.shadowRoot.querySelector("[role=status]").textContent`

func TestOptionsAreFoundWhileTheUserTypes(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js(searching)
	p.reopen(projects("select"))
	if got := eval[string](p, "find('#search').placeholder"); got != "Search 1,000 options" {
		t.Error(got)
	}
	p.until("find('#options').textContent.includes('Showing 3 of 1,000')")
	p.start()
	p.keys("ject 99")
	p.until("find('#options').textContent.includes('Project 99')")
	p.until(told + " === '11 of 11 options'")
	if got := eval[[]string](p, "searches"); len(got) != 1 || got[0] != "ject 99 in 0" {
		t.Errorf("one request for each key: %v", got)
	}
	p.keys("2", kb.ArrowDown) // to the first result, once there is one
	p.until("find('.label').textContent.trim() === 'Project 992'")
	p.start()
	p.keys(kb.ArrowDown, " ")
	p.until("find('.option.chosen')")
	p.start()
	for range "ject 992" {
		p.keys(kb.Backspace)
	}
	p.until("find('.option.chosen').textContent.includes('Project 992')") // the chosen option stays, even without a search
	p.js("card.clarification = {...card.clarification, clarificationId: 'other'}; await card.updateComplete")
	p.set("clarification", projects("select")) // as after a reload
	p.until("find('.option.chosen').textContent.includes('Project 992')")
	p.click("button.main")
	p.answered(`{"value":"p-992"}`)
	p.js(`Object.assign(card, {state: "answered", answer: {value: "p-992", options: [{label: "Project 992", value: "p-992"}]}}); await card.updateComplete`)
	p.until("find('.answer').textContent === 'Project 992'")
}

func TestSeveralAreChosenOverSeveralSearches(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js(searching)
	p.reopen(projects("multiselect"))
	p.start()
	for _, query := range []string{"ject 500", "ject 700"} {
		p.click("#search")
		p.js("find('#search').select()")
		p.keys(query)
		p.until(told + " === '1 of 1 options'")
		p.until("find('#options').textContent.includes(%s)", query)
		p.keys(kb.Enter)
	}
	p.until("find('.count').textContent === '2 chosen'")
	p.click("#search")
	p.js("find('#search').select()")
	p.keys(kb.Backspace)
	p.click(".option:nth-child(2)")
	p.click("button.main")
	p.answered(`{"values":["p-2","p-500","p-700"]}`)
}

func TestEnterDoesNotTakeWhatWasFoundBefore(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js(searching)
	p.reopen(projects("select"))
	p.start()
	p.js("globalThis.slow = true")
	p.keys("ject 7")
	p.until("searches.length === 1")
	p.keys(kb.Enter)
	p.js("slow = false; go()")
	p.until("find('#options').textContent.includes('Project 7')")
	if eval[bool](p, "find('.option.chosen') !== null || answers.length > 0") {
		t.Error("something was chosen before there was anything to choose")
	}
}

func TestSearchThatFailsLeavesWhatThereIs(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js(searching + "searchFails = true")
	p.reopen(projects("select"))
	p.start()
	p.keys("alp")
	p.until(told + ".startsWith('Search is not working')")
	p.until("find('#options').textContent.includes('Search is not working')")
	p.keys(kb.Enter, kb.Enter)
	p.answered(`{"value":"p-1"}`)

	p.reopen(projects("select")) // a page that cannot search
	p.js("card.searchOptions = null; await card.updateComplete")
	p.start()
	p.keys("bet", kb.Enter, kb.Enter)
	p.answered(`{"value":"p-2"}`)
}

func TestAnOptionThatIsGoneMakesRoomForThoseThereAre(t *testing.T) {
	t.Parallel()
	p := showCard(t, nil)
	p.js(searching)
	p.reopen(projects("multiselect"))
	p.start()
	p.js("find('.option:nth-child(1) .pick').click(); await card.updateComplete; find('.option:nth-child(2) .pick').click(); await card.updateComplete")
	p.click("button.main")
	p.answered(`{"values":["p-1","p-2"]}`)
	p.js(`answers.length = 0; card.error = {status: 409, code: "stale_option", detail: "It is gone.", question: 0, gone: ["p-1"],
		options: [{label: "Beta", value: "p-2"}, {label: "Delta", value: "p-4"}], optionsTotal: 2}; await card.updateComplete`)
	p.until("find('.alert').textContent.includes('It is gone.')")
	if got := eval[string](p, `[...card.shadowRoot.querySelectorAll(".option")].map((o) => o.innerText.split("\n")[0] + (o.matches(".chosen") ? "!" : "")).join(" ")`); got != "Beta! Delta" {
		t.Error(got)
	}
	p.click(".option:nth-child(2)")
	p.click("button.main")
	p.answered(`{"values":["p-2","p-4"]}`)
}

// The chat page, the gateway and a service behind it: an option that was found has disappeared when
// it is sent, and another one of the current options is accepted.
func TestThePageSearchesTheGatewaysOptions(t *testing.T) {
	t.Parallel()
	var gone atomic.Bool
	projects := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, "[")
		for i := range 1000 {
			if i != 500 || !gone.Load() {
				fmt.Fprintf(w, `{"name": "Project %d", "id": %d},`, i, i)
			}
		}
		fmt.Fprint(w, `{"name": "Last", "id": "last"}]`)
	}))
	t.Cleanup(projects.Close)
	script, err := modeltest.ParseScript([]byte(`[{"calls": [{"id": "call_1", "name": "ask_user", "arguments": {"template": "pick"}}]}, {"answer": "Noted."},
		{"answer": "Changed."}, {"calls": [{"id": "call_2", "name": "ask_user", "arguments": {"question": "Which plan?", "input_type": "file", "allow_skip": true}}]}, {"answer": "No plan."}]`))
	if err != nil {
		t.Fatal(err)
	}
	model := modeltest.New(t, script...)
	conf := t.TempDir()
	for name, text := range map[string]string{
		"apps/helper.json": `{"id": "helper", "tools": ["ask_user"], "clarifications": {"maxOptions": 3}}`,
		"tools.json": `[{"id": "ask_user", "templates": {"pick": {"question": "Which project?", "optionsFrom": {"tool": "list", "label": "/name", "value": "/id"}}}},
			{"id": "list", "type": "http", "http": {"url": "` + projects.URL + `/"}}]`,
	} {
		if err := os.MkdirAll(filepath.Join(conf, "apps"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(conf, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newSite(t, "", func(s *site) {
		s.env = append(s.env, "OPENAI_BASE_URL="+model.URL)
		s.args = append(s.args, "--config", conf)
	})
	p := openChatPage(t, s, "", 1000)
	p.write("go")
	p.until("find('#search')?.placeholder === 'Search 1,001 options'")
	p.start()
	p.keys("ject 500")
	p.until("find('#options').textContent.includes('Project 500')")
	p.keys(kb.Enter, kb.Enter) // the first leads to the results
	p.until("find('.option.chosen')")
	gone.Store(true)
	p.until("find('.alert').textContent.includes('no longer available') && !find('.option.chosen')")
	p.until("find('#options').textContent.includes('Showing 3 of 1,000')")
	p.start()
	p.keys("ject 77")
	p.until("find('#options').textContent.includes('Project 779')")
	p.keys(kb.Enter, kb.Enter)
	p.says("Noted.")
	p.until("document.querySelector('askgate-clarification').shadowRoot.querySelector('.answer').textContent === 'Project 77'")

	// Another of the 1,000, found while the answer is changed.
	p.idle()
	p.pushes("Change")
	const changed = "document.querySelector('#change')?.shadowRoot"
	p.until(changed + "?.querySelector('.option.chosen')?.textContent.includes('Project 77')")
	p.js(changed + ".querySelector('#search').focus()")
	p.keys("ject 888")
	p.until(changed + ".querySelector('#options').textContent.includes('Project 888')")
	p.keys(kb.Enter, kb.Enter)
	p.says("Changed.")
	p.until("location.hash.includes('/fork-') && document.querySelector('askgate-clarification').shadowRoot.querySelector('.answer').textContent === 'Project 888'")

	// A file is accepted only for a question that waits: such an answer cannot be changed.
	p.idle()
	p.write("and the plan")
	p.until("find('.title')?.textContent.includes('Which plan')")
	p.js("[...card.shadowRoot.querySelectorAll('button')].find((b) => b.textContent.trim() === 'Skip').click()")
	p.says("No plan.")
	p.idle()
	p.until("document.querySelectorAll('.transcript askgate-clarification').length === 2")
	if n := eval[int](p, "[...document.querySelectorAll('.transcript button')].filter((b) => b.textContent.trim() === 'Change').length"); n != 1 {
		t.Errorf("%d answers can be changed, want that of the first question", n)
	}
}

// Passages that are options are searched by their texts, and with typing errors, as in the
// documents themselves.
func TestPassagesAreFoundWhileTheUserTypes(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"gateway.json":  guideConfig,
		"apps/law.json": `{"id": "law", "tools": ["ask_user", "laws"], "clarifications": {"maxOptions": 3}}`,
		"tools.json": `[{"id": "laws", "type": "documents", "documents": {"path": "laws"}}, {"id": "ask_user", "templates": {"which": {"question": "Which do you mean?",
			"optionsFrom": {"tool": "laws__search", "arguments": {"query": "{topic}", "limit": 200}, "rows": "/items", "label": "/title", "value": "/id", "description": "/snippet"}}}}]`,
	}
	for i, word := range []string{"landlords", "harbours", "gardens", "quarries", "lighthouses"} {
		files[fmt.Sprintf("laws/%d.md", i)] = fmt.Sprintf("# Act %d\n\nA notice about %s is given in writing.\n", i, word)
	}
	s := newSite(t, "", upstream(t, func(_ string, results []string, d deltas) {
		if len(results) == 0 {
			d.calls("ask_user", `{"template": "which", "values": {"topic": "notice"}}`)
			return
		}
		d.words("Chosen: " + results[0])
		d.end("stop")
	}), configured(t, files))
	p := openChatPage(t, s, "", 1000)
	p.write("How long is the notice?")
	p.until("find('#search')?.placeholder === 'Search 5 options'")
	p.start()
	p.keys("lighthuoses")
	p.until("document.querySelector('#question').shadowRoot.querySelectorAll('.option').length === 1 && find('#options').textContent.includes('Act 4')")
	p.keys(kb.Enter, kb.Enter)
	p.says("Chosen: Act 4")
}
