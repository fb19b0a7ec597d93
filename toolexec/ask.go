package toolexec

import (
	"context"
	"maps"
	"slices"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// askUser is the id of ask_user where an app has none of its own.
const askUser = "ask_user"

// asker is what asks the users of an app: its own ask_user, else one without templates; nil
// where there is no such app.
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

// Understands says whether a name among the arguments of a program's question means
// anything in an app.
func (c *Catalog) Understands(app, name string) bool {
	b := c.asker(app)
	if b == nil {
		return false
	}
	u, ok := b.tool.(interface{ Understands(name string) bool })
	return ok && u.Understands(name)
}

// Ask makes the question that a program asks in an app out of a call's arguments and
// language: repaired, checked and filled with options as the model's are, also where the
// model may not ask. One that would get another input type is refused (Call.Program). tool is
// the id of what asks. The outcome is a question, or an error whose Fields say what is wrong.
// Nobody is asked yet, and no cap is looked at.
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

// bindForm binds what asks for the app's variables, however many these are.
func (at *appTools) bindForm(factories Factories) (err error) {
	asked := at.app.Asked()
	if len(asked) == 0 {
		return nil
	}
	app := *at.app
	app.Clarifications.MaxQuestions = len(asked)
	for i := range asked {
		app.Clarifications.MaxOptions = max(app.Clarifications.MaxOptions, len(asked[i].Options))
	}
	at.form = &bound{entry: &config.Tool{ID: askUser, Type: config.TypeAskUser}}
	at.form.tool, err = factories[config.TypeAskUser](&app, nil)
	return err
}

// Form makes the question that asks for an app's variables out of a call's arguments. The
// outcome is a question, or an error.
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

// Prepared is a template as programs are told of it.
type Prepared struct {
	Name, Description string
	Values            []string // that must be given
}

// AskUser is ask_user as programs are told of it, in a language: without the app's templates,
// which stand beside it.
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
