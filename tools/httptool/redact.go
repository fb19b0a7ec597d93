package httptool

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// minSecret is in bytes: what is shorter is no secret, and taking every "1" out of a
// result would spoil it.
const minSecret = 8

const redacted = "[secret]"

// redactor takes secrets out of texts.
type redactor struct {
	replacer *strings.Replacer
	longest  int // bytes
}

func newRedactor(secrets []string) redactor {
	var forms []string
	add := func(secret string) {
		if len(secret) < minSecret {
			return
		}
		forms = append(forms, secret, url.QueryEscape(secret), url.PathEscape(secret), escape(secret))
		for _, quoted := range jsonForms(secret) {
			forms = append(forms, quoted, strings.ReplaceAll(quoted, "/", `\/`))
		}
	}
	for _, secret := range secrets {
		add(secret)
		scheme, credential, ok := strings.Cut(secret, " ") // of an Authorization header
		if !ok {
			continue
		}
		add(credential)
		if plain, err := base64.StdEncoding.DecodeString(credential); err == nil && strings.EqualFold(scheme, "basic") {
			_, password, _ := strings.Cut(string(plain), ":")
			add(string(plain))
			add(password)
		}
	}
	// At the same place the longer one wins: no rest of it stays.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	forms = slices.Compact(forms)
	r := redactor{}
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		r.longest = max(r.longest, len(form))
		pairs = append(pairs, form, redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// jsonForms are the text as it stands in a JSON string: with and without what Go
// escapes for HTML.
func jsonForms(text string) []string {
	plain := compact(text)
	html, err := json.Marshal(text)
	if err != nil {
		html = []byte(plain)
	}
	return []string{plain[1 : len(plain)-1], string(html[1 : len(html)-1])}
}

func (r redactor) replace(text string) string { return r.replacer.Replace(text) }
