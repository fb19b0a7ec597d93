package config

import (
	"regexp"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
)

// ihubPlaces are the names that ihub-apps itself fills in prompts, with what to do instead. Source:
// server/services/PromptService.js in its repository, November 2026.
var ihubPlaces = map[string]string{
	"sources": insteadOfSources, "source": insteadOfSources,
	"date": insteadOfClock, "date_iso": insteadOfClock, "time": insteadOfClock, "year": insteadOfClock, "month": insteadOfClock,
	"day_of_week": insteadOfClock, "timezone": insteadOfClock,
	"user_name": insteadOfOthers, "user_email": insteadOfOthers, "location": insteadOfOthers, "locale": insteadOfOthers,
	"model_name": insteadOfOthers, "tone": insteadOfOthers, "platform_context": insteadOfOthers,
}

const (
	insteadOfSources = `give the app a tool of type "documents" instead, and remove it`
	insteadOfClock   = `list the tool "clock" instead, and remove it`
	insteadOfOthers  = `write the text itself, or define a variable of that name`
)

// unfilled warns about each {{name}} in the app's prompts that nothing fills. The model would read it
// as it is.
func (r *appReader) unfilled(n Value) {
	known := make([]string, 0, len(r.app.Variables))
	for i := range r.app.Variables {
		known = append(known, r.app.Variables[i].Name)
	}
	for _, key := range []string{"system", "prompt"} {
		fillable := slices.Clone(known)
		if key == "prompt" {
			fillable = append(fillable, messageName)
		}
		seen := slices.Clone(fillable)
		for _, text := range n.Key(key).texts() {
			for _, m := range filledPlace.FindAllStringSubmatch(literal(text.v), -1) {
				name := m[1]
				if slices.Contains(seen, name) {
					continue
				}
				seen = append(seen, name)
				switch instead := ihubPlaces[name]; {
				case name == messageName:
					text.Warn(`{{content}} is filled only in "prompt", so the model reads it as is; move it there, or remove it`)
				case instead != "" && nearest(name, fillable) == "":
					text.Warn("{{%s}} is filled only by ihub-apps, so the model reads it as is; %s", name, instead)
				default:
					fix := near(name, fillable)
					if fix == "" {
						fix = `; add it to "variables", or remove it`
					}
					text.Warn("no variable fills {{%s}}, so the model reads it as is%s", name, fix)
				}
			}
		}
	}
}

// texts returns the strings of a localised text.
func (n Value) texts() (list []Value) {
	if !n.Given() {
		return nil
	}
	for v := range n.v.All() {
		if lit, ok := v.Value.(hujson.Literal); ok && lit.Kind() == '"' {
			list = append(list, n.child(v))
		}
	}
	return list
}

var doubleBraces = regexp.MustCompile(`\{\{([A-Za-z_][A-Za-z0-9_.-]*)\}\}`)

// unfilled warns about each place of a question that does not get the value that it seems to get: one
// in double braces, and one in a text in which nothing is replaced.
func (r *templateReader) unfilled(n Value) {
	list, _ := n.Members()
	for _, m := range list {
		switch m.Key {
		case "question", "header", "context", "placeholder":
			m.doubled()
		case "optionsFrom":
			m.Value.Key("arguments").doubled()
		case "options", "fallback", "default", "validation", "description":
			for _, text := range m.texts() {
				for _, place := range tools.Placeholder.FindAllStringSubmatch(literal(text.v), -1) {
					if r.places[place[1]] {
						text.Warn(`%s is not replaced here, only in "question", "header", "context", "placeholder" and the arguments of "optionsFrom"; remove it`, place[0])
						break
					}
				}
			}
		}
	}
}

func (n Value) doubled() {
	for _, text := range n.texts() {
		if m := doubleBraces.FindStringSubmatch(literal(text.v)); m != nil {
			text.Warn("%s would be shown with braces around the value, because a template has single ones; write {%s}", m[0], m[1])
		}
	}
}
