package outgoing_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/askgate/askgate/tools/outgoing"
)

// names is a DNS server that answers every question with its current address.
type names struct {
	mu   sync.Mutex
	addr netip.Addr
}

func (n *names) lead(to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addr = netip.MustParseAddr(to)
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			for n.answer(server) == nil { // until the resolver hangs up
			}
		}()
		return client, nil
	}}
}

// answer serves one message in DNS's framing for streams.
func (n *names) answer(conn net.Conn) error {
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return err
	}
	raw := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, raw); err != nil {
		return err
	}
	var m dnsmessage.Message
	if err := m.Unpack(raw); err != nil {
		return err
	}
	n.mu.Lock()
	addr := n.addr
	n.mu.Unlock()
	m.Response, m.Additionals = true, nil
	header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET}
	switch m.Questions[0].Type {
	case dnsmessage.TypeA:
		if addr.Is4() {
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}}}
		}
	case dnsmessage.TypeAAAA:
		if addr.Is6() {
			m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}}}
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return err
	}
	_, err = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))), packed...))
	return err
}

// at returns the server's address with another host.
func at(t *testing.T, server *httptest.Server, host string) *url.URL {
	t.Helper()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = net.JoinHostPort(host, u.Port())
	return u
}

func client(t *testing.T, target *url.URL, o outgoing.Options) *http.Client {
	t.Helper()
	c, err := outgoing.New(target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

func get(t *testing.T, c *http.Client, to string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func refused(err error) bool {
	var r *outgoing.RefusedError
	return errors.As(err, &r)
}

// counted is a server on loopback that counts requests.
func counted(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n.Add(1)
		w.Header().Set("Connection", "close") // each request resolves the name again
		io.WriteString(w, "here")
	}))
	t.Cleanup(server.Close)
	return server, &n
}

func TestWhatTheAdminWroteIsTrusted(t *testing.T) {
	server, _ := counted(t)
	for _, host := range []string{"127.0.0.1", "localhost", "::ffff:127.0.0.1"} {
		if _, body, err := get(t, client(t, at(t, server, host), outgoing.Options{}), at(t, server, host).String()); err != nil || body != "here" {
			t.Errorf("%s: %q %v", host, body, err)
		}
	}
}

func TestNameOfTheInsideLeadsInside(t *testing.T) {
	server, _ := counted(t)
	var dns names
	dns.lead("127.0.0.1")
	target := at(t, server, "terms.corp")
	if _, body, err := get(t, client(t, target, outgoing.Options{Resolver: dns.resolver()}), target.String()); err != nil || body != "here" {
		t.Errorf("%q %v", body, err)
	}
}

// DNS rebinding: the answer changes after the address was configured and used.
func TestNamesDoNotLeadElsewhereWhateverDNSSays(t *testing.T) {
	server, reached := counted(t)
	var dns names
	target := at(t, server, "terms.example.com")
	private := client(t, target, outgoing.Options{Resolver: dns.resolver(), AllowPrivate: true})
	dns.lead("127.0.0.1")
	if _, _, err := get(t, private, target.String()); err != nil {
		t.Fatal(err)
	}
	for _, elsewhere := range []string{"169.254.169.254", "fd00:ec2::254", "fe80::1", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "::ffff:169.254.169.254", "100.100.100.200"} {
		dns.lead(elsewhere)
		if _, _, err := get(t, private, target.String()); !refused(err) || strings.Contains(err.Error(), "allowPrivate") {
			t.Errorf("allowed private, leads to %s: %v", elsewhere, err)
		}
	}
	before := reached.Load()
	public := client(t, target, outgoing.Options{Resolver: dns.resolver()})
	for _, elsewhere := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "100.64.0.1", "169.254.169.254", "fd00::1"} {
		dns.lead(elsewhere)
		if _, _, err := get(t, public, target.String()); !refused(err) {
			t.Errorf("public, leads to %s: %v", elsewhere, err)
		}
	}
	if n := reached.Load(); n != before {
		t.Errorf("%d requests reached a private server under a public name", n-before)
	}
	dns.lead("10.0.0.1")
	if _, _, err := get(t, public, target.String()); err == nil || !strings.Contains(err.Error(), `"allowPrivate": true`) {
		t.Errorf("the error lacks the fix: %v", err)
	}
}

