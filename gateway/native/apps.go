package native

import (
	"golang.org/x/text/language"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/tools"
)

type appItem struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	StarterPrompts []string `json:"starterPrompts"`
	// OnMessageWhilePending says what a message does while a question is open.
	OnMessageWhilePending string `json:"onMessageWhilePending"`
	// Attachments says which files may come with a message; left out if none may.
	Attachments *attachments `json:"attachments,omitempty"`
	// Demo means that a script answers, not a language model.
	Demo bool `json:"demo"`
	// Documents are the documents in which people may search; left out if there are none.
	Documents []searchable `json:"documents,omitempty"`
}

// searchable is a tool that searches in documents.
type searchable struct {
	Tool string `json:"tool"`
	Name string `json:"name"`
	tools.Facets
}

type attachments struct {
	MaxFiles int      `json:"maxFiles"`
	MaxBytes int64    `json:"maxBytes"`
	Accept   []string `json:"accept,omitempty"`
}

// newAppItem returns an app in a language; the name of an app without one is its id.
func newAppItem(setup *turn.Setup, app *config.App, lang string) appItem {
	item := appItem{
		ID: app.ID, Name: app.Name.In(lang), Description: app.Description.In(lang), StarterPrompts: []string{},
		OnMessageWhilePending: app.Clarifications.OnMessageWhilePending, Demo: setup.Config.Demo(app),
	}
	if item.Name == "" {
		item.Name = app.ID
	}
	if takes := app.Attachments; takes.MaxFiles > 0 {
		item.Attachments = &attachments{takes.MaxFiles, takes.MaxBytes, takes.Accept}
	}
	for _, p := range app.StarterPrompts {
		item.StarterPrompts = append(item.StarterPrompts, p.In(lang))
	}
	for _, l := range setup.Catalog.Libraries(app.ID) {
		name := l.Name.In(lang)
		if name == "" {
			name = l.ID
		}
		item.Documents = append(item.Documents, searchable{l.ID, name, l.Library.Facets()})
	}
	return item
}

// ListApps pages by app id: the cursor is the last id seen.
func ListApps(r *host.Request) error {
	want, err := host.PageWanted(r)
	if err != nil {
		return err
	}
	lang := r.Language()
	items := []appItem{}
	next := ""
	for _, app := range r.Setup().Config.Apps() {
		if app.ID <= want.Cursor || !r.Caller.MayUse(app) {
			continue
		}
		if len(items) == want.Limit {
			next = items[len(items)-1].ID
			break
		}
		items = append(items, newAppItem(r.Setup(), app, lang))
	}
	host.Localised(r, lang)
	return r.JSON(host.NewPage(items, next))
}

func ShowApp(r *host.Request) error {
	lang := r.Language()
	host.Localised(r, lang)
	return r.JSON(newAppItem(r.Setup(), r.App, lang))
}

// PageTexts returns the texts of the chat page and the admin view, in the language of ?lang= or
// else of Accept-Language.
func PageTexts(r *host.Request) error {
	lang := r.Language()
	if tag, ok := r.Query("lang"); ok {
		if _, err := language.Parse(tag); err == nil {
			if match, ok := r.Host.Catalog.Match(tag); ok {
				lang = match
			}
		}
	}
	host.Localised(r, lang)
	return zipped(r, struct {
		Language  string            `json:"language"`
		Languages []string          `json:"languages"`
		Texts     map[string]string `json:"texts"`
	}{lang, r.Host.Catalog.Languages(), r.Host.Catalog.All(lang)})
}
