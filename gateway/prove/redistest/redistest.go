// Package redistest is for tests that need Redis: it provides the server, key names of the test's
// own, and a connection that can be cut.
package redistest

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/redisconn"
)

// Run runs a test or benchmark with the URL of the tests' server; see testenv.Redis.
func Run[T testing.TB](t T, test func(t T, server string)) {
	t.Helper()
	test(t, testenv.Redis(t))
}

// Prefix returns the prefix of this test's own keys, which are deleted at its end.
func Prefix(t testing.TB, server string) string {
	t.Helper()
	prefix := "askgate-test-" + rand.Text() + ":"
	client := Client(t, server)
	ctx := context.WithoutCancel(t.Context())
	t.Cleanup(func() {
		parts, err := client.Spread(ctx, prefix)
		if err != nil {
			t.Error(err)
		}
		for _, part := range parts {
			for _, pattern := range []string{prefix + "*", "rate:" + prefix + "*"} { // redis_rate has its own prefix
				keys := part.Server.Scan(ctx, 0, pattern, 1000).Iterator()
				for keys.Next(ctx) {
					part.Server.Del(ctx, keys.Val())
				}
				if err := keys.Err(); err != nil {
					t.Error(err)
				}
			}
		}
	})
	return prefix
}

// Client talks to the server until the test ends.
func Client(t testing.TB, server string) *redisconn.Client {
	t.Helper()
	client, err := redisconn.Open(server, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Proxy is a TCP proxy between the code under test and Redis that can be cut.
type Proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	cut   bool
	mute  bool
	conns map[net.Conn]struct{}
	hold  bool
	kept  []parcel // while hold
}

// parcel is what is under way to Redis.
type parcel struct {
	to   io.Writer
	data []byte
}

// NewProxy starts a proxy to the server at a URL, and returns the proxy's own URL as well. It stops
// when the test ends.
func NewProxy(t testing.TB, server string) (p *Proxy, through string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p = &Proxy{server: u.Host, conns: map[net.Conn]struct{}{}}
	if p.listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { p.accept(&wg) })
	t.Cleanup(func() {
		p.listener.Close()
		p.Cut()
		wg.Wait()
	})
	u.Host = p.listener.Addr().String()
	return p, u.String()
}

func (p *Proxy) accept(wg *sync.WaitGroup) {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		out, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.server)
		if err != nil {
			in.Close()
			continue
		}
		if !p.keep(in, out) {
			continue
		}
		wg.Go(func() { p.pass(in, out, false) })
		wg.Go(func() { p.pass(out, in, true) })
	}
}

func (p *Proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		if p.cut {
			c.Close()
			continue
		}
		p.conns[c] = struct{}{}
	}
	return !p.cut
}

func (p *Proxy) pass(to io.WriteCloser, from net.Conn, toRedis bool) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		mute := p.mute
		if p.hold && toRedis {
			p.kept = append(p.kept, parcel{to, slices.Clone(buf[:n])})
			p.mu.Unlock()
			continue
		}
		p.mu.Unlock()
		if mute { // like a network that swallows packets
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// Cut ends all connections and refuses new ones.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// Mute drops what is sent, without closing connections.
func (p *Proxy) Mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = true
}

// Hold keeps what is sent to Redis until Release. What Redis sends arrives.
func (p *Proxy) Hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = true
}

// Held waits until a text is among what is kept.
func (p *Proxy) Held(t testing.TB, text string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		p.mu.Lock()
		there := slices.ContainsFunc(p.kept, func(k parcel) bool { return bytes.Contains(k.data, []byte(text)) })
		p.mu.Unlock()
		if there {
			return
		}
	}
	t.Fatalf("nothing with %q was sent to Redis", text)
}

// Release delivers what was kept.
func (p *Proxy) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hold = false
	for _, k := range p.kept {
		_, _ = k.to.Write(k.data)
	}
	p.kept = nil
}

// Heal lets new connections through.
func (p *Proxy) Heal() {
	p.Cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.mute = false, false
}
