package redishub

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/redisconn"
	"github.com/askgate/askgate/gateway/stream"
)

// atOnce is how many topics are subscribed and read in one write when a session begins.
const atOnce = 256

// session is the connections that listen, one to each server that has keys, and what belongs to them.
type session struct {
	hub       *Hub
	ctx       context.Context
	fail      context.CancelCauseFunc
	listeners map[*redis.Client]*listener
	whole     bool // the shipper sends its script, which a server may not have

	mu      sync.Mutex // also orders what is written to the listeners' connections
	waiting map[string]chan struct{}
	leaving map[string]int // subscriptions that end because the session wants that
}

// listener listens to one server.
type listener struct {
	ps  *redis.PubSub
	own string // its channel that only this node uses
}

// serve runs a session until it fails. It calls ready when the session is up.
func (h *Hub) serve(ctx context.Context, ready func()) error {
	s := &session{hub: h, listeners: map[*redis.Client]*listener{}, whole: true, waiting: map[string]chan struct{}{}, leaving: map[string]int{}}
	s.ctx, s.fail = context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer func() {
		for _, l := range s.listeners {
			_ = l.ps.Close()
		}
	}()
	defer s.fail(nil)
	start := func(part func() error) {
		wg.Go(func() {
			if err := part(); err != nil {
				s.fail(err)
			}
		})
	}
	channels, err := s.probe()
	if err != nil {
		return h.client.Explain(err)
	}
	if err := s.subscribe(channels, func() {
		for _, l := range s.listeners {
			start(func() error { return s.listening(l) })
		}
	}); err != nil {
		return err
	}
	start(s.pinging)
	if err := s.settle(); err != nil { // before the streams are read
		return err
	}
	h.mu.Lock()
	h.session = s
	views := slices.Collect(maps.Values(h.views))
	h.mu.Unlock()
	for chunk := range slices.Chunk(views, atOnce) {
		s.attach(chunk)
	}
	for up := false; !up; {
		if err := s.settle(); err != nil {
			return err
		}
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		h.mu.Lock()
		if up = h.missed.empty() && h.erased.empty() && h.forgot.empty(); up {
			h.turn(nil)
		}
		h.mu.Unlock()
	}
	ready()
	h.local.Nudge() // others may have nudged meanwhile
	start(s.shipping)
	<-s.ctx.Done()
	return context.Cause(s.ctx)
}

// probe checks that Redis accepts writes, and prepares a listener for each of its servers. It returns
// the channels that a session needs.
func (s *session) probe() (channels []string, err error) {
	h := s.hub
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	parts, err := h.client.Spread(ctx, h.own())
	if err != nil {
		return nil, err
	}
	channels = []string{h.control()}
	for _, part := range parts {
		if err := part.Server.Set(ctx, part.Key, "1", maxAge).Err(); err != nil { // also if it is not the master
			return nil, err
		}
		s.listeners[part.Server] = &listener{part.Server.Subscribe(s.ctx), part.Key}
		channels = append(channels, part.Key)
	}
	return channels, nil
}

// settle publishes what could not be published while Redis was down.
func (s *session) settle() error {
	h := s.hub
	h.mu.Lock()
	missed, erased, forgot := h.missed, h.erased, h.forgot
	h.missed, h.erased, h.forgot = topicSet{}, topicSet{}, topicSet{}
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	err := h.eraseAll(ctx, slices.Collect(maps.Keys(erased.topics)))
	if err == nil {
		err = h.forgetAll(ctx, slices.Collect(maps.Keys(forgot.topics)), sayForget)
	}
	if err == nil {
		pipe := h.client.Pipeline()
		if missed.more {
			h.say(ctx, pipe, sayGap, "")
		}
		for topic := range missed.topics {
			h.say(ctx, pipe, sayGap, topic)
		}
		_, err = pipe.Exec(ctx)
	}
	if err != nil { // the next session publishes all of it again
		h.mu.Lock()
		defer h.mu.Unlock()
		for topic := range missed.topics {
			h.missed.add(topic)
		}
		h.missed.more = h.missed.more || missed.more
		for topic := range erased.topics {
			h.erased.add(topic)
		}
		for topic := range forgot.topics {
			h.forgot.add(topic)
		}
	}
	return err
}

