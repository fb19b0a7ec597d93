package front

import (
	"bytes"
	"crypto/rand"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

// minLifted is the least length of file data that are lifted out of a body.
const minLifted = 1 << 10

// Body is a request's JSON: UTF-8, at most 64 levels deep, and at most 1 MiB without the files of
// messages. Long file data are no longer in Data; Files has them.
type Body struct {
	Data   []byte
	lifted lifted
}

// ReadBody reads a body, see host.Request.BodyOf.
func ReadBody(r *host.Request, withFiles bool) (*Body, error) {
	data, err := r.BodyOf(withFiles)
	if err != nil {
		return nil, err
	}
	d, err := host.OpenJSON(data)
	if err != nil || len(data) <= host.MaxBody {
		return &Body{Data: data}, err
	}
	b := new(Body)
	if b.Data, b.lifted = lift(data, d); len(b.Data) > host.MaxBody { // without files, it may be as large as any other body
		return nil, host.TooLarge(host.MaxBody)
	}
	return b, nil
}

// lifted has what was lifted out of a body, by the marks that replace it.
type lifted struct {
	mark string // "": nothing was lifted
	data []byte // the whole body
	at   [][2]int
}

// filePlaces are the places of the data of messages' files in the bodies of fronts.
var filePlaces = regexp.MustCompile(`^/(?:(?:messages|input)/\d+/content/\d+/(?:\w+/)?(?:url|image_url|file_data|data|value)|messages/\d+/parts/\d+/url)$`)

// lift takes long file data out of a body, so that later readers do not copy them: most belong to
// older messages. d reads data from its start, and must not meet an error.
func lift(data []byte, d *jsontext.Decoder) (small []byte, l lifted) {
	mark := Lifted + rand.Text() + ":"
	var out bytes.Buffer
	done := 0
	for begun := false; !begun || d.StackDepth() > 0; begun = true {
		kind, n := d.StackIndex(d.StackDepth())
		if d.PeekKind() != '"' || kind == '{' && n%2 == 0 {
			_, _ = d.ReadToken()
			continue
		}
		value, _ := d.ReadValue()
		if len(value) < minLifted || !filePlaces.MatchString(string(d.StackPointer())) {
			continue
		}
		end := int(d.InputOffset())
		out.Write(data[done : end-len(value)])
		out.WriteString(`"` + mark + strconv.Itoa(len(l.at)) + `"`)
		l.at = append(l.at, [2]int{end - len(value), end})
		done = end
	}
	if len(l.at) == 0 {
		return data, l
	}
	l.mark, l.data = mark, data
	out.Write(data[done:])
	return out.Bytes(), l
}

// whole returns the text that a mark replaces; any other text is returned unchanged.
func (l *lifted) whole(text string) string {
	if l.mark == "" || !strings.HasPrefix(text, l.mark) {
		return text
	}
	i, err := strconv.Atoi(text[len(l.mark):])
	if err != nil || i < 0 || i >= len(l.at) {
		return text
	}
	whole, _ := jsontext.AppendUnquote(nil, l.data[l.at[i][0]:l.at[i][1]]) // it was read before
	return string(whole)
}

// Files returns the files of a message, as far as the app accepts them as attachments.
func (b *Body) Files(app *config.App, parts []Part) ([]host.File, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	takes := &app.Attachments
	switch {
	case takes.MaxFiles == 0:
		return nil, &chat.Error{Code: chat.CodeAttachmentsOff, Detail: "attachments_off", Params: map[string]any{"Field": parts[0].Place}}
	case len(parts) > takes.MaxFiles:
		return nil, &uploads.FilesError{Fields: []tools.FieldError{{
			Field: parts[takes.MaxFiles].Place, Code: uploads.FaultFiles, Params: map[string]any{"Max": takes.MaxFiles},
		}}}
	}
	list := make([]host.File, len(parts))
	for i, p := range parts {
		p.Address, p.Base64 = b.lifted.whole(p.Address), b.lifted.whole(p.Base64)
		var err error
		if list[i], err = NewFile(p, takes.MaxBytes); err != nil {
			return nil, err
		}
	}
	return list, nil
}
