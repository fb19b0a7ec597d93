//go:build browser

package browsertest

import "testing"

// also returns the roles that are asked since ten o'clock.
func also(roles ...string) []object {
	var list []object
	for _, role := range roles {
		list = append(list, object{"role": role, "at": "2026-02-06T10:03:00.000Z"})
	}
	return list
}

// A card says which roles may answer, too, and since when, as text, in each of its languages; while it is open, what
// is typed stays.
func TestACardSaysWhoIsAskedToo(t *testing.T) {
	t.Parallel()
	p := showCard(t, quorum())
	if eval[bool](p, "find('.also') !== null") {
		t.Error("a line before anyone else is asked")
	}
	p.start()
	p.click(".add")
	p.until("card.shadowRoot.activeElement === find('#note')")
	p.keys("not yet")
	p.set("clarification", with(quorum(), "alsoAsks", also("lead", "<b>board</b>")))
	p.until("card.shadowRoot.querySelectorAll('.also p').length === 2")
	p.is("find('#note').value", "not yet")
	p.is("card.shadowRoot.activeElement.id", "note")
	p.is("find('.also p:last-child').textContent.replace(/^Since .*, those/, 'Those')", "Those with the role <b>board</b> may answer, too.")
	// It is also there for who may not decide.
	p.set("clarification", with(with(quorum(), "mayAnswer", false), "alsoAsks", also("lead")))
	p.until("find('.handed .also p')?.textContent.endsWith('those with the role lead may answer, too.')")
	for locale, words := range map[string]string{"de": "auch Personen mit der Rolle lead", "fr": "ayant le rôle lead", "es": "el rol lead"} {
		p.set("locale", locale)
		p.until("find('.also p').textContent.includes('" + words + "')")
	}
}