// subscribe waits until Redis has confirmed the channels. It calls written, if given, when the
// request is on its way.
func (s *session) subscribe(channels []string, written func()) error {
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	confirmed := make([]chan struct{}, len(channels))
	of := map[*listener][]string{}
	for _, c := range channels {
		l, err := s.listener(ctx, c)
		if err != nil {
			return err
		}
		of[l] = append(of[l], c)
	}
	s.mu.Lock()
	for i, c := range channels {
		confirmed[i] = make(chan struct{})
		s.waiting[c] = confirmed[i]
	}
	var err error
	for l, channels := range of {
		if err == nil {
			err = s.hub.client.Listen(ctx, l.ps, channels...)
		}
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if written != nil {
		written()
	}
	for _, c := range confirmed {
		select {
		case <-c:
		case <-ctx.Done():
			return fmt.Errorf("subscribing: %w", context.Cause(ctx))
		}
	}
	return nil
}

// unsubscribe stops listening, unless the topic has a follower again.
func (s *session) unsubscribe(topic string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub.mu.Lock()
	again := s.hub.views[topic] != nil
	s.hub.mu.Unlock()
	if again {
		return
	}
	channel := s.hub.channel(topic)
	l, err := s.listener(s.ctx, channel)
	if err == nil {
		s.leaving[channel]++
		err = s.hub.client.Leave(s.ctx, l.ps, channel)
	}
	if err != nil {
		s.fail(err)
	}
}

// listener returns the listener to the server that has a channel.
func (s *session) listener(ctx context.Context, channel string) (*listener, error) {
	server, err := s.hub.client.Home(ctx, channel)
	if err != nil {
		return nil, err
	}
	if l := s.listeners[server]; l != nil {
		return l, nil
	}
	return nil, errMoved
}

// attach subscribes to the topics and then reads their streams. A failure ends the session.
func (s *session) attach(views []*view) {
	channels := make([]string, len(views))
	for i, v := range views {
		v.mirror.Forget()
		channels[i] = s.hub.channel(v.topic)
	}
	err := s.subscribe(channels, nil)
	if err == nil {
		_, err = s.read(views, false)
	}
	if err != nil {
		s.fail(err)
	}
}

// read puts the topics' streams in front of what is here. It reports whether no follower misses
// anything. Followers that do get ErrGap, unless more announces another read.
func (s *session) read(views []*view, more bool) (whole bool, err error) {
	h := s.hub
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	pipe := h.client.Pipeline()
	answers := make([]*redis.XMessageSliceCmd, len(views))
	forgets := make([]int, len(views))
	for i, v := range views {
		forgets[i] = v.mirror.Forgets()
		answers[i] = pipe.XRange(ctx, h.streamKey(v.topic), "-", "+")
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return false, err
	}
	whole = true
	for i, v := range views {
		entries, missing := answers[i].Val(), false
		if n := len(entries); n > 0 && entries[n-1].ID == lastID {
			if signature, _ := entries[n-1].Values["p"].(string); h.signer.Verify(signature, v.topic, sayErase) {
				h.local.Erase(v.topic)
				continue
			}
			entries, missing = entries[:n-1], true
		}
		var history []stream.Batch
		for _, entry := range entries {
			payload, _ := entry.Values["p"].(string)
			b, err := decode(v.topic, payload, h.signer)
			if err != nil {
				missing = true
				continue
			}
			history = append(history, b)
		}
		whole = v.mirror.Extend(forgets[i], history, more) && whole
		if missing {
			v.lost()
		}
	}
	return whole, nil
}

var (
	errSilent = errors.New("no sign of life")
	errMoved  = errors.New("the cluster has changed")
)

// listening receives the messages of other nodes.
func (s *session) listening(l *listener) error {
	confirmed := false
	for {
		message, err := l.ps.ReceiveTimeout(s.ctx, silence)
		switch {
		case s.ctx.Err() != nil:
			return nil //nolint:nilerr // the hub ends, and so does this
		case err != nil:
			return fmt.Errorf("listening: %w", err)
		}
		switch m := message.(type) {
		case *redis.Subscription:
			if m.Channel == l.own {
				if confirmed { // the library has reconnected: messages may have been missed
					return errSilent
				}
				confirmed = true
			}
			if redisconn.Confirms(m) {
				s.confirm(m.Channel)
			} else if !s.left(m.Channel) { // it has another server now
				return errMoved
			}
		case *redis.Message:
			if m.Channel != l.own {
				s.hub.hear(m.Channel, m.Payload)
			}
		}
	}
}

func (s *session) confirm(channel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.waiting[channel]; c != nil {
		close(c)
		delete(s.waiting, channel)
	}
}

// left reports whether the session asked for the end of a subscription.
func (s *session) left(channel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.leaving[channel]
	if s.leaving[channel] = n - 1; n <= 1 {
		delete(s.leaving, channel)
	}
	return n > 0
}

// pinging makes Redis show that it is alive: what the node sends must come back to each listener.
func (s *session) pinging() error {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-s.ctx.Done():
			return nil
		case <-tick.C:
			if n%ageEvery == 0 {
				s.hub.ship.age()
			}
			if err := s.ping(); err != nil {
				return err
			}
		}
	}
}

func (s *session) ping() error {
	h := s.hub
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	for server, l := range s.listeners {
		pipe := server.Pipeline()
		write := pipe.Set(ctx, l.own, "1", maxAge)
		h.client.Send(ctx, pipe, l.own, "")
		_, _ = pipe.Exec(ctx) // if it is not sent, there is silence
		if refused, is := errors.AsType[redis.Error](write.Err()); is {
			return refused // it is not the master any more: it would carry messages, but not those of the master
		}
	}
	return nil
}

// hear handles one message.
func (h *Hub) hear(channel, payload string) {
	if channel == h.control() {
		h.heed(payload)
	} else if v := h.viewOf(h.topicOf(channel)); v != nil {
		if b, err := decode(v.topic, payload, h.signer); err == nil {
			v.mirror.Append(b)
		} else {
			v.lost()
		}
	}
}

// heed handles a control message of another node. One that does not verify is at most a reason to
// read the store.
func (h *Hub) heed(payload string) {
	from, rest, _ := strings.Cut(payload, " ")
	what, rest, _ := strings.Cut(rest, " ")
	topic, mac, _ := strings.Cut(rest, " ")
	v := h.viewOf(topic)
	switch {
	case from == h.node: // done already
	case !h.signer.Verify(mac, topic, from, what):
		h.local.Nudge()
		if v != nil {
			v.lost()
		}
	case what == sayStop:
		h.local.Stop(topic)
	case what == sayErase:
		h.local.Erase(topic)
	case what == sayForget:
		h.local.Forget(topic)
		h.ship.forget(topic)
	case what == sayDrop:
		h.local.Forget(topic)
	case what == sayNudge:
		h.local.Nudge()
	case what == sayGap && topic == "":
		h.gapAll()
	case what == sayGap && v != nil:
		v.mirror.Gap()
	}
}
