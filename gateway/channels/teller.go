package channels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/attempts"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/notify"
	"github.com/askgate/askgate/gateway/outage"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const (
	lease   = time.Minute      // of a claim: longer than an attempt takes
	timeout = 30 * time.Second // of an attempt
	atOnce  = 4                // attempts for one channel on one node at a time
)

// Store is the part of a store that a teller needs.
type Store interface {
	Outbox() store.Outbox
	Now() time.Time
	Clarification(ctx context.Context, id string) (chat.Clarification, error)
}

// Options are the parts that a teller works with. All are needed.
type Options struct {
	Store    Store
	Config   func() *config.Snapshot // returns the current one
	Types    map[string]Type         // by the type of a channel
	Base     func() string           // where people reach the gateway, without a trailing slash
	Text     func(language, id string, params map[string]any) string
	Registry prometheus.Registerer
	Log      *slog.Logger
}

// Teller tells people what is due. Several tellers may work on one store.
type Teller struct {
	o       Options
	metrics *metrics
	loop    *attempts.Loop
	sending sync.WaitGroup
	outages *outage.Group    // by channel
	lines   map[string]*line // by channel; used by Run only
}

// line is a channel at work.
type line struct {
	channel config.Channel
	sender  Sender
	busy    atomic.Int64
}

// New makes a teller and registers its metrics.
func New(o Options) *Teller {
	t := &Teller{
		o: o, outages: outage.NewGroup(o.Log, "a channel cannot tell people; will retry", "the channel tells people again", "channel"),
		loop: attempts.NewLoop(o.Log, "messages of channels"), lines: map[string]*line{},
	}
	t.metrics = newMetrics(t)
	return t
}

// Run tells people until ctx ends. Attempts that are under way then are given up, and due again at once.
func (t *Teller) Run(ctx context.Context) {
	defer t.sending.Wait()
	t.loop.Run(ctx, t.round, t.dropStale)
}

// round begins attempts for what is due, as far as there is room.
func (t *Teller) round(ctx context.Context) {
	snap := t.o.Config()
	there := map[string]bool{}
	for _, channel := range snap.Gateway.Channels {
		there[channel.ID] = true
		l := t.line(channel)
		free := atOnce - int(l.busy.Load())
		if free <= 0 {
			continue
		}
		due, err := t.o.Store.Outbox().ClaimNotices(ctx, channel.ID, lease, free)
		t.loop.Noted(ctx, err)
		for _, n := range due {
			l.busy.Add(1)
			t.sending.Go(func() {
				defer t.loop.Again()
				defer l.busy.Add(-1)
				t.tell(ctx, l, snap, n)
			})
		}
	}
	for id, l := range t.lines {
		if !there[id] {
			delete(t.lines, id)
			l.sender.Close()
			t.metrics.deliveries.DeletePartialMatch(prometheus.Labels{"channel": id})
			t.loop.Noted(ctx, t.o.Store.Outbox().DropNotices(ctx, id, t.o.Store.Now().Add(attempts.InAll)))
		}
	}
}

// line returns the channel at work, set up again if its configuration has changed.
func (t *Teller) line(channel config.Channel) *line {
	l := t.lines[channel.ID]
	if l != nil && reflect.DeepEqual(l.channel, channel) {
		return l
	}
	if l != nil {
		l.sender.Close()
	} else {
		t.metrics.prepare(channel.ID)
	}
	sender, err := Sender(nil), fmt.Errorf("this build has no channels of type %q", channel.Type)
	if of := t.o.Types[channel.Type]; of != nil {
		sender, err = of(channel)
	}
	if err != nil { // the configuration was checked when it was read
		sender = broken{err}
	}
	l = &line{channel: channel, sender: sender}
	t.lines[channel.ID] = l
	return l
}

// broken is the sender of a channel that cannot be set up.
type broken struct{ error }

func (b broken) Send(context.Context, *Message) (string, error) { return "", b.error }
func (b broken) End(context.Context, string, *Message) error    { return b.error }
func (broken) Close()                                           {}

