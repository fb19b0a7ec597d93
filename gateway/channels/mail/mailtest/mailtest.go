// Package mailtest is an SMTP server for tests, of a library that others wrote, and reads what it got.
package mailtest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Options say how a server behaves. The zero Options take every message, without encryption.
type Options struct {
	TLS        *tls.Certificate // for STARTTLS or, with Implicit, from the start; nil: none
	Implicit   bool
	User       string // who must sign in; "": no one
	Password   string
	Mechanisms []string // to sign in; nil: PLAIN

	// Each is called before the server accepts a part of a message; its error is the reply, such as an
	// *smtp.SMTPError. nil: all are accepted.
	Mail func(from string) error
	Rcpt func(to string) error
	Data func(c *smtp.Conn) error
}

// Error returns a reply. The words are what a server might say, with the address of a person.
func Error(code int, enhanced smtp.EnhancedCode) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: enhanced, Message: "words about alice@example.org"}
}

// Got is a message as the server got it.
type Got struct {
	From      string
	To        []string
	User      string // who signed in
	Encrypted bool
	UTF8      bool // the client asked for SMTPUTF8
	Raw       string
}

// Server is a running server.
type Server struct {
	Address string // 127.0.0.1:PORT
	Port    string
	Got     chan Got
}

// New starts a server, which ends with the test. A client that sends more than the 1,000 messages
// that Got has room for waits.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{Got: make(chan Got, 1000)}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		open := &session{o: &o, server: s, conn: c}
		if o.User == "" {
			return open, nil
		}
		return &signedIn{open}, nil
	}))
	server.Domain, server.ReadTimeout, server.WriteTimeout, server.ErrorLog = "mail.test", time.Minute, time.Minute, silent{}
	server.EnableSMTPUTF8 = true
	if o.TLS != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*o.TLS}, MinVersion: tls.VersionTLS12}
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = listener.Addr().String()
	_, s.Port, _ = net.SplitHostPort(s.Address)
	if o.Implicit {
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = listener.Close() // Serve may not have begun
		_ = server.Close()
		<-ended
	})
	return s
}

type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

type session struct {
	o      *Options
	server *Server
	conn   *smtp.Conn
	got    Got
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	s.got.From, s.got.UTF8 = from, o.UTF8
	if s.o.User != "" && s.got.User == "" {
		return &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "sign in first"}
	}
	if s.o.Mail != nil {
		return s.o.Mail(from)
	}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.got.To = append(s.got.To, to)
	if s.o.Rcpt != nil {
		return s.o.Rcpt(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	if s.o.Data != nil {
		if err := s.o.Data(s.conn); err != nil {
			return err
		}
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.got.Raw = string(raw)
	_, s.got.Encrypted = s.conn.TLSConnectionState()
	s.server.Got <- s.got
	return nil
}

func (s *session) Reset()        { s.got = Got{User: s.got.User} }
func (s *session) Logout() error { return nil }

// signedIn is a session in which a user signs in.
type signedIn struct{ *session }

func (s *signedIn) AuthMechanisms() []string {
	if s.o.Mechanisms != nil {
		return s.o.Mechanisms
	}
	return []string{sasl.Plain}
}

func (s *signedIn) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.o.User || password != s.o.Password {
			return smtp.ErrAuthFailed
		}
		s.got.User = user
		return nil
	}), nil
}

// Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority makes an authority that no one trusts yet.
func NewAuthority() (Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Authority{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority for tests"}, NotBefore: time.Unix(0, 0), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return Authority{}, err
	}
	certificate, err := x509.ParseCertificate(raw)
	return Authority{certificate, key}, err
}

// Trust writes the authority's certificate to a file below dir, for SSL_CERT_FILE of a process that
// trusts it.
func (a Authority) Trust(dir string) (file string, err error) {
	file = filepath.Join(dir, "authority.pem")
	return file, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw}), 0o600)
}

// Sign returns a certificate for the names and addresses, valid until a time.
func (a Authority) Sign(t testing.TB, until time.Time, names ...string) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: time.Unix(0, 0), NotAfter: until, KeyUsage: x509.KeyUsageDigitalSignature}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// Letter is a message as a mail program reads it.
type Letter struct {
	mail.Header
	Subject, Text, HTML string
}

// Open reads a message of two alternatives.
func (g Got) Open(t testing.TB) Letter {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewBufferString(g.Raw))
	if err != nil {
		t.Fatalf("%v in %q", err, g.Raw)
	}
	l := Letter{Header: m.Header}
	if l.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("%q %v", kind, err)
	}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for _, want := range []string{"text/plain", "text/html"} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil || kind != want || params["charset"] != "UTF-8" || part.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
			t.Fatalf("%v %v", part.Header, err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		if want == "text/plain" {
			l.Text = string(text)
		} else {
			l.HTML = string(text)
		}
	}
	if _, err := parts.NextRawPart(); !errors.Is(err, io.EOF) {
		t.Fatalf("a third part: %v", err)
	}
	return l
}
