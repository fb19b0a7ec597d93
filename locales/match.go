package locales

import (
	"strings"

	"golang.org/x/text/language"
)

// Limits of what Match reads. Browsers send fewer than 200 bytes and ten tags;
// parsing more would be work done for an attacker.
const (
	maxHeader = 1024 // bytes, of which the whole tags are read
	maxTags   = 32
)

// Match negotiates: tags is one BCP 47 tag ("de-AT") or an Accept-Language header
// ("fr;q=0.5, es"), the result the best language there are texts for. Entries are
// tried in the order of their weights; one that has no texts, or is not a language
// tag, is ignored. ok is false if none is left, and for "*", which asks for nothing in
// particular: the caller then has a better guess, such as the language of the chat.
func (c *Catalog) Match(tags string) (lang string, ok bool) {
	if len(tags) > maxHeader {
		tags = tags[:maxHeader]
		tags = tags[:max(0, strings.LastIndexByte(tags, ','))]
	}
	// One by one, because a malformed entry must not spoil the others.
	var best float32
	for i, piece := range strings.SplitN(tags, ",", maxTags+1) {
		if i == maxTags {
			break
		}
		wishes, weights, err := language.ParseAcceptLanguage(piece)
		if err != nil || len(wishes) != 1 || weights[0] <= best {
			continue
		}
		// High: regions and scripts may differ, languages may not.
		if _, i, confidence := c.matcher.Match(wishes[0]); confidence >= language.High {
			lang, ok, best = c.languages[i], true, weights[0]
		}
	}
	return lang, ok
}
