package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"sync"
	"time"
)

// link is a proxy between gateways and PostgreSQL. It recognizes commits, and disturbs some of them
// as planned; hold stops all bytes. It is safe for concurrent use.
type link struct {
	net.Listener
	server string

	mu      sync.Mutex
	conns   map[net.Conn]bool
	plan    []disturbance
	wait    int           // commits until the next disturbance
	refuses time.Time     // until then no connection gets through
	still   chan struct{} // closed when bytes pass again; nil: they do
	hits    map[string]int
}

// disturbance is what happens to a commit.
type disturbance struct {
	kind string
	n    int           // which commit, counted from the previous one
	long time.Duration // for those that last
}

func (d disturbance) String() string {
	if d.long > 0 {
		return fmt.Sprintf("%s:%d+%s", d.kind, d.n, d.long)
	}
	return fmt.Sprintf("%s:%d", d.kind, d.n)
}

// The kinds of disturbances. All but the first hit the reply to a commit that was made.
const (
	dropCommit   = "commit dropped"  // it never reaches the server, and its connection breaks
	loseReply    = "reply lost"      // with its connection
	swallowReply = "reply swallowed" // its connection stays, and is silent
	delayReply   = "reply delayed"
	cutStore     = "store cut"  // with all connections; the server is unreachable for some time
	holdStore    = "store held" // nothing passes for some time, and then everything
)

// disturbances are drawn from this list; a reply that is swallowed costs the gateway's whole
// patience.
var disturbances = []string{
	dropCommit, dropCommit, loseReply, loseReply, loseReply, loseReply, loseReply, loseReply, swallowReply, delayReply, delayReply, cutStore, cutStore, holdStore, holdStore,
}

// The maximum duration of disturbances. The store is back within the ten seconds that a run waits,
// and is not silent for so long that leases lapse.
const (
	longestDelay = 2 * time.Second
	longestCut   = 6 * time.Second
	longestHold  = 3 * time.Second
)

// disturb is a plan of that many disturbances, each within the given number of commits after the
// previous one.
func disturb(n, within int, luck *rand.Rand) []disturbance {
	var plan []disturbance
	longest := map[string]time.Duration{delayReply: longestDelay, cutStore: longestCut, holdStore: longestHold}
	for range n {
		d := disturbance{kind: disturbances[luck.IntN(len(disturbances))], n: 1 + luck.IntN(within)}
		if most := longest[d.kind]; most > 0 {
			d.long = time.Duration(luck.Int64N(int64(most))).Round(time.Millisecond)
		}
		plan = append(plan, d)
	}
	return plan
}

// newLink returns a link to the server of a store's URL, and the URL through it.
func newLink(store string) (*link, string, error) {
	u, err := url.Parse(store)
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	l := &link{Listener: listener, server: u.Host, conns: map[net.Conn]bool{}, hits: map[string]int{}}
	go l.serve()
	u.Host = listener.Addr().String()
	q := u.Query()
	q.Set("sslmode", "disable") // it reads along
	u.RawQuery = q.Encode()
	return l, u.String(), nil
}

// begin carries out a plan from now on.
func (l *link) begin(plan []disturbance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.plan = plan
	if len(plan) > 0 {
		l.wait = plan[0].n
	}
}

// happened counts the disturbances carried out, by kind.
func (l *link) happened() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hits
}

// close ends all connections.
func (l *link) close() {
	_ = l.Close()
	l.cut(time.Hour)
}

func (l *link) serve() {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go l.connect(client)
	}
}

// connect passes bytes on between a client and the server until one of them, or the link, ends it.
func (l *link) connect(client net.Conn) {
	defer l.drop(client)
	if !l.keep(client) {
		return
	}
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", l.server)
	if err != nil {
		return
	}
	defer l.drop(server)
	if !l.keep(server) {
		return
	}
	ended := make(chan struct{}, 2)
	for _, pass := range []func(){
		func() { l.pass(client, server, true, requested()) },
		func() { l.pass(server, client, false, replied) },
	} {
		go func() {
			pass()
			ended <- struct{}{}
		}()
	}
	<-ended
}

