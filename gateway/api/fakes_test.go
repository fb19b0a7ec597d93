package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/inbox"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser"
	lookup "github.com/askgate/askgate/tools/textsearch"
)

// fakeEngine responds to every command with one event, unless configured otherwise.
type fakeEngine struct {
	mu       sync.Mutex
	commands []turn.Command
	searched []turn.OptionQuery
	asked    []turn.Asking
	again    bool // the question was already asked before
	// cancelled lists the clarifications that were to be cancelled.
	cancelled []string
	by        chat.Actor // who cancelled it
	delivered []int64    // fences of runs
	watched   bool       // its runs go on elsewhere
	attended  []string   // whose askers waited

	err    error // of every method
	size   int64 // of snapshots
	drive  func(ctx context.Context, sink stream.Sink)
	result chat.Result
	budget []budget.Budget
	follow func(ctx context.Context, after string, sink stream.Sink) error
}

var frame = stream.One("0000000100000001", chat.Event{Type: chat.EventDone, Data: chat.Done{ChatID: "c", TurnID: "t", FinishReason: chat.FinishStop}})

func (e *fakeEngine) Submit(_ context.Context, cmd turn.Command) (host.Run, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	e.commands = append(e.commands, cmd)
	return fakeRun{e}, nil
}

// last returns the only command that was submitted.
func (e *fakeEngine) only(t testing.TB) turn.Command {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.commands) != 1 {
		t.Fatalf("%d commands", len(e.commands))
	}
	return e.commands[0]
}

func (*fakeEngine) Coded(context.Context, chat.Ref, *chat.Clarification, string) error { return nil }
func (*fakeEngine) Known(context.Context, chat.Ref, string) (bool, error)              { return false, nil }
func (*fakeEngine) Again(context.Context, chat.Ref) (host.Run, error)                  { return nil, nil }

func (e *fakeEngine) Delivered(_ context.Context, _ chat.Ref, fence int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.delivered = append(e.delivered, fence)
	return e.err
}

func (*fakeEngine) Running(context.Context, chat.Ref) (host.Run, error) { return nil, nil }

func (e *fakeEngine) Snapshot(ctx context.Context, ref chat.Ref, _, _ int, _ string) (*chat.Snapshot, error) {
	if err := store.Admit(ctx, e.size); err != nil {
		return nil, err
	}
	return &chat.Snapshot{ChatID: ref.ChatID, Status: chat.StatusIdle, Messages: []chat.SnapshotMessage{}, Pending: []chat.Kept{}}, e.err
}

func (e *fakeEngine) Follow(ctx context.Context, _ chat.Ref, _ int, after string) (host.Following, error) {
	if err := store.Admit(ctx, e.size); err != nil {
		return nil, err
	}
	if e.err != nil {
		return nil, e.err
	}
	return fakeFollowing{e, after}, nil
}

func (e *fakeEngine) Cancel(context.Context, chat.Ref) error { return e.err }
func (e *fakeEngine) Rename(_ context.Context, _ chat.Ref, title string) (chat.Conversation, error) {
	return chat.Conversation{Title: title}, e.err
}
func (e *fakeEngine) Delete(context.Context, chat.Ref) error         { return e.err }
func (e *fakeEngine) DeleteBranches(context.Context, chat.Ref) error { return e.err }
func (e *fakeEngine) RenameBranches(ctx context.Context, ref chat.Ref, title string) (chat.Conversation, error) {
	return e.Rename(ctx, ref, title)
}
func (e *fakeEngine) TakeBack(context.Context, chat.Ref, string) error { return e.err }

func (e *fakeEngine) SendNow(context.Context, turn.SendNow) error { return e.err }

func (e *fakeEngine) Revoke(context.Context, chat.Ref, string) error { return e.err }

func (e *fakeEngine) SearchOptions(_ context.Context, _ *turn.Setup, _ chat.Ref, _ *config.App, q turn.OptionQuery) ([]tools.Option, int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.searched = append(e.searched, q)
	return []tools.Option{{Label: "L", Value: "v"}}, 1000, e.err
}

func (e *fakeEngine) CancelClarification(_ context.Context, id string, by chat.Actor) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cancelled, e.by = append(e.cancelled, id), by
	return e.err
}

