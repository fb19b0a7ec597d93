package mail_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/gateway/channels/mail"
	"github.com/askgate/askgate/gateway/channels/mail/mailtest"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/locales"
	"github.com/askgate/askgate/tools"
)

// authority is trusted by this process in place of those of the system, which are read only once.
var authority mailtest.Authority

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "")
		if err == nil {
			defer os.RemoveAll(dir)
			authority, err = mailtest.NewAuthority()
		}
		var file string
		if err == nil {
			file, err = authority.Trust(dir)
		}
		if err == nil {
			err = os.Setenv("SSL_CERT_FILE", file)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

var texts = func() *locales.Catalog {
	c, err := locales.New()
	if err != nil {
		panic(err)
	}
	return c
}()

// message returns a message about a question, changed by each of more.
func message(more ...func(*channels.Message)) *channels.Message {
	m := &channels.Message{
		ID: "12.0", Thread: "conv_1.alice", Email: "alice@example.org", Language: "en", App: "Helper", Asker: "Helper",
		Link: "https://ask.example.org/answer/SEALED", Personal: true, Texts: true,
		C: &chat.Clarification{
			ID: "clar_1", State: tools.StatePending, AskedAt: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
			Question: tools.Question{Kind: tools.KindQuestion, Parts: []tools.Part{{
				ID: "q1", Question: "Which **language**?", InputType: tools.Select, Options: []tools.Option{{Label: "German", Value: "de"}, {Label: "French & more", Value: "fr&x=1", Description: "the other one"}},
			}}},
		},
	}
	m.Text = func(id string, params map[string]any) string { return texts.Text(m.Language, id, params) }
	for _, change := range more {
		change(m)
	}
	return m
}

// channel returns a channel to a server.
func channel(server string, more ...func(*config.Channel)) config.Channel {
	c := config.Channel{ID: "mail", Type: config.ChannelMail, Server: server, From: "Ask <ask@example.org>"}
	for _, change := range more {
		change(&c)
	}
	return c
}

func signIn(c *config.Channel) { c.User, c.Password = "gate", "PASSWORD-1" }

func send(t *testing.T, c config.Channel, m *channels.Message) error {
	t.Helper()
	s, err := mail.New(c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Send(t.Context(), m)
	if err != nil {
		for _, secret := range []string{"PASSWORD-1", "alice", "words about", "SEALED", "language"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error has %q: %v", secret, err)
			}
		}
	}
	return err
}

// sent sends a message to a server that takes all, and returns what it got.
func sent(t *testing.T, m *channels.Message, more ...func(*config.Channel)) mailtest.Letter {
	t.Helper()
	s := mailtest.New(t, mailtest.Options{})
	if err := send(t, channel("smtp://"+s.Address, more...), m); err != nil {
		t.Fatal(err)
	}
	return (<-s.Got).Open(t)
}

func later() time.Time { return time.Now().Add(time.Hour) }

// TestServers sends a message in each way that a server may take it, and in none that is not safe.
func TestServers(t *testing.T) {
	t.Parallel()
	fits := authority.Sign(t, later(), "localhost", "127.0.0.1")
	other, err := mailtest.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	account := mailtest.Options{TLS: fits, User: "gate", Password: "PASSWORD-1"}
	with := func(o mailtest.Options, change func(*mailtest.Options)) mailtest.Options {
		change(&o)
		return o
	}
	implicit := func(o *mailtest.Options) { o.Implicit = true }
	for _, c := range []struct {
		name   string
		o      mailtest.Options
		server string // %s: the port
		user   bool
		wrong  string // in the error; "": the message arrives
	}{
		{"TLS and a password", with(account, implicit), "smtps://localhost:%s", true, ""},
		{"TLS to an address", with(account, implicit), "smtps://127.0.0.1:%s", true, ""},
		{"TLS without a password", mailtest.Options{TLS: fits, Implicit: true}, "smtps://localhost:%s", false, ""},
		{"STARTTLS and a password", account, "smtp://localhost:%s", true, ""},
		{"STARTTLS if it is offered", mailtest.Options{TLS: fits}, "smtp://localhost:%s", false, ""},
		{"the same machine without TLS", mailtest.Options{}, "smtp://localhost:%s", false, ""},
		{"a password without TLS", mailtest.Options{User: "gate", Password: "PASSWORD-1"}, "smtp://localhost:%s", true, "does not offer STARTTLS"},
		{"a certificate of another name", mailtest.Options{TLS: authority.Sign(t, later(), "mail.other.example"), Implicit: true}, "smtps://localhost:%s", false, `is for mail.other.example; write that name in "server"`},
		{"STARTTLS with another name", mailtest.Options{TLS: authority.Sign(t, later(), "mail.other.example")}, "smtp://localhost:%s", false, "is for mail.other.example"},
		{"an expired certificate", mailtest.Options{TLS: authority.Sign(t, time.Unix(1e9, 0), "localhost"), Implicit: true}, "smtps://localhost:%s", false, "has expired"},
		{"an unknown authority", mailtest.Options{TLS: other.Sign(t, later(), "localhost"), Implicit: true}, "smtps://localhost:%s", false, "an authority that this machine does not trust"},
		{"a wrong password", with(account, func(o *mailtest.Options) { o.Password = "another" }), "smtp://localhost:%s", true, `replies 535; check "user" and "password"`},
		{"no password where one is needed", account, "smtp://localhost:%s", false, `replies 530`},
		{"a password where none is taken", mailtest.Options{TLS: fits}, "smtp://localhost:%s", true, "offers no way to sign in"},
		{"only tokens", with(account, func(o *mailtest.Options) { o.Mechanisms = []string{"XOAUTH2", "OAUTHBEARER"} }), "smtp://localhost:%s", true, "offers no way to sign in"},
		{"TLS at a port without", mailtest.Options{}, "smtps://localhost:%s", false, "does not begin with TLS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := mailtest.New(t, c.o)
			to := channel(fmt.Sprintf(c.server, s.Port))
			if c.user {
				signIn(&to)
			}
			err := send(t, to, message())
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) || channels.Refused(err) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := <-s.Got
			if got.From != "ask@example.org" || fmt.Sprint(got.To) != "[alice@example.org]" || got.Encrypted != (c.o.TLS != nil) || got.User != c.o.User {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A name of the internet may not lead to the machine's own network, as for tools.
func TestWhereAServerMayBe(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"localhost.example.org", "169.254.169.254"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		s, err := mail.New(channel("smtps://" + host + ":1"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Send(ctx, message()); err == nil || channels.Refused(err) {
			t.Errorf("%s: %v", host, err)
		}
		cancel()
	}
}

// scripted is a server that replies to each command as told, and closes the connection at a reply that
// is "".
func scripted(t *testing.T, replies map[string]string) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	usual := map[string]string{
		"": "220 ready", "EHLO": "250-mail.test\r\n250 ENHANCEDSTATUSCODES", "HELO": "250 hi", "MAIL": "250 2.1.0 ok", "RCPT": "250 2.1.5 ok", "DATA": "354 go on", ".": "250 2.0.0 taken", "RSET": "250 2.0.0 ok",
		"QUIT": "221 2.0.0 bye",
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go converse(conn, usual, replies)
		}
	}()
	return "smtp://" + listener.Addr().String()
}

func converse(conn net.Conn, usual, replies map[string]string) {
	defer conn.Close()
	say := func(verb string) bool {
		reply, ok := replies[verb]
		if !ok {
			reply = usual[verb]
		}
		if reply == "" {
			return false
		}
		_, err := io.WriteString(conn, reply+"\r\n")
		return err == nil
	}
	lines, content := bufio.NewScanner(conn), false
	for ok := say(""); ok && lines.Scan(); {
		line := lines.Text()
		switch {
		case content && line == ".":
			content = false
			ok = say(".")
		case !content:
			verb := strings.ToUpper(strings.Fields(line + " ?")[0])
			ok = say(verb)
			_, changed := replies["DATA"]
			content = verb == "DATA" && !changed
		}
	}
}

// TestReplies: what is about the person or the message is given up at once; what passes, or what an
// admin can change, is not. The error has the codes, never the words.
func TestReplies(t *testing.T) {
	t.Parallel()
	const words = " words about alice@example.org"
	for _, c := range []struct {
		at, reply string
		refused   bool
		says      string
	}{
		{"", "554 5.7.1", false, "replies 554"},
		{"", "421 4.7.0", false, "replies 421"},
		{"", "", false, "broke"},
		{"", "* OK IMAP4rev1", false, "did not follow its protocol"},
		{"EHLO", "", false, "broke"},
		{"MAIL", "451 4.3.0", false, "replies 451 4.3.0"},
		{"MAIL", "550 5.7.1", false, `check "from"`},
		{"MAIL", "553 5.1.8", false, `check "from"`},
		{"MAIL", "530 5.7.0", false, "replies 530"},
		{"MAIL", "552 5.3.4", true, "refuses the message, and replies 552 5.3.4"},
		{"RCPT", "550 5.1.1", true, `refuses the person's address, and replies 550 5.1.1; correct "email"`},
		{"RCPT", "550", true, "refuses the person's address, and replies 550"},
		{"RCPT", "550-5.1.1 many\r\n550 5.1.1 lines", true, "replies 550 5.1.1"},
		{"RCPT", "553 5.1.3", true, "553 5.1.3"},
		{"RCPT", "554 5.7.1", true, "554 5.7.1"},
		{"RCPT", "556 5.1.10", true, "556 5.1.10"},
		{"RCPT", "530 5.7.0", false, `replies 530 5.7.0; check "user"`},
		{"RCPT", "550 5.7.8", false, `check "user"`},
		{"RCPT", "503 5.5.1", false, "replies 503"},
		{"RCPT", "450 4.2.1", false, "replies 450 4.2.1"},
		{"RCPT", "452 4.2.2", false, "replies 452 4.2.2"},
		{"RCPT", "421 4.7.0", false, "replies 421"},
		{"RCPT", "", false, "broke"},
		{"DATA", "554 5.6.0", true, "refuses the message"},
		{"DATA", "451 4.7.1", false, "replies 451"},
		{".", "550 5.7.1", true, "refuses the message, and replies 550 5.7.1"},
		{".", "552 5.3.4", true, "refuses the message"},
		{".", "451 4.3.2", false, "replies 451"},
		{".", "", false, "broke"},
		// Taken is taken, whatever follows: another attempt would tell twice.
		{"RSET", "", false, ""},
		{"RSET", "500", false, ""},
		{"QUIT", "", false, ""},
	} {
		t.Run(c.at+" "+c.reply, func(t *testing.T) {
			t.Parallel()
			reply := c.reply
			if reply != "" && !strings.HasPrefix(reply, "*") && !strings.Contains(reply, "\n") {
				reply += words
			}
			err := send(t, channel(scripted(t, map[string]string{c.at: reply})), message())
			if c.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || channels.Refused(err) != c.refused || !strings.Contains(err.Error(), c.says) {
				t.Errorf("refused %v: %v", channels.Refused(err), err)
			}
		})
	}
}

// A server that hangs, or talks without end, holds up nothing for longer than the context.
func TestServersThatDoNotEnd(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	slow := mailtest.New(t, mailtest.Options{Data: func(*smtp.Conn) error { <-hang; return nil }})
	cut := mailtest.New(t, mailtest.Options{Data: func(c *smtp.Conn) error { return c.Conn().Close() }})
	for name, c := range map[string]struct{ server, says string }{
		"slow":             {"smtp://" + slow.Address, "did not reply in time"},
		"cut off":          {"smtp://" + cut.Address, "broke"},
		"silent":           {silent(t), `in time; check the name and the port in "server", and write "smtps://"`},
		"silent about TLS": {strings.Replace(silent(t), "smtp:", "smtps:", 1), `in time; check the name and the port in "server", and that`},
		"endless":          {scripted(t, map[string]string{"": "220-" + strings.Repeat(strings.Repeat("x", 1000)+"\r\n220-", 2000)}), "more than replies"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := mail.New(channel(c.server))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if strings.Contains(c.says, "in time") {
				time.AfterFunc(200*time.Millisecond, cancel)
			}
			if _, err := s.Send(ctx, message()); err == nil || channels.Refused(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// silent accepts connections, and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return "smtp://" + listener.Addr().String()
}

func TestConfigurationsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []config.Channel{channel("://"), channel("smtps:"), channel("smtps://localhost", func(c *config.Channel) { c.From = "" })} {
		if _, err := mail.New(c); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	var refused *channels.RefusedError
	for _, address := range []string{"", "alice", "a@b, c@d", "alice@example.org\r\nBcc: eve@example.org", "Alice <alice@example.org>"} {
		err := send(t, channel(scripted(t, nil)), message(func(m *channels.Message) { m.Email = address }))
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// The names of a domain in other letters are sent in their ASCII form, which every server takes. SMTPUTF8 is
// asked for only where it is needed.
func TestDomainsInOtherLetters(t *testing.T) {
	t.Parallel()
	s := mailtest.New(t, mailtest.Options{})
	for address, want := range map[string]string{"alice@bücher.example": "alice@xn--bcher-kva.example", "jürgen@bücher.example": "jürgen@bücher.example"} {
		if err := send(t, channel("smtp://"+s.Address, func(c *config.Channel) { c.From = "ask@bücher.example" }), message(func(m *channels.Message) { m.Email = address })); err != nil {
			t.Error(err)
		} else if got := <-s.Got; got.To[0] != want || got.UTF8 != strings.HasPrefix(address, "jürgen") || got.From != "ask@xn--bcher-kva.example" || !strings.HasSuffix(got.Open(t).Get("Message-ID"), "@xn--bcher-kva.example>") {
			t.Errorf("%s: %q %v", address, got.To, got.UTF8)
		}
	}
}
