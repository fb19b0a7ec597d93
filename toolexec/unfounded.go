package toolexec

import (
	"cmp"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tools"
)

// unfounded returns and counts the required arguments of a call that no one gave in the chat. It
// does not check a call again that a person has allowed, or that continues.
func (e *Executor) unfounded(b *bound, batch *Batch, call tools.Call, approved bool) []string {
	if b.policy() == config.UnfoundedAllow || batch.Said == nil || approved || call.Asked != nil {
		return nil
	}
	schema := b.parameters(call.Name, call.Language)
	if !strings.Contains(string(schema), `"required"`) {
		return nil // saves reading the chat
	}
	found := batch.Said().Find(call.Arguments, schema, time.Now())
	if len(found) > 0 {
		e.metrics.unfounded.WithLabelValues(batch.App.ID, b.label()).Add(float64(len(found)))
	}
	return found
}

func (b *bound) policy() string { return cmp.Or(b.entry.Unfounded, config.UnfoundedCount) }

// notSaid refuses a call for arguments that no one gave.
func notSaid(pointers []string) tools.Outcome {
	const most = 10
	names := pointers[:min(len(pointers), most)]
	return failure(tools.CodeInvalidArguments, "No one gave the value of %s. Do not make it up: ask the user, or find it with another tool, and call again.",
		tools.Shorten(strings.Join(names, ", "), maxNames))
}

// maxNames bounds the pointers in an error, in code points.
const maxNames = 500
