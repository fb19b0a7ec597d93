package host

import (
	"errors"
	"regexp"
	"strings"

	"golang.org/x/text/language"

	"github.com/askgate/askgate/config"
)

// reserved matches a primary subtag that is well-formed by RFC 5646 (section 2.1) but never
// registered. The parser calls it malformed.
var reserved = regexp.MustCompile(`^[A-Za-z]{4,8}(-|$)`)

// ParseTag reads a BCP 47 tag; ok reports whether it is well-formed. Subtags that are not
// registered are left out.
func ParseTag(tag string) (parsed language.Tag, ok bool) {
	if len(tag) > maxLocale {
		return language.Und, false
	}
	parsed, err := language.Parse(tag)
	if _, unknown := errors.AsType[language.ValueError](err); err == nil || unknown {
		return parsed, true
	}
	if !reserved.MatchString(tag) {
		return language.Und, false
	}
	rest := strings.TrimLeft(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	_, err = language.Parse("und" + rest)
	_, unknown := errors.AsType[language.ValueError](err)
	return language.Und, err == nil || unknown
}

// Speak selects the language that the body asks for, if the gateway, or at least
// the app, has texts in it.
func (r *Request) Speak(tag string) {
	if _, ok := r.Host.Catalog.Match(tag); tag != "" && (ok || speaks(r.App, tag)) {
		r.locale = tag
	}
}

// wanted returns the language that was asked for, or "".
func (r *Request) wanted() string {
	if r.locale != "" {
		return r.locale
	}
	return r.accepted
}

// Language returns the language of the texts that the caller gets to read (contract 4): the one
// asked for in the body or the header, or else the chat's, or else English.
func (r *Request) Language() string {
	tag := r.wanted()
	if tag == "" && r.ChatKnown {
		if c, _, err := r.Host.Store.Conversation(r.Context(), r.Ref); err == nil {
			tag = c.Language
		}
	}
	if lang, ok := r.Host.Catalog.Match(tag); ok {
		return lang
	}
	return defaultLanguage
}

const defaultLanguage = "en"

// Text returns one of the gateway's texts in the language that the caller reads.
func (r *Request) Text(id string, params map[string]any) string {
	return r.Host.Catalog.Text(r.Language(), id, params)
}

// speaks reports whether an admin gave the app's texts in the language, or in its base.
func speaks(app *config.App, tag string) bool {
	base, _, _ := strings.Cut(tag, "-")
	for _, text := range []config.Text{app.System, app.Name, app.Description} {
		for _, have := range text.Languages() {
			if strings.EqualFold(have, tag) || strings.EqualFold(have, base) {
				return true
			}
		}
	}
	return false
}

// Localised sets the headers that name the language of a response's texts, and that say that
// another caller may get others.
func Localised(r *Request, lang string) {
	h := r.Response().Header()
	h.Set("Content-Language", lang)
	h.Add("Vary", "Accept-Language")
}
