package turn

import (
	"context"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/turn/claims"
	"github.com/askgate/askgate/gateway/turn/metrics"
	"github.com/askgate/askgate/gateway/turn/record"
	"github.com/askgate/askgate/gateway/turn/run"
	"github.com/askgate/askgate/gateway/turn/title"
	"github.com/askgate/askgate/gateway/turn/uploads"
)

// New makes an engine and registers its node with the store. Sweep must run in the background.
func New(ctx context.Context, o Options) (*Engine, error) {
	n := run.NewNode()
	n.Name, n.Store, n.Hub, n.Executor, n.Text = o.Node, o.Store, o.Hub, o.Executor, o.Text
	n.Metrics = metrics.New(o.Registry)
	n.Outages = outage.NewGroup(o.Log, "model request failed", "the model answers again", "model")
	n.Recorder = record.Recorder{Node: o.Node, Config: func() *config.Gateway { return &o.Setup().Config.Gateway }}
	n.Uploads = uploads.New(o.Store, o.Files, o.Extract, n.Update, o.Log)
	n.Titles = title.New(ctx, n.Update, o.Store.Now, o.Hub.Nudge, func(ctx context.Context, app, name string, usage model.Usage, failed error) {
		n.Metrics.Request(ctx, app, name, o.Setup().Config.Gateway.Models[name].Prices, usage, failed)
	})
	n.Claims = claims.NewKeeper(func() seal.Secrets {
		s := o.Setup().Config.Gateway.Auth.Session
		return seal.Secrets{Own: s.Secret, Others: s.OtherSecrets}
	}, o.Log)
	o.Hub.OnForget(n.Histories.Drop)
	e := &Engine{Options: o, Uploads: n.Uploads, node: n, runs: newRuns(),
		clock: clockWatch{store: o.Store, log: o.Log}, readable: readables{store: o.Store}, sources: sources{o.Store, o.Executor, n.Claims}}
	n.Ending, n.Ended = e.runs.unregister, e.ended
	_, err := o.Store.Heartbeat(ctx, o.Node, leaseTTL)
	return e, err
}

// Shutdown drains the engine and waits for the running turns. Turns that have not ended when ctx
// does are handed over: their lease is given up, so that another process goes on with them at once.
func (e *Engine) Shutdown(ctx context.Context) {
	e.Drain()
	for _, r := range e.runs.running() {
		select {
		case <-r.Done():
		case <-ctx.Done():
			r.Cancel(run.ErrHandover)
		}
	}
	for _, r := range e.runs.running() {
		r.Cancel(run.ErrHandover)
		select {
		case <-r.Done():
		case <-time.After(handOverWait):
		}
	}
	e.node.Titles.Wait(ctx)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOverWait)
	defer cancel()
	if _, err := e.Store.Heartbeat(last, e.Node, 0); err != nil {
		e.Log.Warn("cannot release this node's leases; they lapse by themselves", "error", err)
	}
}

// ended continues what waited for a run's end.
func (e *Engine) ended(r *run.Run) {
	ref, over := r.Conversation.Ref, r.Turn.State == chat.TurnEnded
	if r.Conversation.Ephemeral && over {
		e.dropEphemeral(ref)
	}
	policy := &r.App.Clarifications
	unpublished, queues := r.Unpublished.Load(), over && (r.Queued.Load() || policy.OnMessageWhileRunning == config.RunningQueue || policy.OnMessageWhilePending == config.PendingQueue)
	if unpublished || queues {
		go func() {
			if unpublished {
				e.beginOne(ref, unpublishedAsks, (*transition).takeUnpublished)
			}
			if queues {
				e.beginOne(ref, "queued messages", (*transition).takeQueued)
			}
		}()
	}
}
