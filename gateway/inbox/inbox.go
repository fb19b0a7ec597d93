package inbox

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/stream"
)

// Store is the part of a store that an inbox reads.
type Store interface {
	Feed() store.Feed
	Now() time.Time
	Clarifications(ctx context.Context, tenant, subject string, which store.Which, page store.Page) ([]chat.Clarification, string, error)
	Clarification(ctx context.Context, id string) (chat.Clarification, error)
	Conversation(ctx context.Context, ref chat.Ref) (*chat.Conversation, *chat.Turn, error)
	Message(ctx context.Context, conversationID, id string) (chat.Message, error)
}

// Options are the parts that an inbox works with.
type Options struct {
	Store  Store
	Hub    stream.Hub
	Shared bool // other nodes may use the store, too
	Log    *slog.Logger
}

// Inbox holds the streams of one node. It is safe for concurrent use.
type Inbox struct {
	Options

	mu        sync.Mutex
	listeners map[key]map[*Stream]struct{} // by what concerns them
	streams   int
	stop      context.CancelFunc // of the tail; nil while there are no streams
}

func New(o Options) *Inbox { return &Inbox{Options: o, listeners: map[key]map[*Stream]struct{}{}} }

// key is a recipient of news: the owner of the chat, the holders of a role, or the asker.
type key struct {
	as           byte
	tenant, name string
}

const (
	asSubject = 's'
	asHolder  = 'r'
	asAsker   = 'a'
	// asQuestion is a single question, by its id. Only its end is reported.
	asQuestion = 'q'
)

// keysOf returns the keys of a principal.
func keysOf(p chat.Principal) []key {
	keys := []key{{asSubject, p.Tenant, p.Subject}, {asAsker, p.Tenant, p.Subject}}
	for _, role := range p.Roles {
		keys = append(keys, key{asHolder, p.Tenant, role})
	}
	return keys
}

const (
	// lookEvery is how often the tail looks while other nodes cannot nudge it, or the store is away.
	// lookSeldom is how often it looks while they can: a node may die between a commit and its nudge.
	lookEvery  = time.Second
	lookSeldom = 5 * time.Second
	// soon is when the tail first looks again for news that it saw but could not read yet.
	soon = pace
	// pace is the least time between two looks, because a busy gateway nudges all the time.
	pace = time.Millisecond
	// atOnce is how many news items are read at a time.
	atOnce = 500
)

// join adds the stream to those that receive news. It receives everything that is stored after join
// returns.
func (f *Inbox) join(ctx context.Context, s *Stream) error {
	head, err := f.Store.Feed().NewsHead(ctx) // for a new tail: the stream reads earlier news itself
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop == nil {
		var life context.Context
		life, f.stop = context.WithCancel(context.Background())
		nudged, end := f.Hub.Nudges()
		go func() {
			defer end()
			f.tail(life, head, nudged)
		}()
	}
	f.streams++
	for _, k := range s.keys {
		if f.listeners[k] == nil {
			f.listeners[k] = map[*Stream]struct{}{}
		}
		f.listeners[k][s] = struct{}{}
	}
	return nil
}

func (f *Inbox) leave(s *Stream) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, k := range s.keys {
		delete(f.listeners[k], s)
		if len(f.listeners[k]) == 0 {
			delete(f.listeners, k)
		}
	}
	if f.streams--; f.streams == 0 {
		f.stop()
		f.stop = nil
	}
}

// tail passes news to the streams that they concern, until ctx ends.
func (f *Inbox) tail(ctx context.Context, at int64, nudged <-chan struct{}) {
	again, away := soon, false
	for {
		looked := time.Now()
		news, later, err := f.Store.Feed().AllNews(ctx, at, atOnce)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !away {
			f.Log.Warn("cannot read news", "error", err)
		}
		away = err != nil
		if len(news) > 0 {
			f.hand(news)
			at = news[len(news)-1].ID
		}
		var wait time.Duration
		switch {
		case len(news) == atOnce:
			continue
		case later:
			wait, again = again, min(2*again, lookEvery)
		case away || !f.Hub.Complete():
			wait, again = lookEvery, soon
		case f.Shared:
			wait, again = lookSeldom, soon
		default:
			wait, again = 0, soon
		}
		if !rest(ctx, wait, nudged) || !rest(ctx, max(1, pace-time.Since(looked)), nil) {
			return
		}
	}
}

// rest waits for that long (0 is for ever) or until there is a nudge. It returns false if ctx has
// ended.
func rest(ctx context.Context, wait time.Duration, nudged <-chan struct{}) bool {
	var over <-chan time.Time
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-nudged:
	case <-over:
	case <-ctx.Done():
		return false
	}
	return true
}

// hand passes news to the streams that they concern.
func (f *Inbox) hand(news []chat.News) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range news {
		n := &news[i]
		concerns := []key{{asSubject, n.Tenant, n.Subject}}
		if n.Role != "" {
			concerns = append(concerns, key{asHolder, n.Tenant, n.Role})
		}
		if n.Asker != "" {
			concerns = append(concerns, key{asAsker, n.Tenant, n.Asker})
		}
		if n.Type == chat.EventClarificationResolved {
			concerns = append(concerns, key{as: asQuestion, name: n.ClarificationID})
		}
		for _, k := range concerns {
			for s := range f.listeners[k] {
				s.take(n)
			}
		}
	}
}
