package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

const (
	// memoryLimit is what the gateway is told, container what its container would have.
	memoryLimit = "400MiB"
	container   = 448 << 20
	// Of the chat that is read: its messages, and the emoji of each.
	largeMessages = 60
	largeMessage  = 32_000
	// goodTalks is how many good conversations are timed at least, idle and beside an attack.
	goodTalks = 40
	// besides is how long an attack lasts at least, and longest how long at most, until all of
	// it is answered.
	besides = 5 * time.Second
	longest = 30 * time.Second
	// slower is how much slower a good conversation may be beside an attack.
	slower = 2
)

// exhaustion is a gateway whose memory one key tries to exhaust.
type exhaustion struct {
	o       hostileOptions
	cluster *cluster
	life    *life
	address string
	serial  counter
	answers sync.Map     // status -> *atomic.Int64
	waiting atomic.Int64 // requests of the attack without an answer
}

// keyed is the hash and the principal of a key that is its own name.
func keyed(name string) object {
	sum := sha256.Sum256([]byte(name))
	return object{"id": name, "hash": "sha256:" + hex.EncodeToString(sum[:]), "tenant": "t", "subject": name}
}

// exhaust attacks the memory of a gateway with one key in three ways, each beside good
// conversations of another: it must stay within its container and serve them in time.
func exhaust(ctx context.Context, o hostileOptions, p *plant, out io.Writer) error {
	model := modeltest.NewFunc(nil, play)
	defer model.Close()
	c, err := p.clusterWith(ctx, 1, model.URL, time.Second, nil, object{
		"auth":   object{"mode": "apiKeys", "keys": []object{keyed("attacker"), keyed("good")}},
		"limits": object{"requestsPerMinute": 0, "concurrentTurns": 0}, // the others as they are
	})
	if err != nil {
		return err
	}
	defer c.close()
	l, err := c.nodes[0].start(ctx, "GOMEMLIMIT="+memoryLimit)
	if err != nil {
		return err
	}
	e := &exhaustion{o: o, cluster: c, life: l, address: strings.TrimPrefix(l.url, "http://")}
	if err := e.fill(ctx); err != nil {
		return fmt.Errorf("exhaust: %w", err)
	}
	time.Sleep(time.Second)
	idle, err := e.converse(ctx, ctx)
	if err != nil {
		return fmt.Errorf("exhaust: %w", err)
	}
	t := newTable(out, "what one key does", "answered with", "memory before", "at most", "after", "good conversations", "median, idle", "beside it")
	var faults []error
	for _, a := range []struct {
		name   string
		attack func(ctx context.Context)
	}{
		{fmt.Sprint(o.snapshots(), " unread snapshots"), func(ctx context.Context) { e.unread(ctx, o.snapshots(), "GET", "", "") }},
		{fmt.Sprint(o.streams, " unread views"), func(ctx context.Context) { e.unread(ctx, o.streams, "GET", "/events", "") }},
		{"both, and as many huge answers", func(ctx context.Context) { e.mix(ctx) }},
	} {
		err := e.beside(ctx, a.name, a.attack, idle, t)
		if err != nil {
			faults = append(faults, fmt.Errorf("exhaust: %s: %w", a.name, err))
		}
		if _, err := l.resident(); err != nil {
			break
		}
	}
	t.end()
	return errors.Join(faults...)
}

func (o *hostileOptions) snapshots() int { return max(10, o.streams*150/4000) }

// fill makes the chat that is read.
func (e *exhaustion) fill(ctx context.Context) error {
	for range largeMessages {
		if err := e.say(ctx, "attacker", "large", "quick "+strings.Repeat("\U0001F600", largeMessage-len("quick "))); err != nil {
			return err
		}
	}
	return nil
}

// say sends a message and reads its run to the end.
func (e *exhaustion) say(ctx context.Context, key, chat, message string) error {
	resp, err := request(ctx, "POST", chatURL(e.life.url, appTalk, chat)+"/messages", fmt.Sprintf(`{"message":%s}`, strconv.Quote(message)),
		"Authorization", "Bearer "+key)
	if err != nil {
		return err
	}
	a, err := read(resp.Body, nil)
	if err == nil && a.finish != "stop" {
		err = fmt.Errorf("a run ended with %q", a.finish)
	}
	return err
}

