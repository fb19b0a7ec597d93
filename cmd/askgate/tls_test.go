package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/model/modeltest"
	"github.com/askgate/askgate/gateway/sse"
)

// pairFor creates a certificate with a name for 127.0.0.1, as PEM, and a pool that trusts it.
func pairFor(t *testing.T, name string) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(encode("CERTIFICATE", der)))
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", pkcs8), roots
}

// secured runs a gateway with a certificate. Its client speaks HTTP/2, over as few
// connections as it can; dials counts them.
func secured(t *testing.T, model string, files map[string]string) (p *process, dials *atomic.Int64) {
	t.Helper()
	cert, key, roots := pairFor(t, "first.example")
	files["tls.crt"], files["tls.key"] = cert, key
	files["gateway.json"] = `{"tls": {"cert": "tls.crt", "key": "tls.key"}, "limits": {"requestsPerMinute": 0, "concurrentTurns": 0, "streams": 0}}`
	p = start(t, model, files)
	dials = new(atomic.Int64)
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true,
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10, MaxReceiveBufferPerConnection: 8 << 20},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials.Add(1)
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	p.client = &http.Client{Transport: transport}
	return p, dials
}

// A question is asked and answered over HTTP/2, with two hundred viewers on the
// same connection.
func TestAQuestionOverHTTP2(t *testing.T) {
	model := modeltest.New(t, modeltest.Ask("call_1", `{"question":"Which?","options":["a","b"]}`), modeltest.Answer("Done."))
	p, dials := secured(t, model.URL, map[string]string{
		"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": ["ask_user"]}`,
		"tools.json":       `[{"id": "ask_user", "type": "ask_user"}]`,
	})
	if !strings.HasPrefix(p.url, "https://") {
		t.Fatal(p.url)
	}
	if got := names(p.send("helper", "c1", `{"message":"hi"}`)); !strings.HasSuffix(got, "clarification done") {
		t.Fatal(got)
	}
	const viewers = 200
	var all sync.WaitGroup
	for range viewers {
		viewer := p.do("GET", "/v1/apps/helper/chats/c1/events", "")
		if viewer.ProtoMajor != 2 || viewer.Header.Get("Connection") != "" {
			t.Fatalf("%s %v", viewer.Proto, viewer.Header)
		}
		all.Go(func() {
			for ev, err := range sse.Read(viewer.Body) {
				if err != nil {
					t.Error(err)
					return
				}
				if ev.Name == "done" && strings.Contains(string(ev.Data), `"stop"`) {
					return
				}
			}
			t.Error("a viewer's stream ended without a done")
		})
	}
	if got := names(p.send("helper", "c1", `{"answer":{"value":"b"}}`)); !strings.HasPrefix(got, "turn.start clarification.resolved") || !strings.HasSuffix(got, "done") {
		t.Error(got)
	}
	all.Wait()
	if n := dials.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func names(list []sse.Event) string {
	var all []string
	for _, ev := range list {
		all = append(all, ev.Name)
	}
	return strings.Join(all, " ")
}

// Of three streams on one connection, one is never read. The others get
// everything.
func TestASlowStreamDoesNotStallItsConnection(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	response := modeltest.Response{{Text: "first"}}
	for range 100 {
		response = append(response, modeltest.Step{Text: strings.Repeat("x", 32<<10)})
	}
	response = append(response, modeltest.Finish("stop"), modeltest.Done())
	model := modeltest.NewFunc(t, func(int, modeltest.Request) modeltest.Response {
		<-begin
		return response
	})
	p, dials := secured(t, model.URL, map[string]string{"apps/helper.json": `{"id": "helper", "name": "Helper", "tools": []}`})
	posted := p.do("POST", "/v1/apps/helper/chats/c1/messages", `{"message":"go"}`) // and not read
	viewer := p.do("GET", "/v1/apps/helper/chats/c1/events", "")
	close(begin)
	chunks, done := 0, false
	for ev, err := range sse.Read(viewer.Body) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Name == "chunk" {
			chunks++
		}
		if done = ev.Name == "done"; done {
			break
		}
	}
	if !done || chunks != 101 || dials.Load() != 1 || posted.ProtoMajor != 2 {
		t.Errorf("done %t, %d chunks, %d connections, %s", done, chunks, dials.Load(), posted.Proto)
	}
	if got := p.do("GET", "/v1/apps", "").StatusCode; got != http.StatusOK {
		t.Errorf("the connection after it: %d", got)
	}
}

// A certificate is renewed while streams are open: new clients get the new one.
func TestACertificateIsRenewedWhileStreamsAreOpen(t *testing.T) {
	t.Parallel()
	p, _ := secured(t, "", map[string]string{})
	if got := p.do("GET", "/v1/apps", "").StatusCode; got != 200 {
		t.Fatal(got)
	}
	p.send("assistant", "c1", `{"message":"select"}`)
	viewer := p.do("GET", "/v1/apps/assistant/chats/c1/events", "")
	cert, key, _ := pairFor(t, "renewed.example")
	for name, text := range map[string]string{"tls.crt": cert, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(p.url, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].Subject.CommonName == "renewed.example"
	})
	p.do("DELETE", "/v1/apps/assistant/chats/c1", "") // ends the old connection's stream
	for _, err := range sse.Read(viewer.Body) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TLS before 1.2 is refused, and plain HTTP gets an error that names HTTPS.
func TestOldAndPlainClientsAreRefused(t *testing.T) {
	p, _ := secured(t, "", map[string]string{})
	address := strings.TrimPrefix(p.url, "https://")
	if _, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	resp, err := http.Get("http://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("HTTP: %d", resp.StatusCode)
	}
}

func TestOperatorsSeeWhenTheCertificateExpires(t *testing.T) {
	p, _ := secured(t, "", map[string]string{})
	m := regexp.MustCompile(`(?m)^askgate_tls_certificate_expires_timestamp_seconds (\S+)$`).FindStringSubmatch(p.body("GET", "/metrics", ""))
	if m == nil {
		t.Fatal("it is not told")
	}
	at, err := strconv.ParseFloat(m[1], 64)
	if left := time.Until(time.Unix(int64(at), 0)); err != nil || left <= 0 || left > time.Hour {
		t.Errorf("%s: in %v, %v", m[1], left, err)
	}
	if plain := start(t, "", nil); strings.Contains(plain.body("GET", "/metrics", ""), "askgate_tls_") {
		t.Error("without a certificate there is an end of it")
	}
}

func TestHealthOverTLS(t *testing.T) {
	p, _ := secured(t, "", map[string]string{})
	if code, _, stderr := command(t, "health", p.url+"/healthz"); code != 0 {
		t.Errorf("exit %d: %s", code, stderr)
	}
	code, stdout, _ := command(t, "doctor", p.url)
	if code != 1 || !strings.Contains(stdout, "certificate signed by unknown authority") { // no authority has signed it
		t.Errorf("exit %d: %s", code, stdout)
	}
}
