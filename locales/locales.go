package locales

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
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
	languages  []string                     // as in the file names, fallback first
	localizers map[string]*i18n.Localizer   // by language
	browser    map[string]map[string]string // by language, then id
	matcher    language.Matcher             // its indexes are those of languages
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
	bundle := i18n.NewBundle(language.MustParse(fallback))
	c := &Catalog{
		localizers: make(map[string]*i18n.Localizer, len(names)),
		browser:    make(map[string]map[string]string, len(names)),
	}
	var tags []language.Tag
	for _, name := range names {
		file, err := parseFile(bundle, name)
		if err != nil {
			return nil, err
		}
		tag := file.Tag.String()
		c.languages = append(c.languages, tag)
		c.localizers[tag] = i18n.NewLocalizer(bundle, tag)
		c.browser[tag] = browserTexts(file.Messages)
		tags = append(tags, file.Tag)
	}
	if len(tags) == 0 || c.languages[0] != fallback {
		return nil, fmt.Errorf("locales: active.%s.json is missing", fallback)
	}
	c.matcher = language.NewMatcher(tags)
	return c, nil
}

func parseFile(bundle *i18n.Bundle, name string) (*i18n.MessageFile, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("locales: %w", err)
	}
	file, err := bundle.ParseMessageFileBytes(text, name)
	if err != nil {
		return nil, fmt.Errorf("locales: %s: %w", name, err)
	}
	return file, nil
}

// browserTexts picks the plain texts of pages and card: those without plural
// forms, which a browser can use without a template engine.
func browserTexts(messages []*i18n.Message) map[string]string {
	texts := make(map[string]string)
	for _, m := range messages {
		if forBrowsers(m.ID) && m.One == "" {
			texts[m.ID] = m.Other
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
	cfg := i18n.LocalizeConfig{MessageID: id}
	if data != nil { // a nil map in the interface would hide that there are no parameters
		cfg.TemplateData = data
		cfg.PluralCount = data["Count"]
	}
	localizer := c.localizers[c.Nearest(language)]
	text, err := localizer.Localize(&cfg)
	if text == "" && err != nil {
		// The count is not a number: the general form still says what matters.
		cfg.PluralCount = nil
		text, _ = localizer.Localize(&cfg)
	}
	if text == "" {
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
	if _, ok := c.localizers[language]; ok {
		return language
	}
	if match, ok := c.Match(language); ok {
		return match
	}
	return fallback
}
