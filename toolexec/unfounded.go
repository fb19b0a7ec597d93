package toolexec

import (
	"cmp"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// unfounded looks for required arguments of a call that nobody gave, and counts them. A call
// that a person has allowed, or that goes on, is not looked at again.
func (e *Executor) unfounded(b *bound, batch *Batch, call tools.Call) []string {
	if b.policy() == config.UnfoundedAllow || batch.Said == nil || b.approved(batch, call) || call.Asked != nil {
		return nil
	}
	schema := b.parameters(call.Name, call.Language)
	if !strings.Contains(string(schema), `"required"`) {
		return nil // and what was said need not be read
	}
	found := batch.Said().Find(call.Arguments, schema, time.Now())
	if len(found) > 0 {
		e.metrics.unfounded.WithLabelValues(batch.App.ID, b.label()).Add(float64(len(found)))
	}
	return found
}

func (b *bound) policy() string { return cmp.Or(b.entry.Unfounded, config.UnfoundedCount) }

// notSaid refuses a call for arguments that were not said in the chat.
func notSaid(pointers []string) tools.Outcome {
	const most = 10
	names := pointers[:min(len(pointers), most)]
	return failure(tools.CodeInvalidArguments, "No one said the value of %s. Do not make one up: ask the user, or find it out with another tool, and call again.",
		tools.Shorten(strings.Join(names, ", "), maxNames))
}

// maxNames bounds the pointers in an error, in code points.
const maxNames = 500
