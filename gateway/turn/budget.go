package turn

import (
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

// metered is a budget with the meter of its window.
type metered struct {
	budget config.Budget
	meter  store.Meter
}

// meters are those that a principal's turns are charged to, in the order of their names.
func meters(tokens *config.Tokens, ref chat.Ref, now time.Time) []metered {
	var list []metered
	if b := tokens.PerPrincipal; b.Max > 0 {
		list = append(list, metered{b, window(ScopeTokensPrincipal, principal(ref), now, b.Window.Std())})
	}
	if b := tokens.PerTenant; b.Max > 0 {
		list = append(list, metered{b, window(ScopeTokensTenant, ref.Tenant, now, b.Window.Std())})
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

// tokens is what a run knows of its principal's budgets.
type tokens struct {
	budgets   []Budget    // when the run began
	spent     *SpentError // one of them is used up: the model is not asked
	uncharged int64       // tokens used since the last commit
}

// Params are what the text about the refusal names: Count, the minutes until the next window.
func (b *Budget) Params() map[string]any {
	return map[string]any{"Count": int((b.Reset + time.Minute - 1) / time.Minute)}
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
