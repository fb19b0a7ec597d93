//go:build browser

package browsertest

import "testing"

// What the demo answers is no language model's, and nobody may take it for one: not on the
// first screen, not in a chat, in no language, on no width.
func TestTheDemoSaysThatItIsNoLanguageModel(t *testing.T) {
	s := newSite(t, "")
	p := openChatPage(t, s, "", 1200)
	says := func(where, want string) {
		t.Helper()
		p.until("find('.demo')?.checkVisibility() && find('.demo').textContent === %s", want)
		p.accessible(where)
		p.fits(where)
		p.shot("demo-" + where)
	}
	says("first", "Demo, no language model")
	p.js("[...document.querySelectorAll('.prompts button')].find((b) => b.textContent.includes('weekend')).click()")
	p.until("find('.where') && find('.title').textContent.includes('Where would you like to go?')")
	says("asked", "Demo, no language model")
	p.resize(375)
	for language, want := range map[string]string{"de": "Demo, kein Sprachmodell", "fr": "Démo, sans modèle de langage", "es": "Demo, sin modelo de lenguaje"} {
		p.until("find('#language option[value=' + %s + ']')", language)
		p.js("find('#language').value = %s; find('#language').dispatchEvent(new Event('change'))", language)
		says("phone-"+language, want)
	}
}
