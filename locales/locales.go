package locales

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

//go:embed active.*.json
var files embed.FS

// fallback is the language of last resort, in which the texts are written first.
const fallback = "en"

// browserPrefixes mark the texts that All gives to browsers: the chat page, the card
// that draws a question, and the admin view.
var browserPrefixes = []string{"page.", "card.", "admin."}

// Catalog is all texts in all languages. It is immutable and safe for concurrent
// use.
type Catalog struct {
	languages []string                     // as in the file names, fallback first
	messages  map[string]messages          // by language
	browser   map[string]map[string]string // by language, then id
	matcher   language.Matcher             // its indexes are those of languages
}

// messages are the texts of one language.
type messages struct {
	tag  language.Tag
	byID map[string]message
}

// New reads the embedded message files. An error means that a file is broken;
// the tests of this package keep that from being shipped.
func New() (*Catalog, error) {
	names, err := fs.Glob(files, "active.*.json")
	if err != nil {
		return nil, fmt.Errorf("locales: %w", err)
	}
	// The fallback comes first, the others by name: Match prefers earlier ones.
	slices.SortFunc(names, func(a, b string) int {
		switch first := "active." + fallback + ".json"; {
		case a == b:
			return 0
		case a == first:
			return -1
		case b == first:
			return 1
		default:
			return strings.Compare(a, b)
		}
	})
	c := &Catalog{
		messages: make(map[string]messages, len(names)),
		browser:  make(map[string]map[string]string, len(names)),
	}
	var tags []language.Tag
	for _, name := range names {
		file, err := readFile(name)
		if err != nil {
			return nil, err
		}
		tag := file.tag.String()
		c.languages = append(c.languages, tag)
		c.messages[tag] = file
		c.browser[tag] = browserTexts(file.byID)
		tags = append(tags, file.tag)
	}
	if len(tags) == 0 || c.languages[0] != fallback {
		return nil, fmt.Errorf("locales: active.%s.json is missing", fallback)
	}
	c.matcher = language.NewMatcher(tags)
	return c, nil
}

func readFile(name string) (messages, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return messages{}, fmt.Errorf("locales: %w", err)
	}
	var m messages
	if m.tag, err = language.Parse(strings.TrimSuffix(strings.TrimPrefix(name, "active."), ".json")); err == nil {
		err = json.Unmarshal(text, &m.byID)
	}
	if err != nil {
		return messages{}, fmt.Errorf("locales: %s: %w", name, err)
	}
	return m, nil
}

// browserTexts picks the plain texts of pages and card: those without plural
// forms, which a browser can use without a template engine.
func browserTexts(all map[string]message) map[string]string {
	texts := make(map[string]string)
	for id, m := range all {
		if forBrowsers(id) && m.counted == nil {
			texts[id] = m.general
		}
	}
	return texts
}

func forBrowsers(id string) bool {
	return slices.ContainsFunc(browserPrefixes, func(prefix string) bool { return strings.HasPrefix(id, prefix) })
}

// Text renders the text id in a language. data fills its parameters; data["Count"]
// (an integer) also chooses the plural form. A language without texts falls back
// to its base language (de-AT to de), then to English. An unknown id is returned
// as it is, so that the mistake is seen and nothing else breaks.
func (c *Catalog) Text(language, id string, data map[string]any) string {
	in := c.messages[c.Nearest(language)]
	m, ok := in.byID[id]
	if !ok {
		in = c.messages[fallback]
		m = in.byID[id]
	}
	text, err := render(m.form(in.tag, data["Count"]), data)
	if text == "" || err != nil {
		return id
	}
	return text
}

// Languages are the languages there are texts for: English first, then by name.
// The slice is the caller's own.
func (c *Catalog) Languages() []string { return slices.Clone(c.languages) }

// All are the texts of chat page, card and admin view in a language, by id: those
// that begin with "page.", "card." or "admin." and have no plural forms. Fallbacks
// are as in Text. The map is the caller's own.
func (c *Catalog) All(language string) map[string]string {
	texts := maps.Clone(c.browser[fallback])
	maps.Copy(texts, c.browser[c.Nearest(language)])
	return texts
}

// Nearest is the language of the texts to show to a reader of language.
func (c *Catalog) Nearest(language string) string {
	if _, ok := c.messages[language]; ok {
		return language
	}
	if match, ok := c.Match(language); ok {
		return match
	}
	return fallback
}
