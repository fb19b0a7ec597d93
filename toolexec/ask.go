package toolexec

import (
	"context"
	"maps"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// askUser is the id of ask_user for apps without one of their own.
const askUser = "ask_user"

// asker returns the tool that asks the users of an app: its own ask_user, or else one without
// templates. It is nil if the app does not exist.
func (c *Catalog) asker(app string) *bound {
	at := c.apps[app]
	if at == nil {
		return nil
	}
	if i := slices.IndexFunc(at.list, func(b *bound) bool { return b.entry.Type == config.TypeAskUser }); i >= 0 {
		return at.list[i]
	}
	return &bound{entry: &config.Tool{ID: askUser, Type: config.TypeAskUser}, tool: at.closers[tools.KindQuestion]}
}

// Understands reports whether an app's ask_user knows a name in the arguments of a program's
// question.
func (c *Catalog) Understands(app, name string) bool {
	b := c.asker(app)
	if b == nil {
		return false
	}
	u, ok := b.tool.(interface{ Understands(name string) bool })
	return ok && u.Understands(name)
}

// Ask makes the question that a program asks in an app, from a call's arguments and language. It
// is repaired, checked and filled with options like a question of the model, even if the model
// may not ask. A question whose input type would have to be changed is refused (Call.Program).
// tool is the id of the tool that asks. The outcome is a question, or an error whose Fields say
// what is wrong. The user is not asked yet, and caps are not checked.
func (e *Executor) Ask(ctx context.Context, c *Catalog, app *config.App, call tools.Call) (tool string, out tools.Outcome) {
	b := c.asker(app.ID)
	if b == nil {
		return askUser, failure(tools.CodeToolFailed, "The app is gone.")
	}
	call.Name, call.Program = b.entry.ID, true
	out = e.question(ctx, b, b.tool, app.ID, call)
	if out.Question != nil {
		if err := e.fill(ctx, c, app, b, call, out.Question); err != nil {
			out = tools.Outcome{Error: err, Repairs: out.Repairs}
		}
	}
	for _, kind := range out.Repairs {
		e.metrics.repairs.WithLabelValues(app.ID, kind).Inc()
	}
	if out.Question == nil {
		e.refused(app.ID, b.entry.ID, out)
	}
	return b.entry.ID, out
}

// bindForm binds the tool that asks for the app's variables, with limits that allow all of them.
func (at *appTools) bindForm(factories Factories) (err error) {
	asked := at.app.Askable()
	if len(asked) == 0 {
		return nil
	}
	app := *at.app
	app.Clarifications.MaxQuestions = len(asked)
	app.Clarifications.NoModel = true // a variable that must be given stays one, and a number is one
	for i := range asked {
		app.Clarifications.MaxOptions = max(app.Clarifications.MaxOptions, len(asked[i].Options))
	}
	at.form = &bound{entry: &config.Tool{ID: askUser, Type: config.TypeAskUser}}
	at.form.tool, err = factories[config.TypeAskUser](&app, nil)
	return err
}

// Form makes the question that asks for an app's variables, from a call's arguments. The outcome
// is a question, or an error.
func (e *Executor) Form(ctx context.Context, c *Catalog, app string, call tools.Call) tools.Outcome {
	at := c.apps[app]
	if at == nil || at.form == nil {
		return failure(tools.CodeToolFailed, "The app has nothing to ask for.")
	}
	out := e.question(ctx, at.form, at.form.tool, app, call)
	if out.Question == nil {
		e.refused(app, askUser, out)
	}
	return out
}

// Prepared describes a template to programs.
type Prepared struct {
	Name, Description string
	Values            []string // that must be given
}

// AskUser describes an app's ask_user to programs, in a language. The definition does not include
// the app's templates, which are returned separately.
func (c *Catalog) AskUser(app, language string) (def tools.Definition, templates []Prepared) {
	b := c.asker(app)
	if b == nil {
		return def, nil
	}
	for _, name := range slices.Sorted(maps.Keys(b.entry.Templates)) {
		t := b.entry.Templates[name]
		templates = append(templates, Prepared{name, aboutTemplate(t, language), t.Values})
	}
	entry := *b.entry
	entry.ID, entry.Templates = askUser, nil
	plain := bound{entry: &entry, tool: b.tool}
	return plain.describe(language), templates
}
