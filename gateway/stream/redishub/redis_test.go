package redishub_test

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/stream/redishub"
)

// onRedis runs a test against the server that ASKGATE_TEST_REDIS names; .ci/run demands it.
func onRedis(t *testing.T, test func(t *testing.T, server string)) {
	if server := os.Getenv("ASKGATE_TEST_REDIS"); server != "" {
		test(t, server)
		return
	}
	t.Log("Redis is left out: ASKGATE_TEST_REDIS is not set")
}

// ownPrefix is of this test's keys, which are deleted at its end.
func ownPrefix(t testing.TB, server string) string {
	t.Helper()
	prefix := "askgate-test-" + rand.Text() + ":"
	options, err := redis.ParseURL(server)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() {
		defer client.Close()
		keys := client.Scan(context.Background(), 0, prefix+"*", 1000).Iterator()
		for keys.Next(context.Background()) {
			client.Del(context.Background(), keys.Val())
		}
		if err := keys.Err(); err != nil {
			t.Error(err)
		}
	})
	return prefix
}

func open(t testing.TB, server, prefix string) *redishub.Hub {
	t.Helper()
	h, err := redishub.Open(context.Background(), redishub.Options{
		URL: server, Prefix: prefix, Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// proxy stands between a hub and Redis, and can be cut.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	cut   bool
	mute  bool
	conns map[net.Conn]struct{}
}

func newProxy(t *testing.T, server string) (p *proxy, through string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p = &proxy{server: u.Host, conns: map[net.Conn]struct{}{}}
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

func (p *proxy) accept(wg *sync.WaitGroup) {
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
		wg.Go(func() { p.pass(in, out) })
		wg.Go(func() { p.pass(out, in) })
	}
}

func (p *proxy) keep(conns ...net.Conn) bool {
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

func (p *proxy) pass(to io.WriteCloser, from net.Conn) {
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
func (p *proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// Mute swallows what is sent, without a word.
func (p *proxy) Mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = true
}

// Heal lets new connections through.
func (p *proxy) Heal() {
	p.Cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.mute = false, false
}
