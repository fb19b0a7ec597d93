//go:build browser

package browsertest

import (
	"strings"
	"testing"
)

// The demo's answers do not come from a language model, and must not be mistaken for it: not on the
// first screen, not in a chat, not in any language, not at any width.
func TestTheDemoSaysThatItIsNotALanguageModel(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1200)
	says := func(where, want string) {
		t.Helper()
		p.until("find('.demo')?.checkVisibility() && find('.demo').textContent === %s", want)
		p.accessible(where)
		p.fits(where)
		p.shot("demo-" + where)
	}
	says("first", "Demo without a language model")
	p.js("[...document.querySelectorAll('.prompts button')].find((b) => b.textContent.includes('weekend')).click()")
	p.until("find('.where') && find('.title').textContent.includes('Where would you like to go?')")
	says("asked", "Demo without a language model")
	p.resize(375)
	for language, want := range map[string]string{"de": "Demo ohne Sprachmodell", "fr": "Démo, sans modèle de langage", "es": "Demo, sin modelo de lenguaje"} {
		p.until("find('#language option[value=' + %s + ']')", language)
		p.js("find('#language').value = %s; find('#language').dispatchEvent(new Event('change'))", language)
		says("phone-"+language, want)
	}
}

// The law app is one app and one starter away from the page that the first command opens: it asks
// which ordinance is meant, the user chooses, and the answer cites it, with the passage below.
func TestTheLawsStarterAsksAndCites(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1000)
	p.until("find('#app')")
	p.js("find('#app').value = 'law'; find('#app').dispatchEvent(new Event('change'))")
	p.until("document.querySelectorAll('.prompts button').length === 1")
	p.click(".prompts button")
	p.until("find('.title')?.textContent.includes('Which ordinance do you mean?')")
	p.accessible("the law asks")
	p.shot("law-asks")
	p.click(".option:nth-child(2)")
	p.says("fourteen days in advance")
	p.until("find('page-sources summary')")
	if got := eval[[]string](p, sourceTitles); len(got) != 1 || !strings.Contains(got[0], "Harbour Ordinance of Larkhaven › § 4 Notice period") {
		t.Errorf("sources: %q", got)
	}
	p.js("find('a.to-passage').click()")
	p.until("find('.passage')?.textContent.includes('never in winter')")
	p.accessible("the law is cited")
	p.shot("law-cited")
}
