// Package mail is the type of channels that tell people by mail.
//
//	a message ── said: what it says ── text and HTML ── one connection ── the server of the channel
//
// Each message is sent in its own connection, which is encrypted and whose certificate is checked,
// except to a server on the same machine that takes messages from anyone. Messages of a chat to a person
// have the same subject and refer to the same root, so that programs show them as one thread.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/tools/outgoing"
)

const (
	patience   = 30 * time.Second // with a server that is slow, if the context allows more
	maxReplies = 1 << 20          // bytes that a server may send in one connection
)

// sender is a channel of type mail.
type sender struct {
	server   server
	user     string
	password string
	from     *mail.Address
	zone     *time.Location // in which times are written
}

// server is where messages are handed in.
type server struct {
	host    string // a name or an address, without brackets
	address string // with the port
	tls     bool   // from the start
	policy  gomail.TLSPolicy
	dialer  *net.Dialer
}

var _ channels.Type = New

// New returns the sender of a channel. The error says what is wrong with the configuration.
func New(c config.Channel) (channels.Sender, error) {
	u, err := url.Parse(c.Server)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("not the address of a mail server") // the error of url has the address
	}
	from, err := mail.ParseAddress(c.From)
	if err != nil {
		return nil, fmt.Errorf("the sender %q: %w", c.From, err)
	}
	if plain, ok := mailbox(from.Address); ok {
		from.Address = plain.Address
	}
	to := server{host: u.Hostname(), tls: u.Scheme == "smtps", policy: gomail.TLSMandatory}
	port := "587"
	if to.tls {
		port = "465"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	if c.Loopback() && c.User == "" && !to.tls {
		to.policy = gomail.TLSOpportunistic
	}
	to.address = net.JoinHostPort(to.host, port)
	to.dialer = outgoing.Dialer(to.host, outgoing.Options{AllowPrivate: c.AllowPrivate})
	return &sender{server: to, user: c.User, password: c.Password, from: from, zone: c.Quiet.Location()}, nil
}

// Send implements channels.Sender. Nothing refers to a message that was sent.
func (s *sender) Send(ctx context.Context, m *channels.Message) (ref string, err error) {
	to, ok := mailbox(m.Email)
	if !ok {
		return "", &channels.RefusedError{Why: "the person's address is not one that mail can be sent to"}
	}
	msg, err := s.message(m, to)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	line := &connection{server: s.server}
	defer line.close()
	client, err := gomail.NewClient(s.server.host, s.options(ctx, line, to.Address)...)
	if err != nil {
		return "", errors.New("the mail client cannot be set up for this configuration")
	}
	dialed, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return "", s.unreachable(ctx, err)
	}
	err = client.SendWithSMTPClient(dialed, msg)
	if msg.IsDelivered() { // whatever became of the connection then
		_ = client.CloseWithSMTPClient(dialed)
		return "", nil
	}
	return "", s.notTaken(ctx, err)
}

// End implements channels.Sender. What was mailed stays as it is.
func (s *sender) End(context.Context, string, *channels.Message) error { return nil }

// Close implements channels.Sender. No connection outlives its message.
func (s *sender) Close() {}

// options returns those of the client for one message.
func (s *sender) options(ctx context.Context, line *connection, to string) []gomail.Option {
	all := []gomail.Option{
		gomail.WithTimeout(patience), gomail.WithoutNoop(), gomail.WithTLSPolicy(s.server.policy), gomail.WithTLSConfig(s.server.config()),
		gomail.WithDialContextFunc(func(dial context.Context, _, _ string) (net.Conn, error) { return line.open(ctx, dial) }),
	}
	if s.server.tls {
		all = append(all, gomail.WithTLSPolicy(gomail.NoTLS)) // the connection has it already
	}
	if isASCII(to) && isASCII(s.from.Address) { // servers may refuse to pass on what needs SMTPUTF8, even if it does not
		all = append(all, gomail.WithoutSMTPUTF8())
	}
	if s.user != "" {
		all = append(all, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			// The connection is encrypted, and the server known by its certificate.
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthCramMD5))
	}
	return all
}

func (s *server) config() *tls.Config {
	return &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r > 127 }) < 0
}

// connection is the connection of one message. It ends with its context, in whatever the client waits
// for.
type connection struct {
	server server
	raw    net.Conn
	stop   func() bool
}

// open connects, as long as dial allows. The connection ends with ctx.
func (c *connection) open(ctx, dial context.Context) (net.Conn, error) {
	raw, err := c.server.dialer.DialContext(dial, "tcp", c.server.address)
	if err != nil {
		return nil, err
	}
	c.raw = raw
	c.stop = context.AfterFunc(ctx, func() { _ = raw.Close() })
	limited := &bounded{Conn: raw, left: maxReplies}
	if !c.server.tls {
		return limited, nil
	}
	secure := tls.Client(limited, c.server.config())
	return secure, secure.HandshakeContext(dial)
}

func (c *connection) close() {
	if c.raw != nil {
		c.stop()
		_ = c.raw.Close()
	}
}

// bounded is a connection that ends after so many bytes from the other side.
type bounded struct {
	net.Conn
	left int
}

var errTooMuch = errors.New("the mail server sends more than replies")

// Read implements net.Conn.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
