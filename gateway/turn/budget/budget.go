// Package budget counts what principals, tenants and apps use over many chats, by meters of
// the store, in the update that uses it.
//
//	tokens     Charge, with whatever a run stores next, however its stream ended;
//	           Check refuses a command whose principal has used them up
//	questions  Asked and AskedBeside, with the questions themselves, which they refuse
//	storage    Storage refuses what would be stored, by the count that the store keeps
//
// A window is counted from the zero time, so all nodes agree on when it begins.
package budget

import (
	"errors"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/store"
)

// The scopes of budgets, as clients, metrics and the store's meters name them.
const (
	ScopePrincipal = "tokens_principal"
	ScopeTenant    = "tokens_tenant"
)

// Budget is what somebody may use of model tokens in the window that is now.
type Budget struct {
	Scope  string
	Max    int64         // in each window
	Left   int64         // of it; below 0 where what ran at the end used more
	Window time.Duration // length
	Reset  time.Duration // until the next one begins
}

// SpentError refuses what a budget is used up for.
type SpentError struct{ Budget }

func (e *SpentError) Error() string { return "budget: " + e.Scope + " is used up" }

// Params are what the text about the refusal names: Count, the minutes until the next window.
func (b *Budget) Params() map[string]any {
	return map[string]any{"Count": int((b.Reset + time.Minute - 1) / time.Minute)}
}

// Check are the budgets of the chat's owner. The error is a *SpentError if one is used up: of
// several, the one that is renewed last.
func Check(tx store.Tx, limits *config.Tokens, ref chat.Ref, now time.Time) (list []Budget, err error) {
	var spent *SpentError
	for _, m := range meters(limits, ref, now) {
		used, err := tx.Meters().Used(m.meter)
		if err != nil {
			return nil, err
		}
		b := Budget{
			Scope: m.meter.Name, Max: m.budget.Max, Left: m.budget.Max - used,
			Window: m.budget.Window.Std(), Reset: m.meter.End.Sub(now),
		}
		list = append(list, b)
		if b.Left <= 0 && (spent == nil || b.Reset > spent.Reset) {
			spent = &SpentError{b}
		}
	}
	if spent != nil {
		return list, spent
	}
	return list, nil
}

// Charge counts tokens that were used.
func Charge(tx store.RunTx, limits *config.Tokens, ref chat.Ref, now time.Time, tokens int64) error {
	if tokens == 0 {
		return nil
	}
	for _, m := range meters(limits, ref, now) {
		if err := tx.Meters().Use(m.meter, tokens); err != nil {
			return err
		}
	}
	return nil
}

// metered is a budget with the meter of its window.
type metered struct {
	budget config.Budget
	meter  store.Meter
}

// meters are those that a principal's turns are charged to, in the order of their names.
func meters(limits *config.Tokens, ref chat.Ref, now time.Time) []metered {
	var list []metered
	if b := limits.PerPrincipal; b.Max > 0 {
		list = append(list, metered{b, window(ScopePrincipal, principal(ref), now, b.Window.Std())})
	}
	if b := limits.PerTenant; b.Max > 0 {
		list = append(list, metered{b, window(ScopeTenant, ref.Tenant, now, b.Window.Std())})
	}
	return list
}

// principal is a holder of meters.
func principal(ref chat.Ref) string { return store.Principal(ref.Tenant, ref.Subject) }

// window is the meter of the window that is now. Windows are counted from the zero time,
// a Monday's midnight in UTC.
func window(name, holder string, now time.Time, length time.Duration) store.Meter {
	start := now.UTC().Truncate(length)
	return store.Meter{Name: name, Holder: holder, Start: start, End: start.Add(length)}
}

const (
	// bytesPerToken is OpenAI's rule of thumb for English, of characters:
	// help.openai.com, "What are tokens and how to count them?". Other scripts have more
	// bytes to a character, and more tokens.
	bytesPerToken = 4
	// maxCost bounds what a server may say that a request cost: sums stay far from
	// what the store can count.
	maxCost = 1_000_000_000
)

// Cost is how many tokens a request took: as the server says, else by the rule of thumb, of
// what was sent, and of so many bytes and calls that were answered.
func Cost(req *model.Request, usage model.Usage, answered int, calls []model.ToolCall) int64 {
	input, output := max(0, usage.InputTokens), max(0, usage.OutputTokens)
	if input == 0 && output == 0 {
		n := size(req) + int64(answered)
		for _, c := range calls {
			n += int64(len(c.Name) + len(c.Arguments))
		}
		return (n + bytesPerToken - 1) / bytesPerToken
	}
	return min(input, maxCost) + min(output, maxCost)
}

// Free says that a request costs nothing: it was refused before anything of an answer came.
func Free(failed error, usage model.Usage, answered int, calls []model.ToolCall) bool {
	refused, is := errors.AsType[*model.Error](failed)
	return is && refused != nil && answered == 0 && len(calls) == 0 && usage == (model.Usage{})
}

// size is about how many bytes the model was sent.
func size(req *model.Request) int64 {
	n := len(req.System)
	for i := range req.Messages {
		m := &req.Messages[i]
		n += len(m.Content)
		for _, c := range m.ToolCalls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	for _, d := range req.Tools {
		n += len(d.Name) + len(d.Description) + len(d.Parameters)
	}
	return int64(n)
}