func TestAddressesByHost(t *testing.T) {
	public := []string{"1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"}
	inside := []string{
		"127.0.0.1", "127.8.9.1", "::1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fc00::1", "fdff::1", "::ffff:10.0.0.1",
	}
	never := []string{
		"0.0.0.0", "0.1.2.3", "::", "169.254.169.254", "169.254.1.1", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "192.0.0.192",
		"168.63.129.16", "224.0.0.1", "239.1.1.1", "ff02::1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
		"2001:db8::1", "2001::1", "2002:7f00:1::", "3fff::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "fec0::1", "::127.0.0.1", "5f00::1",
	}
	for _, c := range []struct {
		host    string
		private bool
		inside  bool
	}{
		{"terms.example.com", false, false},
		{"terms.example.com.", false, false},
		{"localhost.example.com", false, false},
		{"internal.example", false, false},
		{"terms.example.com", true, true},
		{"terms", false, true},
		{"localhost", false, true},
		{"localhost.", false, true},
		{"terms.svc.cluster.local", false, true},
		{"metadata.google.internal", false, true},
		{"terms.tools.svc", false, true},
		{"nas.home.arpa", false, true},
	} {
		check := func(list []string, want bool) {
			for _, addr := range list {
				if got := outgoing.MayLead(c.host, c.private, netip.MustParseAddr(addr)); got != want {
					t.Errorf("%s (allowPrivate %v) to %s: %v", c.host, c.private, addr, got)
				}
			}
		}
		check(public, true)
		check(inside, c.inside)
		check(never, false)
	}
}

func TestRedirectsStayAtTheOrigin(t *testing.T) {
	other, reached := counted(t)
	var server *httptest.Server
	var hops atomic.Int64
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hops.Add(1)
		if r.URL.Path == "/end" {
			io.WriteString(w, "end of "+r.Header.Get("Authorization"))
			return
		}
		w.Header().Set("Location", r.URL.Query().Get("to"))
		if r.URL.Path == "/loop" {
			w.Header().Set("Location", "/loop")
		}
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(server.Close)
	home := at(t, server, "127.0.0.1")
	c := client(t, home, outgoing.Options{})
	for to, followed := range map[string]bool{
		"/end":                       true,
		"end":                        true,
		server.URL + "/end":          true,
		"//" + home.Host + "/end":    true,
		"//" + home.Host + "/../end": true,
		other.URL + "/end":           false,
		"//" + at(t, other, "127.0.0.1").Host + "/end":                        false,
		at(t, server, "localhost").String() + "/end":                          false,
		"https://" + home.Host + "/end":                                       false,
		"http://user:pass@" + home.Host + "/end":                              false,
		"http://" + home.Host + "@" + at(t, other, "127.0.0.1").Host + "/end": false,
		"http://[::ffff:127.0.0.1]:" + home.Port() + "/end":                   false,
		"http://127.1:" + home.Port() + "/end":                                false,
		"file:///etc/passwd":                                                  false,
	} {
		resp, body, err := get(t, c, server.URL+"/?to="+url.QueryEscape(to))
		switch {
		case err != nil:
			t.Errorf("%s: %v", to, err)
		case followed && body != "end of ":
			t.Errorf("%s: %s %q", to, resp.Status, body)
		case !followed && resp.StatusCode != http.StatusFound && resp.StatusCode != http.StatusOK:
			t.Errorf("%s: %s", to, resp.Status)
		case !followed && strings.HasPrefix(body, "end of "):
			t.Errorf("%s was followed", to)
		}
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("%d requests reached another server", n)
	}
	hops.Store(0)
	if resp, _, err := get(t, c, server.URL+"/?to="); err != nil || resp.StatusCode != http.StatusFound || hops.Load() != 1 {
		t.Errorf("a redirect to nowhere: %v after %d requests: %v", resp, hops.Load(), err)
	}
	hops.Store(0)
	if resp, _, err := get(t, c, server.URL+"/loop"); err != nil || resp.StatusCode != http.StatusFound || hops.Load() != 4 {
		t.Errorf("a loop: %v after %d requests: %v", resp, hops.Load(), err)
	}
}

