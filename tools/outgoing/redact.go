package outgoing

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// minSecret is the minimum length of a secret in bytes. Shorter values are not redacted:
// removing every "1" would ruin a result.
const minSecret = 8

const redacted = "[secret]"

// Redactor removes secrets from texts, in all forms in which a server may return them.
type Redactor struct {
	replacer *strings.Replacer
	// Longest is the length of the longest form of a secret, in bytes.
	Longest int
}

// NewRedactor returns a Redactor for these secrets. It ignores those shorter than 8 bytes.
func NewRedactor(secrets []string) Redactor {
	var forms []string
	add := func(secret string) {
		if len(secret) < minSecret {
			return
		}
		forms = append(forms, secret, url.QueryEscape(secret), url.PathEscape(secret),
			strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"))
		for _, quoted := range jsonForms(secret) {
			forms = append(forms, quoted, strings.ReplaceAll(quoted, "/", `\/`))
		}
	}
	for _, secret := range secrets {
		add(secret)
		scheme, credential, ok := strings.Cut(secret, " ") // as in an Authorization header
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
	// At the same position the longest form wins, so that no part of it remains.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	forms = slices.Compact(forms)
	r := Redactor{}
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range forms {
		r.Longest = max(r.Longest, len(form))
		pairs = append(pairs, form, redacted)
	}
	r.replacer = strings.NewReplacer(pairs...)
	return r
}

// jsonForms returns the text as the content of a JSON string, with and without Go's escapes
// for HTML.
func jsonForms(text string) []string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string, into memory: always encoded
	plain := strings.TrimSuffix(b.String(), "\n")
	html, err := json.Marshal(text)
	if err != nil {
		html = []byte(plain)
	}
	return []string{plain[1 : len(plain)-1], string(html[1 : len(html)-1])}
}

// Replace returns the text without the secrets.
func (r Redactor) Replace(text string) string { return r.replacer.Replace(text) }
