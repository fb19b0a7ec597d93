package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/tools"
)

const (
	maxReason = 500     // code points of a reason for operators
	maxRead   = 4 << 10 // bytes that are read of a server's text
)

// blobs matches data that a server may quote, such as an image or a signature.
var blobs = tools.Late(`[A-Za-z0-9+/=_-]{80,}`)

func withoutBlobs(s string) string {
	return blobs().ReplaceAllStringFunc(s, func(b string) string {
		if strings.ContainsAny(b, "0123456789") && strings.ToLower(b) != b && strings.ToUpper(b) != b {
			return left
		}
		return b
	})
}

// Reason returns the server's text in the body of a refusal, for operators. It has one line of at
// most 500 characters, without secrets and without what was said in the request. It is "" if the
// server sent no text.
func Reason(body []byte, secrets []string, said func() []string) string {
	text := decoded(wordsOf(body))
	if tools.Blank(text) {
		return ""
	}
	for _, secret := range secrets {
		text = withoutSecret(text, secret)
	}
	if said != nil {
		text = Unsaid(text, said())
	}
	return tools.Shorten(line(withoutBlobs(text)), maxReason)
}

// decoded removes the escapes of HTML and URLs from a text. A proxy in front of the server may quote
// the request in that form, and the quotation could not be found otherwise.
func decoded(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		text = strings.ToValidUTF8(plain, "\ufffd")
	}
	return html.UnescapeString(text)
}

// wordsOf returns the text of a body: of its error object, of all of its JSON, or the body itself if
// it is neither JSON nor a web page.
func wordsOf(body []byte) string {
	text := ""
	switch w := ErrorIn(body); {
	case w != nil:
		if text = w.Text(); tools.Blank(text) {
			text = strings.TrimSpace(w.Words())
		}
	case json.Valid(body):
		text = allTexts(body)
	case !bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		text = string(body)
	}
	return strings.ToValidUTF8(tools.Clip(text, maxRead), "\ufffd")
}

// line returns s on one line, without control characters, and without characters that are invisible
// or change the direction of the text.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		case tools.Invisible(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// within is an error object in a stream whose reason is not known yet: that needs the secrets and
// what was said.
type within struct{ body []byte }

func (*within) Error() string { return "its reason has not been read" }

// told returns an error in the form for operators: with the server's reason if it came within a
// stream, and without secrets. It notes such a refusal.
func (s *Server) told(err error, said func() []string) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	var w *within
	if errors.As(e.Err, &w) {
		known := *e
		known.Err, known.Reason = nil, s.reason(w.body, said)
		if known.Kind != model.KindTooLong {
			known.Fault = fault(known.Status, w.body, known.Reason)
		}
		s.o.Notes.Refused(Refusal{At: time.Now(), Status: known.Status, Reason: known.Reason})
		return s.hide(&known)
	}
	return s.hide(err)
}

func (s *Server) reason(body []byte, said func() []string) string {
	return Reason(body, s.o.secrets(), said)
}
