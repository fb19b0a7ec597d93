package sqldb_test

import (
	"bytes"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy sits between a store and its server, and can be cut.
type proxy struct {
	net.Listener
	server string

	mu    sync.Mutex
	conns map[net.Conn]bool
	down  bool
	sent  int  // bytes from the store
	limit int  // of sent, after which the proxy is cut; 0 for none
	stays bool // after the limit, only the old connections are cut
	lose  int  // number of replies to a commit to lose, with their connections
	gone  bool // the server is unreachable once such a reply is lost
}

// startProxy returns the URL of a store through a proxy.
func startProxy(t *testing.T, store string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(store)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: listener, server: u.Host, conns: make(map[net.Conn]bool)}
	u.Host = listener.Addr().String()
	params := u.Query()
	params.Set("sslmode", "disable") // so that the test can read along
	u.RawQuery = params.Encode()
	var served sync.WaitGroup
	served.Go(func() { p.serve(&served) })
	t.Cleanup(func() {
		listener.Close()
		p.cut()
		served.Wait()
	})
	return p, u.String()
}

func (p *proxy) serve(served *sync.WaitGroup) {
	for {
		client, err := p.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil || !p.keep(client, server) {
			client.Close()
			continue
		}
		served.Go(func() { defer p.drop(client, server); p.forward(server, client) })
		served.Go(func() { defer p.drop(client, server); p.reply(client, server) })
	}
}

// forward passes on what the store sends, up to the limit.
func (p *proxy) forward(server, client net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		n, last := p.count(n)
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
		if last {
			p.breaks()
			return
		}
	}
}

// committed is PostgreSQL's reply to a COMMIT.
var committed = []byte("C\x00\x00\x00\x0bCOMMIT\x00")

// reply passes on what the server sends, up to a reply that is to be lost.
func (p *proxy) reply(client, server net.Conn) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		if err != nil || bytes.Contains(buffer[:n], committed) && p.loses() {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// loseReplies loses the next replies to a commit; gone: the server cannot be reached then.
func (p *proxy) loseReplies(n int, gone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lose, p.gone = n, gone
}

// losing returns the number of replies still to be lost.
func (p *proxy) losing() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lose
}

func (p *proxy) loses() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lose == 0 {
		return false
	}
	p.lose--
	p.down = p.down || p.gone
	return true
}

func (p *proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.conns[c] = true
		if p.down {
			c.Close()
		}
	}
	return !p.down
}

func (p *proxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		c.Close()
		delete(p.conns, c)
	}
}

// cut ends all connections and lets no new one through.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(false)
}

// breaks ends all connections; if the server stays reachable, new ones get through, from the moment
// at which a client can notice.
func (p *proxy) breaks() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end(p.stays)
}

// end ends all connections. The caller holds mu.
func (p *proxy) end(stays bool) {
	if p.down = !stays; stays {
		p.limit = 0
	}
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.limit = false, 0
}

// count returns how many of n bytes may pass, and whether they are the last ones.
func (p *proxy) count(n int) (allowed int, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit > 0 && p.sent+n >= p.limit {
		n, last = p.limit-p.sent, true
	}
	p.sent += n
	return n, last
}

// cutAfter lets that many bytes through, at least one, and then cuts; if the server stays, new
// connections get through. It returns the number of bytes passed so far.
func (p *proxy) cutAfter(bytes int, stays bool) (sent int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit, p.stays = p.sent+bytes, stays
	return p.sent
}

func (p *proxy) passed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}
