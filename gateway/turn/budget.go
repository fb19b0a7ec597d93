package turn

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
	ScopeTokensPrincipal = "tokens_principal"
	ScopeTokensTenant    = "tokens_tenant"
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

func (e *SpentError) Error() string { return "turn: the budget " + e.Scope + " is used up" }

// purse is a budget with the meter of its window.
type purse struct {
	budget config.Budget
	meter  store.Meter
}

// purses are those that a principal's turns are paid from, in the order of their names.
func purses(tokens *config.Tokens, ref chat.Ref, now time.Time) []purse {
	var list []purse
	if b := tokens.PerPrincipal; b.Max > 0 {
		list = append(list, purse{b, window(ScopeTokensPrincipal, principal(ref), now, b.Window.Std())})
	}
	if b := tokens.PerTenant; b.Max > 0 {
		list = append(list, purse{b, window(ScopeTokensTenant, ref.Tenant, now, b.Window.Std())})
	}
	return list
}

// principal is a holder of meters.
func principal(ref chat.Ref) string { return ref.Tenant + "\x00" + ref.Subject }

// window is the meter of the window that is now. Windows are counted from the zero time,
// a Monday's midnight in UTC.
func window(name, holder string, now time.Time, length time.Duration) store.Meter {
	start := now.UTC().Truncate(length)
	return store.Meter{Name: name, Holder: holder, Start: start, End: start.Add(length)}
}

// afford refuses the command if a budget is used up: of several, by the one that is
// renewed last.
func (s *submission) afford() error {
	tokens := &s.setup.Config.Gateway.Limits.Tokens
	if *tokens == (config.Tokens{}) {
		return nil
	}
	var spent *SpentError
	for _, p := range purses(tokens, s.cmd.Ref, s.now) {
		used, err := s.tx.Used(p.meter)
		if err != nil {
			return err
		}
		b := Budget{
			Scope: p.meter.Name, Max: p.budget.Max, Left: p.budget.Max - used,
			Window: p.budget.Window.Std(), Reset: p.meter.End.Sub(s.now),
		}
		s.budgets = append(s.budgets, b)
		if b.Left <= 0 && (spent == nil || b.Reset > spent.Reset) {
			spent = &SpentError{b}
		}
	}
	if spent != nil {
		return spent
	}
	return nil
}

// Budgets are those of the run's principal, as they were when it began; none for a run
// that an earlier request started, and while its message waits in the queue.
func (r *Run) Budgets() []Budget { return r.budgets }

// overspent words the end of a run whose message waited in the queue for too long.
func (r *Run) overspent(f *chat.Failure, spent *SpentError) *chat.Failure {
	wait := int((spent.Reset + time.Second - 1) / time.Second)
	f.Code, f.RetryAfter = string(chat.CodeRateLimited), &wait
	f.Message = r.engine.Text(r.turn.Language, "detail."+spent.Scope, spent.Params())
	return f
}

// Params are what the text about the refusal names: Count, the minutes until the next window.
func (b *Budget) Params() map[string]any {
	return map[string]any{"Count": int((b.Reset + time.Minute - 1) / time.Minute)}
}

// owe notes what a model request cost, to be paid with the run's next commit. What was
// refused before anything came is free.
func (r *Run) owe(req *model.Request, a *answer, failed error) {
	if r.setup.Config.Gateway.Limits.Tokens == (config.Tokens{}) {
		return
	}
	if _, refused := errors.AsType[*model.Error](failed); refused && !a.begun() && a.usage == (model.Usage{}) {
		return
	}
	r.owed += cost(req, a)
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

// cost is how many tokens a request took: as the server says, else by the rule of thumb.
func cost(req *model.Request, a *answer) int64 {
	input, output := max(0, a.usage.InputTokens), max(0, a.usage.OutputTokens)
	if input == 0 && output == 0 {
		n := size(req) + int64(a.size)
		for _, c := range a.calls {
			n += int64(len(c.Name) + len(c.Arguments))
		}
		return (n + bytesPerToken - 1) / bytesPerToken
	}
	return min(input, maxCost) + min(output, maxCost)
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

// pay takes what is owed out of the budgets.
func (r *Run) pay(tx store.Tx) error {
	if r.owed == 0 {
		return nil
	}
	for _, p := range purses(&r.setup.Config.Gateway.Limits.Tokens, r.conversation.Ref, time.Now()) {
		if err := tx.Use(p.meter, r.owed); err != nil {
			return err
		}
	}
	return nil
}
