package run

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

// The least time between two progress events of a call, and of a chat, which has one run at a time:
// four and sixteen a second, as docs/protocol.md says.
const (
	callPace = time.Second / 4
	chatPace = time.Second / 16
)

// progress announces how far the calls of a step have come while they run. A call reports as often
// as it likes: only its newest report waits, and replaces earlier ones. What still waits when the
// call ends is sent right before its end, regardless of the pace. Progress is not stored, and is not
// sent once the run is cancelled or has lost its turn.
type progress struct {
	journal *journal // all that record hold its lock, and take it before mu

	mu      sync.Mutex // held only for moments: tools report under it
	calls   map[string]*reported
	waiting []*reported // calls with a report to send, the longest waiting first
	timer   *time.Timer // nil: not set; it may have fired, with send still running
	stopped bool
}

// reported is a call that reports progress.
type reported struct {
	call   *chat.ToolCall
	newest *tools.Progress // the newest report that was not sent; nil if there is none
	due    time.Time       // when the call's next event may be sent
}

func newProgress(j *journal) *progress { return &progress{journal: j, calls: map[string]*reported{}} }

// reports returns the call's Report function.
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
	p.timer = time.AfterFunc(time.Until(at), p.send)
}

// send reports the report that has waited longest among those that are due.
func (p *progress) send() {
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

// take removes the report that send sends, and returns nil if there is none.
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

// record records an event, unless the run was cancelled. The caller holds the journal's lock, or all
// calls have ended, so that no one else records.
func (p *progress) record(of *reported, newest *tools.Progress) {
	r := p.journal.run
	if context.Cause(r.ctx) != nil {
		return
	}
	r.rec.Pass(chat.Event{Type: chat.EventToolCallProgress, Data: chat.ToolCallProgress{
		ChatID: r.Conversation.ChatID, ToolCallID: of.call.ID, ToolName: of.call.Name, Progress: *newest,
	}})
}

// last records the waiting report of a call whose end or question is recorded next. It stays with
// the call, so that it can be recorded again if that is rewound.
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

// stop ends all reports except those that last records: all calls have returned.
func (p *progress) stop() {
	p.journal.mu.Lock() // send may be recording
	defer p.journal.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
}