// converse times good conversations, a message and what is stored then, until an attack is
// over; and some in any case.
func (e *exhaustion) converse(ctx, attack context.Context) (times []time.Duration, err error) {
	for len(times) < goodTalks || attack != ctx && attack.Err() == nil {
		began := time.Now()
		chat := fmt.Sprint("good", e.serial.next())
		if err := e.say(ctx, "good", chat, "story"); err != nil {
			return nil, fmt.Errorf("a good conversation: %w", err)
		}
		if len(times)%10 == 0 { // fewer than its limit of reads
			resp, err := request(ctx, "GET", chatURL(e.life.url, appTalk, chat), "", "Authorization", "Bearer good")
			if err != nil {
				return nil, fmt.Errorf("a good conversation is read: %w", err)
			}
			_ = resp.Body.Close()
		}
		times = append(times, time.Since(began))
		time.Sleep(pollEvery)
	}
	slices.Sort(times)
	return times, nil
}

// beside runs an attack beside good conversations, and judges what became of both.
func (e *exhaustion) beside(ctx context.Context, name string, attack func(context.Context), idle []time.Duration, t table) error {
	before, err := e.life.resident()
	if err != nil {
		return err
	}
	e.answers.Clear()
	attacking, over := context.WithCancel(ctx)
	defer over()
	var all sync.WaitGroup
	var peak atomic.Int64
	all.Go(func() {
		for attacking.Err() == nil {
			if now, err := e.life.resident(); err == nil {
				peak.Store(max(now, peak.Load()))
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	all.Go(func() { attack(attacking) })
	all.Go(func() {
		for began := time.Now(); attacking.Err() == nil; time.Sleep(pollEvery) {
			if took := time.Since(began); took > longest || took > besides && e.waiting.Load() == 0 {
				over()
			}
		}
	})
	times, talked := e.converse(ctx, attacking)
	over()
	all.Wait()
	after, gone := e.life.resident()
	if talked != nil || gone != nil {
		t.row(name, e.answered(), mib(before), mib(peak.Load()), "-", 0, median(idle), "-")
		return errors.Join(talked, gone, errors.New(e.cluster.nodes[0].tail()))
	}
	t.row(name, e.answered(), mib(before), mib(peak.Load()), mib(after), len(times), median(idle), median(times))
	switch {
	case peak.Load() > container:
		return fmt.Errorf("%s of memory were taken, %s are there", mib(peak.Load()), mib(container))
	case median(times) > slower*median(idle):
		return fmt.Errorf("a good conversation takes %s, %s without it", median(times), median(idle))
	}
	return nil
}

func median(times []time.Duration) time.Duration {
	return times[len(times)/2].Round(100 * time.Microsecond)
}

// answered are the statuses of the attacker's responses.
func (e *exhaustion) answered() string {
	var list []string
	e.answers.Range(func(status, n any) bool {
		list = append(list, fmt.Sprintf("%s: %d", status, n.(*atomic.Int64).Load()))
		return true
	})
	slices.SortFunc(list, cmp.Compare[string])
	return strings.Join(list, ", ")
}

// unread sends so many requests about the large chat, reads no more of their responses than
// the status, and leaves when the attack is over.
func (e *exhaustion) unread(ctx context.Context, n int, method, path, body string) {
	var all sync.WaitGroup
	for range n {
		e.waiting.Add(1)
		answered := sync.OnceFunc(func() { e.waiting.Add(-1) })
		all.Go(func() {
			defer answered()
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", e.address)
			if err != nil {
				return
			}
			defer conn.Close()
			defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetReadBuffer(4 << 10)
			}
			raw := fmt.Sprintf("%s /v1/apps/%s/chats/large%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer attacker\r\n", method, appTalk, path, e.address)
			if body != "" {
				raw += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
			}
			go func() { _, _ = io.WriteString(conn, raw+"\r\n"+body) }() // it may be refused before it has all
			status := make([]byte, len("HTTP/1.1 200"))
			if _, err := io.ReadFull(conn, status); err != nil {
				return
			}
			count, _ := e.answers.LoadOrStore(string(status[len(status)-3:]), new(atomic.Int64))
			count.(*atomic.Int64).Add(1)
			answered()
			<-ctx.Done()
		})
	}
	all.Wait()
}

// mix is all at once: snapshots, views, more for them to see, and answers of a megabyte.
func (e *exhaustion) mix(ctx context.Context) {
	huge := `{"answer":{"answers":[` + strings.TrimSuffix(strings.Repeat(`{"note":"a"},`, 70_000), ",") + `]}}`
	var all sync.WaitGroup
	all.Go(func() { e.unread(ctx, e.o.snapshots(), http.MethodGet, "", "") })
	all.Go(func() { e.unread(ctx, e.o.streams, http.MethodGet, "/events", "") })
	all.Go(func() { e.unread(ctx, e.o.snapshots(), http.MethodPost, "/messages", huge) })
	all.Go(func() {
		for ctx.Err() == nil {
			_ = e.say(ctx, "attacker", "large", "quick "+strings.Repeat("\U0001F600", largeMessage-len("quick "))) // also refused
			time.Sleep(100 * time.Millisecond)
		}
	})
	all.Wait()
}