// The client refuses other destinations in every use, for any address that a response contained.
func TestRequestsStayAtTheOrigin(t *testing.T) {
	server, reached := counted(t)
	home := at(t, server, "127.0.0.1")
	c := client(t, home, outgoing.Options{})
	for _, to := range []string{
		at(t, server, "localhost").String(), "https://" + home.Host, "http://127.0.0.1:1", "http://user@" + home.Host, "http://169.254.169.254/latest/meta-data/",
	} {
		if _, _, err := get(t, c, to); !refused(err) {
			t.Errorf("%s: %v", to, err)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, home.String(), nil)
	req.Host = "other.example.com"
	if resp, err := c.Do(req); !refused(err) {
		t.Errorf("another virtual host: %v %v", resp, err)
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestTargetsThatAreNone(t *testing.T) {
	for _, target := range []string{
		"ftp://h", "/path", "http://", "http://h:0", "http://h:65536", "http://user:pass@h", "http://user@h",
		"http://2130706433", "http://0x7f000001", "http://0x7f.1", "http://0177.0.0.1", "http://127.1", "http://127.0.0.1.", "http://h.0x7f", "http://1.2.3.4.5", "http://256.1.1.1",
		"http://h..x", "http://.h", "http://h%C3%BC", "http://hü", "http://[::1].x", "http://a,b", "http://" + strings.Repeat("a.", 127) + "a",
	} {
		u, err := url.Parse(target)
		if err != nil {
			continue // not an address
		}
		if _, err := outgoing.New(u, outgoing.Options{}); err == nil {
			t.Errorf("%s is accepted", target)
		} else if strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: the error shows a password: %v", target, err)
		}
	}
	for _, target := range []string{"http://h", "https://H.example.com.:8443/x?y", "http://[::1]:80", "http://[fe80::1%25eth0]", "http://my_service:1", "http://10.0.0.1"} {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := outgoing.New(u, outgoing.Options{}); err != nil {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestBodiesAndHeadersAreBounded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/header" {
			w.Header().Set("X-Long", strings.Repeat("x", 1<<20))
		}
		io.WriteString(w, strings.Repeat("x", 100))
	}))
	t.Cleanup(server.Close)
	for limit, long := range map[int64]bool{0: false, 99: true, 100: false, 1: true} {
		_, body, err := get(t, client(t, at(t, server, "127.0.0.1"), outgoing.Options{MaxBody: limit}), server.URL)
		if want := min(limit, 100); errors.Is(err, outgoing.ErrTooLong) != long || limit > 0 && len(body) != int(want) {
			t.Errorf("limit %d: %d bytes, %v", limit, len(body), err)
		}
	}
	if _, _, err := get(t, client(t, at(t, server, "127.0.0.1"), outgoing.Options{}), server.URL+"/header"); err == nil {
		t.Error("a header of 1 MiB is accepted")
	}
}

func TestCertificatesAreVerified(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	if _, _, err := get(t, client(t, at(t, server, "127.0.0.1"), outgoing.Options{}), server.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

// TestMain sets a proxy that does not exist, before net/http reads the setting, which it does
// once: requests that use it fail. Loopback is always exempt, so the test uses another name.
func TestMain(m *testing.M) {
	os.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	os.Exit(m.Run())
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	server, _ := counted(t)
	var dns names
	dns.lead("127.0.0.1")
	target := at(t, server, "terms.lan")
	if _, body, err := get(t, client(t, target, outgoing.Options{Resolver: dns.resolver()}), target.String()); err != nil || body != "here" {
		t.Errorf("%q %v", body, err)
	}
}

// For any Location of a server, only the origin gets requests.
func FuzzRedirect(f *testing.F) {
	for _, to := range []string{"/x", "//h", "http:h", "http://user@h", "\\\\h", "http://127.0.0.1:1@h", "javascript:1", "http://[::1", "%00", "?", "\thttp://h"} {
		f.Add(to)
	}
	home, _ := url.Parse("http://terms.example.com:8080/v1")
	c, err := outgoing.New(home, outgoing.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, to string) {
		next, err := home.Parse(to)
		if err != nil {
			return
		}
		req := &http.Request{URL: next}
		if c.CheckRedirect(req, []*http.Request{{URL: home}}) == nil {
			if !strings.EqualFold(next.Hostname(), "terms.example.com") || next.Port() != "8080" || next.Scheme != "http" || next.User != nil {
				t.Errorf("%q leads to %s", to, next)
			}
		}
	})
}