// pass forwards messages, and lets the plan decide about each message for which commits returns
// true. A client's first message, its startup, has no type.
func (l *link) pass(from, to net.Conn, client bool, commits func(kind byte, body []byte) bool) {
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	for startup := client; ; startup = false {
		kind, message, err := readMessage(in, startup)
		if err != nil {
			return
		}
		if commits(kind, message[min(5, len(message)):]) {
			switch l.commit(client) { // what was read before it is of the same transaction
			case breaks:
				return
			case falls:
				_, _ = io.Copy(io.Discard, in) // until the connection ends
				return
			}
		}
		l.held() // first: a long message is not buffered
		if _, err := out.Write(message); err != nil {
			return
		}
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

// readMessage reads a message of PostgreSQL's protocol: a type, but for the startup, and a length
// that counts itself.
func readMessage(in *bufio.Reader, startup bool) (kind byte, message []byte, err error) {
	head := make([]byte, 5)
	if startup {
		head = head[1:]
	}
	if _, err := io.ReadFull(in, head); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[len(head)-4:])
	if size < 4 || size > 1<<30 {
		return 0, nil, fmt.Errorf("a message of %d bytes", size)
	}
	message = slices.Concat(head, make([]byte, size-4))
	_, err = io.ReadFull(in, message[len(head):])
	if startup {
		return 0, message, err
	}
	return head[0], message, err
}

// replied recognizes the server's reply to a commit.
func replied(kind byte, body []byte) bool { return kind == 'C' && string(body) == "COMMIT\x00" }

// requested recognizes a client's commit: a Bind of a statement that was parsed as one.
func requested() func(kind byte, body []byte) bool {
	prepared := map[string]bool{}
	return func(kind byte, body []byte) bool {
		fields := bytes.SplitN(body, []byte{0}, 3)
		switch {
		case kind == 'P' && len(fields) == 3: // name, text
			prepared[string(fields[0])] = string(fields[1]) == "COMMIT"
		case kind == 'B' && len(fields) == 3: // portal, name
			return prepared[string(fields[1])]
		}
		return false
	}
}

// fate is what happens to a connection with a commit.
type fate int

const (
	passes fate = iota
	breaks
	falls // silent
)

// commit applies the next planned fault to a commit: if sent, as the client sends it, else as its
// reply arrives.
func (l *link) commit(sent bool) fate {
	l.mu.Lock()
	if len(l.plan) == 0 || sent != (l.plan[0].kind == dropCommit) {
		l.mu.Unlock()
		return passes
	}
	if l.wait--; l.wait > 0 {
		l.mu.Unlock()
		return passes
	}
	d := l.plan[0]
	l.plan = l.plan[1:]
	if len(l.plan) > 0 {
		l.wait = l.plan[0].n
	}
	l.hits[d.kind]++
	l.mu.Unlock()
	switch d.kind {
	case delayReply:
		time.Sleep(d.long)
		return passes
	case holdStore:
		l.hold(d.long)
		return passes
	case swallowReply:
		return falls
	case cutStore:
		l.cut(d.long)
	}
	return breaks
}

// hold lets nothing pass for some time.
func (l *link) hold(long time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.still != nil {
		return
	}
	still := make(chan struct{})
	l.still = still
	time.AfterFunc(long, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.still = nil
		close(still)
	})
}

// held waits until bytes pass.
func (l *link) held() {
	l.mu.Lock()
	still := l.still
	l.mu.Unlock()
	if still != nil {
		<-still
	}
}

// cut ends all connections and lets none through for some time.
func (l *link) cut(long time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuses = time.Now().Add(long)
	for c := range l.conns {
		_ = c.Close()
	}
}

func (l *link) keep(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = true
	return time.Now().After(l.refuses)
}

func (l *link) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = c.Close()
	delete(l.conns, c)
}