func (e *fakeEngine) Question(_ context.Context, _ *turn.Setup, _ *config.App, call tools.Call) (string, tools.Outcome) {
	call.Program = true // as toolexec.Executor.Ask documents
	out, err := askuser.New(askuser.Limits{}, nil).Run(context.Background(), call)
	if err != nil {
		return "ask_user", tools.Outcome{Error: err.(*tools.Error)} //nolint:errorlint // it has no other
	}
	return "ask_user", out
}

func (e *fakeEngine) Ask(_ context.Context, a turn.Asking) (chat.Clarification, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = append(e.asked, a)
	return chat.Clarification{ID: "clr_1", Ref: a.Ref, Asker: a.Asker.Subject, For: a.Role, Question: a.Question, State: tools.StatePending}, e.again, e.err
}

func (e *fakeEngine) AnswerByID(_ context.Context, _ *turn.Setup, id string, _ turn.Answer, _ chat.Actor, _ chat.Channel) (chat.Clarification, error) {
	return chat.Clarification{ID: id, State: tools.StateAnswered}, e.err
}

func (e *fakeEngine) DeleteAnswer(context.Context, *turn.Setup, string, chat.Actor) error {
	return e.err
}

func (e *fakeEngine) Withdraw(context.Context, string, chat.Actor) error { return e.err }

func (e *fakeEngine) PostMessage(_ context.Context, _ *turn.Setup, _ chat.Ref, _ string, by tools.Asker, text string) (chat.Message, error) {
	return chat.Message{ID: "msg_1", Content: text, AskedBy: &by}, e.err
}

func (e *fakeEngine) Upload(context.Context, uploads.Upload) (chat.File, error) {
	return chat.File{}, e.err
}

func (e *fakeEngine) Discard(context.Context, chat.Ref, string) error { return e.err }

func (e *fakeEngine) OpenFile(context.Context, chat.Ref, string, string) (chat.File, io.ReadCloser, error) {
	return chat.File{}, http.NoBody, e.err
}

func (e *fakeEngine) Attend(_ context.Context, c *chat.Clarification) func(bool) {
	e.note("waits for " + c.ID)
	return func(gone bool) { e.note(fmt.Sprint("left ", c.ID, ", gone ", gone)) }
}

func (e *fakeEngine) note(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.attended = append(e.attended, what)
}

func (e *fakeEngine) InWords(context.Context, chat.Clarification) error { return e.err }
func (e *fakeEngine) Seen(context.Context, chat.Clarification) error    { return e.err }

func (e *fakeEngine) SaveDraft(context.Context, chat.Clarification, json.RawMessage) error {
	return e.err
}

type fakeRun struct{ e *fakeEngine }

func (r fakeRun) Drive(ctx context.Context, sink stream.Sink) *chat.Result {
	if r.e.drive != nil {
		r.e.drive(ctx, sink)
	} else if sink != nil {
		_ = sink.Write(frame)
	}
	if !r.e.watched && r.e.result.FinishReason == "" {
		return &chat.Result{TurnID: "t", Status: chat.StatusIdle, FinishReason: chat.FinishStop, Text: "hi"}
	}
	return &r.e.result
}

func (r fakeRun) Watches() bool { return r.e.watched }

func (r fakeRun) Budgets() []budget.Budget { return r.e.budget }

type fakeFollowing struct {
	e     *fakeEngine
	after string
}

func (f fakeFollowing) Stream(ctx context.Context, sink stream.Sink) error {
	if f.e.follow != nil {
		return f.e.follow(ctx, f.after, sink)
	}
	<-ctx.Done()
	return ctx.Err()
}

func (f fakeFollowing) Begin(stream.Sink) error { return nil }

func (fakeFollowing) Close() {}

// fakeInbox sends no events.
type fakeInbox struct {
	waited chan struct{} // receives one value for each caller that waits for an end; nil: not observed
}

func (f fakeInbox) Ended(ctx context.Context, id string) (chat.Clarification, error) {
	if f.waited != nil {
		f.waited <- struct{}{}
	}
	<-ctx.Done()
	return chat.Clarification{ID: id, State: tools.StatePending}, nil
}

func (fakeInbox) Follow(_ context.Context, _ inbox.Who, after string) (host.Following, error) {
	return fakeFollowing{&fakeEngine{}, after}, nil
}

// hereClock is a store's clock that agrees with the node's.
type hereClock struct{}

func (hereClock) Now() time.Time { return time.Now() }

