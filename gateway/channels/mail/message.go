package mail

import (
	"crypto/sha256"
	"encoding/hex"
	"net/mail"
	"strings"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/net/idna"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/channels"
)

// autoSubmitted keeps programs from answering a message (RFC 3834).
const autoSubmitted gomail.Header = "Auto-Submitted"

// message returns the mail for a message, to the person's mailbox. It is the same at each attempt, except for its date.
func (s *sender) message(m *channels.Message, to *mail.Address) (*gomail.Msg, error) {
	said := s.said(m)
	html, err := said.page()
	if err != nil {
		return nil, err
	}
	msg := gomail.NewMsg(gomail.WithCharset(gomail.CharsetUTF8), gomail.WithEncoding(gomail.EncodingQP), gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(s.from)
	msg.ToMailAddress(to)
	msg.Subject(subject(m))
	msg.SetDate()
	root := s.id("thread", m.Thread)
	msg.SetMessageIDWithValue(s.id("message", m.ID, m.C.ID))
	msg.SetGenHeader(gomail.HeaderInReplyTo, "<"+root+">")
	msg.SetGenHeader(gomail.HeaderReferences, "<"+root+">")
	msg.SetGenHeader(autoSubmitted, "auto-generated")
	msg.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	msg.SetBodyString(gomail.TypeTextPlain, said.text())
	msg.AddAlternativeString(gomail.TypeTextHTML, html)
	return msg, nil
}

// mailbox returns an address as SMTP servers take it: a domain in other letters in its ASCII form, if
// that is all that is not ASCII.
func mailbox(email string) (*mail.Address, bool) {
	if !config.IsEmail(email) {
		return nil, false
	}
	local, domain, _ := strings.Cut(email, "@")
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil && isASCII(local) {
		email = local + "@" + ascii
	}
	return &mail.Address{Address: email}, true
}

// subject is the same for all messages of a thread, as mail programs want it: Gmail keeps messages in one
// thread only if their subjects agree, but for "Re:".
func subject(m *channels.Message) string {
	text := channels.OneLine(m.Text("channel.subject", map[string]any{"Asker": channels.OneLine(m.Asker)}))
	if m.Reminder > 0 {
		text = "Re: " + text
	}
	return strings.ReplaceAll(text, "=?", "= ?") // it would be read as an encoded word
}

// id returns an id for a head, which tells nothing of what it is made of. The domain is the sender's.
func (s *sender) id(of ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(of, "\x00")))
	_, domain, _ := strings.Cut(s.from.Address, "@")
	return hex.EncodeToString(sum[:16]) + "@" + domain
}
