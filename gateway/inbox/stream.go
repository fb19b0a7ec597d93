package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
	"github.com/askgate/askgate/tools"
)

const (
	// maxPending is how many questions a snapshot has at most.
	maxPending = 200
	// maxQueue is how many news items wait for a stream at most. A stream with more reads them from
	// the store.
	maxQueue = 32
	// kept is how long after an event its stream can go on. The store keeps news for an hour longer,
	// because nodes' clocks differ.
	kept = 23 * time.Hour
)

// Who is the person or program that listens.
type Who struct {
	chat.Principal
	// MayUse reports whether they may use an app at present. Nothing is sent about other apps.
	MayUse func(app string) bool
}

// Stream is one listener's view of the news. It is for use by one goroutine.
type Stream struct {
	inbox    *Inbox
	who      Who
	keys     []key
	at       int64 // id of the last news that was sent
	snapshot *Snapshot
	shown    map[string]bool // the questions of the snapshot: news of some of them may have become certain only later

	// Guarded by the inbox's lock.
	queue  []chat.News
	behind bool // news after at are only in the store
	ready  chan struct{}
}

// Snapshot is what waits when a stream begins.
type Snapshot struct {
	Pending []chat.Kept `json:"pending"` // oldest first
	// HasMore: there are more than these; the list of clarifications has them all.
	HasMore     bool   `json:"hasMore"`
	LastEventID string `json:"lastEventId"`
}

