package run

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// ruling is what rules decided about a call, without asking anyone.
type ruling struct {
	id, tool, arguments string
	ruled               *tools.Ruled // nil: no rule decided
}

type rulings []ruling

// record writes the rulings to the audit, in the transaction that stores what follows from them.
func (of rulings) record(tx store.RunTx, r *Run) error {
	for _, one := range of {
		if one.ruled == nil {
			continue
		}
		call := chat.ToolCall{ID: one.id, Name: one.tool, Arguments: one.arguments}
		err := r.node.Recorder.Ruled(tx, &r.Setup.Config.Gateway, &r.Conversation.Ref, r.Turn.ID, &call, one.ruled, r.node.Store.Now())
		if err != nil {
			return err
		}
	}
	return nil
}

// count counts the rulings once they are stored.
func (of rulings) count(r *Run) {
	for _, one := range of {
		if one.ruled != nil {
			r.node.Executor.Ruled(r.Setup.Catalog, r.App.ID, one.tool, one.ruled)
		}
	}
}