// dropStale removes notices that are too old and whose channels are gone, as after a restart with
// another configuration. Younger ones may be for another node, whose configuration is newer.
func (t *Teller) dropStale(ctx context.Context) {
	ids, err := t.o.Store.Outbox().Channels(ctx)
	t.loop.Noted(ctx, err)
	g := &t.o.Config().Gateway
	for _, id := range ids {
		if _, there := g.Channel(id); !there {
			t.loop.Noted(ctx, t.o.Store.Outbox().DropNotices(ctx, id, t.o.Store.Now().Add(-attempts.InAll)))
		}
	}
}

// tell makes one attempt, and stores its outcome.
func (t *Teller) tell(ctx context.Context, l *line, snap *config.Snapshot, n store.Notice) {
	c, err := t.o.Store.Clarification(ctx, n.ClarificationID)
	switch {
	case errors.Is(err, store.ErrNotFound): // erased meanwhile, or not the gateway's own
		t.stored(t.o.Store.Outbox().EndNotice(ctx, n))
		return
	case err != nil:
		return // the claim lapses
	case c.State == tools.StatePending && n.Stage <= len(l.channel.RemindAfter):
		err = t.ask(ctx, l, snap, n, &c)
	case c.State == tools.StatePending: // the configuration has fewer reminders than before
		t.stored(t.o.Store.Outbox().MoveNotice(ctx, n, n.Stage, time.Time{}, n.MessageRef))
		return
	case n.MessageRef == "":
		t.stored(t.o.Store.Outbox().EndNotice(ctx, n))
		return
	default:
		err = t.end(ctx, l, snap, n, &c)
	}
	t.outcome(ctx, l, n, err)
}

// ask sends the question or a reminder, unless the time is quiet.
func (t *Teller) ask(ctx context.Context, l *line, snap *config.Snapshot, n store.Notice, c *chat.Clarification) error {
	if err := unwanted(&snap.Gateway, &l.channel, &n, c); err != nil {
		return err
	}
	now := t.o.Store.Now()
	if n.Stage > 0 {
		if until := l.channel.Quiet.Until(now); until.After(now) {
			t.stored(t.o.Store.Outbox().MoveNotice(ctx, n, n.Stage, until, n.MessageRef))
			return errPutOff
		}
	}
	m, err := t.message(ctx, l, snap, n, c)
	if err != nil {
		return err
	}
	sent, cancel := context.WithTimeout(ctx, timeout)
	ref, err := l.sender.Send(sent, m)
	cancel()
	if err != nil {
		return err
	}
	stage, due := next(l.channel.RemindAfter, n.Stage, c.AskedAt, t.o.Store.Now())
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), attempts.Storing)
	defer cancel()
	t.stored(t.o.Store.Outbox().MoveNotice(kept, n, stage, due, cmp.Or(n.MessageRef, ref)))
	return nil
}

// unwanted returns a *RefusedError if the configuration has changed since the question was asked, and the
// channel is not to tell the person of it any more.
func unwanted(g *config.Gateway, channel *config.Channel, n *store.Notice, c *chat.Clarification) error {
	p, _ := g.Person(n.Tenant, n.Person)
	switch {
	case !channel.Wants(c.App):
		return &RefusedError{`the channel no longer tells of questions of this app, see its "apps"`}
	case c.For != "" && c.AskedAs(chat.Principal{Roles: p.Roles}) == "":
		return &RefusedError{`the person no longer has a role that is asked, see "people"`}
	}
	return nil
}

// next returns the stage after one, and when it is due; zero: never. Reminders whose time is over are
// left out: one was just sent.
func next(after []config.Duration, stage int, asked, now time.Time) (int, time.Time) {
	for i := stage; i < len(after); i++ {
		if due := asked.Add(after[i].Std()); due.After(now) {
			return i + 1, due
		}
	}
	return len(after) + 1, time.Time{}
}

// end updates what was sent.
func (t *Teller) end(ctx context.Context, l *line, snap *config.Snapshot, n store.Notice, c *chat.Clarification) error {
	m, err := t.message(ctx, l, snap, n, c)
	if err != nil && !Refused(err) { // the message is there, whatever became of the address
		return err
	}
	m.Texts = m.Texts && unwanted(&snap.Gateway, &l.channel, &n, c) == nil
	ended, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := l.sender.End(ended, n.MessageRef, m); err != nil {
		return err
	}
	kept, stop := context.WithTimeout(context.WithoutCancel(ctx), attempts.Storing)
	defer stop()
	t.rest(kept, n)
	return nil
}

