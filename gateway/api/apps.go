package api

import (
	"golang.org/x/text/language"

	"github.com/askgate/askgate/config"
)

type appItem struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	StarterPrompts []string `json:"starterPrompts"`
	// OnMessageWhilePending is what a message does while a question is open.
	OnMessageWhilePending string `json:"onMessageWhilePending"`
	// Attachments are the files that may come with a message; left out where none may.
	Attachments *attachments `json:"attachments,omitempty"`
	// Demo says that a script answers, no language model.
	Demo bool `json:"demo"`
}

type attachments struct {
	MaxFiles int      `json:"maxFiles"`
	MaxBytes int64    `json:"maxBytes"`
	Accept   []string `json:"accept,omitempty"`
}

// newAppItem is an app in a language; an app without a name is called by its id.
func newAppItem(conf *config.Snapshot, app *config.App, lang string) appItem {
	item := appItem{
		ID: app.ID, Name: app.Name.In(lang), Description: app.Description.In(lang), StarterPrompts: []string{},
		OnMessageWhilePending: app.Clarifications.OnMessageWhilePending, Demo: conf.Demo(app),
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
	return item
}

// listApps pages by app id: the cursor is the last one seen.
func listApps(r *request) error {
	if err := r.signedIn(); err != nil {
		return err
	}
	want, err := pageWanted(r)
	if err != nil {
		return err
	}
	lang := r.readable()
	items := []appItem{}
	next := ""
	for _, app := range r.setup().Config.Apps() {
		if app.ID <= want.Cursor || !r.caller.mayUse(app) {
			continue
		}
		if len(items) == want.Limit {
			next = items[len(items)-1].ID
			break
		}
		items = append(items, newAppItem(r.setup().Config, app, lang))
	}
	localised(r, lang)
	return r.json(newPage(items, next))
}

func showApp(r *request) error {
	if err := r.inApp(); err != nil {
		return err
	}
	lang := r.readable()
	localised(r, lang)
	return r.json(newAppItem(r.setup().Config, r.app, lang))
}

// pageTexts are the texts of chat page and admin view, by ?lang=, else
// Accept-Language.
func pageTexts(r *request) error {
	lang := r.readable()
	if tag, ok := r.query("lang"); ok {
		if _, err := language.Parse(tag); err == nil {
			if match, ok := r.host.Catalog.Match(tag); ok {
				lang = match
			}
		}
	}
	localised(r, lang)
	return zipped(r, struct {
		Language  string            `json:"language"`
		Languages []string          `json:"languages"`
		Texts     map[string]string `json:"texts"`
	}{lang, r.host.Catalog.Languages(), r.host.Catalog.All(lang)})
}