// Follow opens a stream: after the event with that id or, if none is given or the history after it
// is gone, beginning with a snapshot. The stream must be closed.
func (f *Inbox) Follow(ctx context.Context, who Who, after string) (*Stream, error) {
	s := &Stream{inbox: f, who: who, keys: keysOf(who.Principal), behind: true, ready: make(chan struct{}, 1)}
	if err := f.join(ctx, s); err != nil {
		return nil, err
	}
	if err := s.place(ctx, after); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// place finds where the stream begins. It is called after join.
func (s *Stream) place(ctx context.Context, after string) error {
	head, err := s.inbox.Store.Feed().NewsHead(ctx)
	if err != nil {
		return err
	}
	id, at, ok := parseID(after)
	if ok && id <= head && s.inbox.Store.Now().Sub(at) < kept {
		s.at = id
		return nil
	}
	now := s.inbox.Store.Now() // before the next read: what comes later will be sent
	open, more, err := s.inbox.Store.Clarifications(ctx, s.who.Tenant, s.who.Subject,
		store.Which{Status: store.StatusPending, Roles: s.who.Roles}, store.Page{Limit: maxPending})
	if err != nil {
		return err
	}
	s.at, s.shown = head, map[string]bool{}
	s.snapshot = &Snapshot{Pending: []chat.Kept{}, HasMore: more != "", LastEventID: formatID(head, now)}
	for i := range open {
		if s.who.MayUse(open[i].App) {
			waits := chat.NewKept(&open[i])
			waits.Asked = chat.NewAskedTo(s.who.Principal, &open[i])
			s.snapshot.Pending = append(s.snapshot.Pending, waits)
			s.shown[open[i].ID] = true
		}
	}
	return nil
}

// The digits of an event's id: that of the news, and when it was sent, in ms since 1970.
const idDigits, timeDigits = 19, 13

// formatID returns the wire form, which grows with id.
func formatID(id int64, at time.Time) string {
	return fmt.Sprintf("%0*d%0*d", idDigits, id, timeDigits, at.UnixMilli())
}

func parseID(s string) (id int64, at time.Time, ok bool) {
	if len(s) != idDigits+timeDigits {
		return 0, at, false
	}
	n, err := strconv.ParseUint(s[:idDigits], 10, 63)
	ms, msErr := strconv.ParseUint(s[idDigits:], 10, 63)
	return int64(n), time.UnixMilli(int64(ms)), err == nil && msErr == nil
}

// Begin writes the snapshot if the stream begins with one, and only the first time.
func (s *Stream) Begin(sink stream.Sink) error {
	snapshot := s.snapshot
	if snapshot == nil {
		return nil
	}
	s.snapshot = nil
	return sink.Write(stream.One(snapshot.LastEventID, chat.Event{Type: chat.EventSnapshot, Data: snapshot}))
}

// Stream writes the news since Begin, and then what comes, until ctx ends or the sink fails. A
// store that is away is waited for.
func (s *Stream) Stream(ctx context.Context, sink stream.Sink) error {
	for {
		news, err := s.next(ctx)
		for i := 0; err == nil && i < len(news); i++ {
			err = s.tell(ctx, &news[i], sink)
		}
		switch {
		case errors.Is(err, store.ErrUnavailable):
			s.lag()
			if !rest(ctx, lookEvery, nil) {
				return context.Cause(ctx)
			}
		case err != nil:
			return err
		}
	}
}

// Close ends the stream.
func (s *Stream) Close() { s.inbox.leave(s) }

// take queues news. The caller holds the inbox's lock.
func (s *Stream) take(n *chat.News) {
	queued := len(s.queue)
	switch {
	case s.behind:
	case queued == maxQueue:
		s.queue, s.behind = nil, true
	case queued == 0 || s.queue[queued-1].ID < n.ID: // otherwise the news concerns the listener in two ways
		s.queue = append(s.queue, *n)
	}
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// lag makes the stream read what comes after at from the store.
func (s *Stream) lag() {
	s.inbox.mu.Lock()
	defer s.inbox.mu.Unlock()
	s.queue, s.behind = nil, true
}

// next returns the news after that which was sent last.
func (s *Stream) next(ctx context.Context) ([]chat.News, error) {
	for {
		s.inbox.mu.Lock()
		news, behind := s.queue, s.behind
		s.queue, s.behind = nil, false // from here on, all news is queued
		s.inbox.mu.Unlock()
		if behind {
			var err error
			news, err = s.inbox.Store.Feed().News(ctx, s.who.Tenant, s.who.Subject, s.who.Roles, s.at, atOnce)
			if err != nil {
				return nil, err
			}
			if len(news) == atOnce {
				s.lag()
			}
		}
		for len(news) > 0 && news[0].ID <= s.at {
			news = news[1:]
		}
		if len(news) > 0 {
			return news, nil
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tell writes the event of news. It leaves out what is gone meanwhile, cannot be read by this
// version, or is not for the listener.
func (s *Stream) tell(ctx context.Context, n *chat.News, sink stream.Sink) error {
	if s.who.MayUse(n.App) {
		data, err := s.event(ctx, n)
		if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrUnreadable) {
			return err
		}
		if data != nil && err == nil {
			text, err := withApp(n.App, data)
			if err != nil {
				return err
			}
			if err := sink.Write(stream.One(formatID(n.ID, n.At), chat.Event{Type: n.Type, Data: text})); err != nil {
				return err
			}
		}
	}
	s.at = n.ID
	return nil
}

// withApp returns an event's data as JSON, with the app before all other fields.
func withApp(app string, data any) (json.RawMessage, error) {
	name, err := json.Marshal(app)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return append(append(append([]byte(`{"app":`), name...), ','), text[1:]...), nil
}

// event returns the data of the event that a news item is about, as in a stream of the chat, or nil if
// there is nothing to send.
func (s *Stream) event(ctx context.Context, n *chat.News) (any, error) {
	own := n.Subject == s.who.Subject // the chat is the listener's
	switch n.Type {
	case chat.EventDone:
		if own {
			return chat.Done{ChatID: n.ChatID, TurnID: n.TurnID, FinishReason: n.FinishReason, Usage: n.Usage}, nil
		}
	case chat.EventTitle:
		if own { // the current title
			c, _, err := s.inbox.Store.Conversation(ctx, n.Ref)
			if err != nil || c.ID != n.ConversationID {
				return nil, err
			}
			return chat.Title{ChatID: n.ChatID, Title: c.Title}, nil
		}
	case chat.EventQueue:
		if own {
			return chat.QueueChanged{ChatID: n.ChatID}, nil
		}
	case chat.EventAskerMessage:
		if own || n.Asker != s.who.Subject {
			m, err := s.inbox.Store.Message(ctx, n.ConversationID, n.MessageID)
			return chat.NewAskerMessage(n.ChatID, &m).Data, err
		}
	case chat.EventClarification, chat.EventClarificationResolved, chat.EventClarificationDecided, chat.EventClarificationEscalated:
		c, err := s.inbox.Store.Clarification(ctx, n.ClarificationID)
		if errors.Is(err, store.ErrNotFound) && n.Type == chat.EventClarificationResolved { // deleted with its chat
			at := chat.Time(n.At)
			return chat.Resolved{
				ChatID: n.ChatID, ClarificationID: n.ClarificationID, ToolCallID: n.MessageID, Outcome: tools.StateCancelled, AnsweredAt: &at,
			}, nil
		}
		if err != nil {
			return nil, err
		}
		asked := own || c.MayAnswer(s.who.Principal)
		if n.Role != c.For && (own || c.Asker == s.who.Subject || c.AskedAs(s.who.Principal) != n.Role) {
			return nil, nil // other news says it
		}
		if n.Type == chat.EventClarification && asked && !s.shown[c.ID] {
			return chat.NewAskedTo(s.who.Principal, &c), nil
		}
		if n.Type == chat.EventClarificationResolved && (asked || c.Asker == s.who.Subject) && c.State != tools.StatePending {
			return chat.NewResolved(&c), nil
		}
		if n.Type == chat.EventClarificationDecided && asked {
			return chat.NewDecidedAt(&c, n.At).Data, nil
		}
		if n.Type == chat.EventClarificationEscalated && (asked || c.Asker == s.who.Subject) {
			return chat.NewEscalatedAt(&c, n.At).Data, nil
		}
	}
	return nil, nil
}