func (hereClock) Skew() (none store.Skew) { return none }

// fakeStore contains only what a test puts into it.
type fakeStore struct {
	store.Keeper
	hereClock
	err           error
	language      string
	conversations []store.Listed
	pending       []chat.Clarification
	one           *chat.Clarification
	next          string
	questions     store.Questions
	head          store.AuditHead
	asked         *store.Page // where the requested page is recorded
	audit         func(store.AuditSpan, store.Page) ([]chat.AuditRecord, string, error)
}

func (s fakeStore) Conversation(context.Context, chat.Ref) (*chat.Conversation, *chat.Turn, error) {
	if s.language == "" {
		return nil, nil, store.ErrNotFound
	}
	return &chat.Conversation{Language: s.language}, nil, s.err
}

func (s fakeStore) View(context.Context, chat.Ref) (*store.View, error) {
	return nil, store.ErrNotFound
}

func (s fakeStore) ViewRuns(context.Context, chat.Ref, int64, int64, int64) (*store.View, error) {
	return nil, store.ErrNotFound
}

func (s fakeStore) NextEnd(context.Context, string, int64) (int64, error) {
	return 0, store.ErrNotFound
}

func (s fakeStore) IsQueued(context.Context, string, string) (bool, error) {
	return false, store.ErrNotFound
}

func (s fakeStore) Message(context.Context, string, string) (chat.Message, error) {
	return chat.Message{}, store.ErrNotFound
}

func (s fakeStore) ViewPart(context.Context, chat.Ref, store.Part) (*store.View, error) {
	return nil, store.ErrNotFound
}

func (s fakeStore) Run(context.Context, string, int64) (chat.Run, error) {
	return chat.Run{}, store.ErrNotFound
}

func (s fakeStore) Branches(context.Context, chat.Ref, []store.Line) ([]store.Branch, error) {
	return nil, s.err
}

func (s fakeStore) Family(context.Context, chat.Ref) ([]store.Branch, error) { return nil, s.err }

func (s fakeStore) Folded(context.Context, string, string, string, store.Page) ([]store.Folded, string, error) {
	return nil, s.next, s.err
}

func (s fakeStore) SearchFolded(context.Context, string, string, string, lookup.Words, store.Page) ([]store.Folded, string, error) {
	return nil, s.next, s.err
}

func (s fakeStore) LastRun(context.Context, string, string) (chat.Run, error) {
	return chat.Run{}, s.err
}

func (s fakeStore) Conversations(_ context.Context, _, _, _ string, p store.Page) ([]store.Listed, string, error) {
	if s.asked != nil {
		*s.asked = p
	}
	return s.conversations, s.next, s.err
}

func (s fakeStore) Search(context.Context, string, string, string, lookup.Words, store.Page) ([]store.Match, string, error) {
	return nil, s.next, s.err
}

func (s fakeStore) Clarifications(context.Context, string, string, store.Which, store.Page) ([]chat.Clarification, string, error) {
	return s.pending, s.next, s.err
}

func (s fakeStore) Clarification(context.Context, string) (chat.Clarification, error) {
	if s.one == nil {
		return chat.Clarification{}, store.ErrNotFound
	}
	return *s.one, nil
}

func (s fakeStore) Claimed(context.Context, string, string, string, string) ([]string, error) {
	var ids []string
	for _, c := range s.pending {
		ids = append(ids, c.ID)
	}
	return ids, s.err
}

func (s fakeStore) AllPending(context.Context, store.Page) ([]chat.Clarification, string, error) {
	return s.pending, s.next, s.err
}

func (s fakeStore) Tallies(context.Context, time.Time, time.Duration) ([]store.Tally, error) {
	return nil, s.err
}

func (s fakeStore) Questions(context.Context, time.Time, string, int) (store.Questions, error) {
	return s.questions, s.err
}

func (s fakeStore) VerifyAudit(context.Context) (store.AuditVerdict, error) {
	return store.AuditVerdict{}, s.err
}

func (s fakeStore) AuditHead(context.Context) (store.AuditHead, error) { return s.head, s.err }

func (s fakeStore) AuditRecords(_ context.Context, span store.AuditSpan, p store.Page) ([]chat.AuditRecord, string, error) {
	if s.audit == nil {
		return nil, "", s.err
	}
	return s.audit(span, p)
}
