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
	// memoryLimit is the memory limit that the gateway is given, container that of its container.
	memoryLimit = "400MiB"
	container   = 448 << 20
	// The size of the chat that is read: its messages, and the emoji of each.
	largeMessages = 60
	largeMessage  = 32_000
)

// exhaustion is a gateway whose memory one key tries to exhaust.
type exhaustion struct {
	o       hostileOptions
	cluster *cluster
	life    *life
	address string
	since   string // id of an event of the attacker's before everything that it did
	newest  string // id of its newest message in the large chat
	serial  counter
	answers sync.Map     // status -> *atomic.Int64
	asked   atomic.Int64 // requests of the attack
	done    atomic.Int64 // of them, those that were answered
}

// keyed returns the hash and the principal of a key that is its own name.
func keyed(name string) object {
	sum := sha256.Sum256([]byte(name))
	return object{"id": name, "hash": "sha256:" + hex.EncodeToString(sum[:]), "tenant": "t", "subject": name}
}

// exhaust attacks the memory of a gateway with one key in several ways, each alongside good
// conversations of another: it must stay within its container and serve them in time.
func exhaust(ctx context.Context, o hostileOptions, p *plant, out io.Writer) error {
	model := modeltest.NewFunc(nil, play)
	defer model.Close()
	asker, admin := keyed("attacker"), keyed("admin")
	asker["mayAsk"] = []string{"*"}
	admin["roles"] = []string{"admin", "admin:texts"}
	c, err := p.clusterWith(ctx, 1, model.URL, time.Second, nil, object{
		"auth":   object{"mode": "apiKeys", "keys": []object{asker, keyed("good"), admin}},
		"limits": object{"requestsPerMinute": 0, "concurrentTurns": 0}, // the others as they are: an attack does not run dry
	})
	if err != nil {
		return err
	}
	defer c.close()
	l, err := c.nodes[0].start(ctx, "GOMEMLIMIT="+memoryLimit)
	if err != nil {
		return err
	}
	e := &exhaustion{o: o, cluster: c, life: l, address: strings.TrimPrefix(l.URL, "http://")}
	for _, fill := range e.fills() {
		if err := fill(ctx); err != nil {
			return fmt.Errorf("exhaust: %w", err)
		}
	}
	type attack struct {
		name string
		do   func(ctx context.Context)
	}
	attacks := []attack{
		{fmt.Sprint(o.snapshots(), " unread snapshots"), func(ctx context.Context) { e.unread(ctx, o.snapshots(), "GET", "", "") }},
		{fmt.Sprint(o.streams, " unread views"), func(ctx context.Context) { e.unread(ctx, o.streams, "GET", "/events", "") }},
		{"both, and as many huge answers", func(ctx context.Context) { e.mix(ctx) }},
	}
	for _, r := range e.routes() {
		attacks = append(attacks, attack{fmt.Sprint(fullParallel, " at once: ", r.name), func(ctx context.Context) { e.repeat(ctx, r) }})
	}
	t := newTable(out, "what one key does", "answered with", "memory before", "at most", "after", "good conversations", "median, alone", "during it", "ratio")
	var faults []error
	for _, a := range attacks {
		if !strings.Contains(a.name, o.only) {
			continue
		}
		if err := e.alongside(ctx, a.name, a.do, t); err != nil {
			faults = append(faults, fmt.Errorf("exhaust: %s: %w", a.name, err))
		}
		if _, err := l.held(); err != nil || ctx.Err() != nil {
			break
		}
	}
	t.end()
	return errors.Join(faults...)
}

func (o *hostileOptions) snapshots() int { return max(10, o.streams*150/4000) }

// say sends a message and reads its run to the end.
func (e *exhaustion) say(ctx context.Context, key, chat, message string) error {
	resp, err := request(ctx, "POST", chatURL(e.life.URL, appTalk, chat)+"/messages", fmt.Sprintf(`{"message":%s}`, strconv.Quote(message)),
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

// answered returns the statuses of the attacker's responses.
func (e *exhaustion) answered() string {
	var list []string
	e.answers.Range(func(status, n any) bool {
		list = append(list, fmt.Sprintf("%s: %d", status, n.(*atomic.Int64).Load()))
		return true
	})
	slices.SortFunc(list, cmp.Compare[string])
	return strings.Join(list, ", ")
}

// unread sends that many requests about the large chat, reads only the status of their responses,
// and leaves when the attack is over.
func (e *exhaustion) unread(ctx context.Context, n int, method, path, body string) {
	var all sync.WaitGroup
	for range n {
		e.asked.Add(1)
		answered := sync.OnceFunc(func() { e.done.Add(1) })
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
			go func() { _, _ = io.WriteString(conn, raw+"\r\n"+body) }() // it may be refused before it has sent everything
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

// mix is everything at once: snapshots, views, more for them to see, and answers of a megabyte.
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