// rest keeps a notice whose question has ended: if the answer is deleted, its message is updated again.
func (t *Teller) rest(ctx context.Context, n store.Notice) {
	t.stored(t.o.Store.Outbox().MoveNotice(ctx, n, store.NoticeEnded, time.Time{}, n.MessageRef))
}

// errPutOff is for a reminder that waits for the end of the quiet time.
var errPutOff = errors.New("put off")

// outcome counts an attempt, and stores when there is another one after it failed.
func (t *Teller) outcome(ctx context.Context, l *line, n store.Notice, err error) {
	// The outcome is stored even if the node ends meanwhile.
	kept, cancel := context.WithTimeout(context.WithoutCancel(ctx), attempts.Storing)
	defer cancel()
	outbox, id := t.o.Store.Outbox(), l.channel.ID
	switch {
	case errors.Is(err, errPutOff):
		return
	case err == nil:
		t.outages.Of(id).Works()
		t.metrics.count(id, outcomeDelivered)
		return
	case ctx.Err() != nil:
		t.stored(outbox.PostponeNotice(kept, n, 0))
		return
	case Refused(err):
		t.outages.Of(id).Works() // the server answers
		t.o.Log.Warn("a person cannot be told of a question", "channel", id, "clarification", n.ClarificationID, "error", err)
		t.giveUp(kept, n)
		return
	}
	t.metrics.count(id, outcomeFailed)
	pause := attempts.Pause(n.Attempts)
	if limited, ok := errors.AsType[*WaitError](err); ok {
		pause = max(pause, limited.For)
	}
	if t.o.Store.Now().Sub(n.Since)+pause > attempts.InAll {
		t.metrics.count(id, outcomeGivenUp)
		t.o.Log.Error("a channel could not tell a person; giving up", "channel", id, "clarification", n.ClarificationID, "attempts", n.Attempts, "error", err)
		t.giveUp(kept, n)
		return
	}
	t.outages.Of(id).Failed(err, "clarification", n.ClarificationID, "attempts", n.Attempts)
	t.stored(outbox.PostponeNotice(kept, n, pause))
}

// giveUp ends the attempts at a message. A question that was not told is marked; a reminder is left
// out; what was sent of a question that has ended stays as it is.
func (t *Teller) giveUp(ctx context.Context, n store.Notice) {
	outbox := t.o.Store.Outbox()
	switch {
	case n.Stage == store.NoticeEnded:
		t.rest(ctx, n)
	case n.Stage == 0:
		t.metrics.count(n.Channel, outcomeNotTold)
		t.stored(outbox.FailNotice(ctx, n))
	default:
		t.stored(outbox.MoveNotice(ctx, n, n.Stage, time.Time{}, n.MessageRef))
	}
}

// stored logs an outcome that could not be stored: the attempt will be repeated.
func (t *Teller) stored(err error) {
	if err != nil {
		t.o.Log.Warn("cannot store whether a person was told; it will be repeated", "error", err)
	}
}

// message returns what a person is told.
func (t *Teller) message(ctx context.Context, l *line, snap *config.Snapshot, n store.Notice, c *chat.Clarification) (*Message, error) {
	g := &snap.Gateway
	p, _ := g.Person(n.Tenant, n.Person)
	language := cmp.Or(p.Locale, n.Language)
	m := NewMessage(snap, &l.channel, c, language, t.o.Text)
	m.Role = cmp.Or(c.AskedAs(chat.Principal{Roles: p.Roles}), c.For)
	m.ID, m.Thread, m.Reminder, m.Ref = messageID(n.Seq, n.Stage), n.ConversationID+"."+n.Person, max(n.Stage, 0), n.MessageRef
	base := t.o.Base()
	switch sealed := notify.SealLink(&g.Auth.Session, c); {
	case c.For != "":
		m.Link = base + "/?inbox"
	case sealed == "" || n.Person != c.Subject:
		m.Link = base + "/#" + url.PathEscape(n.App) + "/" + url.PathEscape(n.ChatID)
	default:
		m.Link, m.Personal = base+notify.LinkPath+sealed, true
	}
	var err error
	m.Email, err = EmailOf(ctx, g, t.o.Store.Outbox().Address, n.Tenant, n.Person)
	return m, err
}
