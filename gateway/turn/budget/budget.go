// Package budget counts what principals, tenants and apps use over many chats. It counts by meters
// of the store, in the update in which something is used.
//
//	tokens     Charge, with whatever a run stores next, however its stream ended;
//	           Check refuses a command whose principal has used them up
//	questions  Asked and AskedByProgram, with the questions themselves, which they refuse
//	storage    Storage refuses what would be stored, by the count that the store keeps
//
// Windows are counted from the zero time, so all nodes agree on when one begins.
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

// Budget is a holder's budget of model tokens in the current window.
type Budget struct {
	Scope  string
	Max    int64         // in each window
	Left   int64         // of Max; below 0 if the last runs used more
	Window time.Duration // length of a window
	Reset  time.Duration // until the next window begins
}

// SpentError refuses a command because its budget is used up.
type SpentError struct{ Budget }

func (e *SpentError) Error() string { return "budget: " + e.Scope + " is used up" }

// Params returns the parameters of the text about the refusal: Count, the minutes until the next
// window.
func (b *Budget) Params() map[string]any {
	return map[string]any{"Count": int((b.Reset + time.Minute - 1) / time.Minute)}
}

// Check returns the budgets of the chat's owner. If any is used up, the error is a *SpentError, for
// the one that is renewed last.
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

// Charge counts used tokens.
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

// metered is a budget with the meter of its current window.
type metered struct {
	budget config.Budget
	meter  store.Meter
}

// meters returns the budgets that a principal's turns are charged to, in the order of their names.
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

// principal returns the principal's name as a holder of meters.
func principal(ref chat.Ref) string { return store.Principal(ref.Tenant, ref.Subject) }

// window returns the meter of the current window. Windows are counted from the zero time, midnight
// of a Monday in UTC.
func window(name, holder string, now time.Time, length time.Duration) store.Meter {
	start := now.UTC().Truncate(length)
	return store.Meter{Name: name, Holder: holder, Start: start, End: start.Add(length)}
}

const (
	// bytesPerToken is OpenAI's rule of thumb of four characters to a token in English: help.openai.com,
	// "What are tokens and how to count them?". Other scripts have more bytes to a character, and more
	// tokens.
	bytesPerToken = 4
	// maxCost bounds the cost that a server may report for a request, so that sums stay far below what
	// the store can count.
	maxCost = 1_000_000_000
)

// Cost returns how many tokens a request took: as reported by the server, or else by the rule of
// thumb, from what was sent and the number of bytes and the calls that were answered.
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

// Free reports whether a request costs nothing, because it was refused before any part of an answer
// came.
func Free(failed error, usage model.Usage, answered int, calls []model.ToolCall) bool {
	refused, is := errors.AsType[*model.Error](failed)
	return is && refused != nil && answered == 0 && len(calls) == 0 && usage == (model.Usage{})
}

// size returns about how many bytes the model was sent.
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
