package toolexec

import "github.com/askgate/askgate/tools"

// capApproval counts a call's question for approval against the turn's cap. If the cap is reached,
// it refuses the call. It is called for the calls of a step in their order.
func (e *Executor) capApproval(catalog *Catalog, batch *Batch, call tools.Call, out tools.Outcome) tools.Outcome {
	most := batch.App.Clarifications.ApprovalsPerTurn
	if batch.AskedApprovals < most {
		batch.AskedApprovals++
		return out
	}
	if most > 0 {
		out = failure(tools.CodeApprovalLimitReached, "Maximum approval limit (%d) reached for this turn; no one was asked about this call, and it was not made. "+
			"Go on without it, and say what is left to do: the user's next message begins a new turn.", most)
	} else {
		out = failure(tools.CodeApprovalLimitReached, "This app asks no one to approve calls (the limit is 0 per turn); this call was not made. Go on without it.")
	}
	out.Error.Reason = "limit_approvals"
	b, _ := catalog.find(batch.App.ID, call.Name) // found: the tool has just asked
	e.refused(batch.App.ID, b.label(), out)
	return out
}

// Refused counts a call that is not made because a person has refused the same call before.
func (e *Executor) Refused(c *Catalog, app, tool string) {
	e.metrics.call(app, c.Label(app, tool), "refused")
}
