package run

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// The least time between two progress events of one call, and of a chat, which has one run at a
// time: four and sixteen a second, as docs/protocol.md says.
const (
	callPace = time.Second / 4
	chatPace = time.Second / 16
)

// progress tells how far the calls of a step have come, while they run. A call reports as often
// as it likes: the newest report waits for its turn, and what it replaces is forgotten. What
// still waits when the call ends comes right before its end, whatever the pace. Nothing of it is
// stored, and nothing comes once the run is cancelled or has lost its turn.
type progress struct {
	journal *journal // whose lock is held by all that record, and taken before mu

	mu      sync.Mutex // held for a moment: tools report under it
	calls   map[string]*reported
	waiting []*reported // that have something to tell, the longest first
	timer   *time.Timer // nil: none runs; it may have fired, and tell not be over
	stopped bool
}

// reported is a call that reports.
type reported struct {
	call   *chat.ToolCall
	newest *tools.Progress // that is not told; nil without one
	due    time.Time       // of the call's next event
}

func newProgress(j *journal) *progress { return &progress{journal: j, calls: map[string]*reported{}} }

// reports is the call's Report.
func (p *progress) reports(c *chat.ToolCall) func(tools.Progress) {
	of := &reported{call: c}
	p.calls[c.ID] = of
	return func(newest tools.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.stopped {
			return
		}
		if of.newest == nil {
			p.waiting = append(p.waiting, of)
		}
		of.newest = &newest
		p.schedule()
	}
}

// schedule sets the timer for the next event. The caller holds mu.
func (p *progress) schedule() {
	if p.stopped || len(p.waiting) == 0 || p.timer != nil && !p.timer.Stop() {
		return
	}
	first := slices.MinFunc(p.waiting, func(a, b *reported) int { return a.due.Compare(b.due) })
	at := first.due
	if next := p.journal.run.paced; at.Before(next) {
		at = next
	}
	p.timer = time.AfterFunc(time.Until(at), p.tell)
}

// tell tells of the call that has waited longest of those whose turn it is.
func (p *progress) tell() {
	p.journal.mu.Lock()
	defer p.journal.mu.Unlock()
	if of, newest := p.take(time.Now()); newest != nil && p.journal.err == nil {
		p.record(of, newest)
		p.journal.run.rec.Flush()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = nil
	p.schedule()
}

// take takes what tell tells; nil without it.
func (p *progress) take(now time.Time) (of *reported, newest *tools.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.waiting, func(of *reported) bool { return !of.due.After(now) })
	if i < 0 || p.stopped {
		return nil, nil
	}
	of = p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	newest, of.newest = of.newest, nil
	of.due, p.journal.run.paced = now.Add(callPace), now.Add(chatPace)
	return of, newest
}

// record records an event, unless the run was cancelled. Only the journal's lock, or the end of
// all calls, keeps others from recording.
func (p *progress) record(of *reported, newest *tools.Progress) {
	r := p.journal.run
	if context.Cause(r.ctx) != nil {
		return
	}
	r.rec.Pass(chat.Event{Type: chat.EventToolCallProgress, Data: chat.ToolCallProgress{
		ChatID: r.Conversation.ChatID, ToolCallID: of.call.ID, ToolName: of.call.Name, Progress: *newest,
	}})
}

// last records what still waits of a call whose end, or question, is recorded next. Where that is
// rewound, it can be recorded again.
func (p *progress) last(callID string) {
	p.mu.Lock()
	of := p.calls[callID]
	if of == nil || of.newest == nil {
		p.mu.Unlock()
		return
	}
	newest := of.newest
	p.waiting = slices.DeleteFunc(p.waiting, func(o *reported) bool { return o == of })
	p.mu.Unlock()
	p.record(of, newest)
}

// stop has nothing more told but by last: all calls have come back.
func (p *progress) stop() {
	p.journal.mu.Lock() // tell may be recording
	defer p.journal.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
