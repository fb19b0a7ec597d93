package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"

	gomail "github.com/wneessen/go-mail"

	"github.com/askgate/askgate/gateway/channels"
	"github.com/askgate/askgate/tools/outgoing"
)

// unreachable returns the error of a server that was not ready to take a message, without its words.
// It passes, or an admin can end it, so the message is sent again.
func (s *sender) unreachable(ctx context.Context, err error) error {
	at := s.server.address
	var reply *textproto.Error
	switch {
	case ctx.Err() != nil && s.server.tls:
		return fmt.Errorf(`the mail server %s did not reply in time; check the name and the port in "server", and that no firewall is in between`, at)
	case ctx.Err() != nil:
		return fmt.Errorf(`the mail server %s did not reply in time; check the name and the port in "server", and write "smtps://" if that port is for TLS, as 465 usually is`, at)
	case errors.As(err, &reply):
		return s.unwilling(reply.Code, err)
	case strings.Contains(err.Error(), "does not support STARTTLS"):
		return fmt.Errorf(`the mail server %s does not offer STARTTLS, and nothing is sent without encryption; write "smtps://" and its port for TLS in "server", often 465`, at)
	case errors.Is(err, gomail.ErrNoSupportedAuthDiscovered) || strings.Contains(err.Error(), "SMTP AUTH"):
		return fmt.Errorf(`the mail server %s offers no way to sign in with a password; remove "user" and "password" if it needs none, or use another port`, at)
	}
	return s.broken(err)
}

// unwilling returns the error of a server that replied before there was a message.
func (s *sender) unwilling(code int, err error) error {
	if strings.Contains(err.Error(), "AUTH failed") {
		return fmt.Errorf(`the mail server %s does not let the user sign in, and replies %d; check "user" and "password"`, s.server.address, code)
	}
	return fmt.Errorf("the mail server %s takes no messages now, and replies %d", s.server.address, code)
}

// broken returns the error of a connection.
func (s *sender) broken(err error) error {
	at := s.server.address
	var refused *outgoing.RefusedError
	var lookup *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var network *net.OpError
	switch {
	case errors.Is(err, errTooMuch):
		return fmt.Errorf("%s: %w", at, errTooMuch)
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &certificate):
		return fmt.Errorf("the certificate of the mail server %s %s", at, s.unfit(certificate))
	case errors.As(err, &record):
		return fmt.Errorf(`the mail server %s does not begin with TLS; write "smtp://" in "server" if it offers STARTTLS at that port`, at)
	case errors.As(err, &lookup):
		return fmt.Errorf(`no address was found for the mail server %s; check "server"`, s.server.host)
	case errors.As(err, &network) && network.Op == "dial":
		return fmt.Errorf(`no connection to the mail server %s; check "server", and that the server runs`, at)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || network != nil:
		return fmt.Errorf("the connection to the mail server %s broke", at)
	}
	return fmt.Errorf("the mail server %s did not follow its protocol", at)
}

// unfit says why a certificate does not fit.
func (s *sender) unfit(err *tls.CertificateVerificationError) string {
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var signer x509.UnknownAuthorityError
	switch {
	case errors.As(err, &name) && len(name.Certificate.DNSNames) > 0:
		return fmt.Sprintf(`is for %s; write that name in "server"`, strings.Join(name.Certificate.DNSNames[:min(3, len(name.Certificate.DNSNames))], ", "))
	case errors.As(err, &name):
		return `names no host; the server needs one for the name in "server"`
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "has expired, or is not valid yet; renew it, and check this machine's clock"
	case errors.As(err, &signer):
		return "is signed by an authority that this machine does not trust; add the authority to the system's, or set SSL_CERT_FILE"
	}
	return "cannot be verified"
}

// notTaken returns the error of a server that did not take a message: a *channels.RefusedError if it
// never takes this one. It has the code of the reply, but not its words, which may name the person.
func (s *sender) notTaken(ctx context.Context, err error) error {
	failed, ok := errors.AsType[*gomail.SendError](err)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the mail server %s did not reply in time", s.server.address)
	case !ok || failed.ErrorCode() == 0:
		return fmt.Errorf("the connection to the mail server %s broke before it took the message", s.server.address)
	}
	reply := strings.TrimSpace(strconv.Itoa(failed.ErrorCode()) + " " + failed.EnhancedStatusCode())
	if refuses(failed.Reason, failed.ErrorCode(), failed.EnhancedStatusCode()) {
		what, fix := "the message", ""
		if failed.Reason == gomail.ErrSMTPRcptTo {
			what, fix = "the person's address", `; correct "email" under "people", or in the person's token`
		}
		return &channels.RefusedError{Why: fmt.Sprintf("the mail server %s refuses %s, and replies %s%s", s.server.address, what, reply, fix)}
	}
	switch {
	case failed.ErrorCode() < 500:
		return fmt.Errorf("the mail server %s does not take the message now, and replies %s", s.server.address, reply)
	case failed.Reason == gomail.ErrSMTPMailFrom:
		return fmt.Errorf(`the mail server %s does not take messages from this sender, and replies %s; check "from", "user" and "password"`, s.server.address, reply)
	}
	return fmt.Errorf(`the mail server %s takes no messages from here, and replies %s; check "user" and "password"`, s.server.address, reply)
}

// Replies and enhanced status codes (RFC 3463, RFC 4954) that are about this client, not about the
// person or the message: commands that are unknown or in the wrong order, and a client that is not
// signed in.
var (
	ourFault    = []int{500, 502, 503, 530, 534, 535, 538}
	notSignedIn = []string{"5.7.8", "5.7.9", "5.7.11"}
)

// refuses reports whether a reply is about this person or message, and will not change.
func refuses(reason gomail.SendErrReason, code int, enhanced string) bool {
	switch {
	case code < 500 || slices.Contains(ourFault, code) || slices.Contains(notSignedIn, enhanced):
		return false
	case reason == gomail.ErrSMTPMailFrom: // about the sender, except for the size
		return code == 552 || enhanced == "5.3.4"
	}
	return reason == gomail.ErrSMTPRcptTo || reason == gomail.ErrSMTPData || reason == gomail.ErrSMTPDataClose
}
