//go:build browser

package browsertest

import (
	"strings"
	"testing"
)

// What the demo answers is no language model's, and nobody may take it for one: not on the
// first screen, not in a chat, in no language, on no width.
func TestTheDemoSaysThatItIsNoLanguageModel(t *testing.T) {
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

// The law is one app and one starter away from the first command's page: asked which ordinance is
// meant, chosen, and cited, with the passage below the answer.
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
	p.says("fourteen days before")
	p.until("find('page-sources summary')")
	if got := eval[[]string](p, sourceTitles); len(got) != 1 || !strings.Contains(got[0], "Harbour Ordinance of Larkhaven › § 4 Notice period") {
		t.Errorf("sources: %q", got)
	}
	p.js("find('a.to-passage').click()")
	p.until("find('.passage')?.textContent.includes('never in winter')")
	p.accessible("the law is cited")
	p.shot("law-cited")
}
