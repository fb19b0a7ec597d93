package prompt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/contextwindow"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
)

const (
	maxImage = 5 << 20 // bytes of one image: Anthropic's limit
	maxPDF   = 8 << 20 // bytes of one PDF: base64 adds a third, which stays below all providers' limits for a request
	maxFiles = 8       // images and PDFs in one request
	// maxFileBytes is the limit of all of these together: a run keeps them as long as it asks models.
	maxFileBytes = 10 << 20
	// About how much of a model's room an image and a PDF of some ten pages take, in bytes of text.
	imageCost, pdfCost = 6 << 10, 80 << 10

	pdfType = "application/pdf"
)

// FileTexts returns the texts of the files that answered a question, in the form in which they
// follow the result of its call. Each is indented, so that none of its lines can pass for another
// answer's.
func (b *Builder) FileTexts(ctx context.Context, c *chat.Clarification) string {
	if c.State != tools.StateAnswered {
		return ""
	}
	return b.texts(ctx, uploads.Answering(c))
}

// texts returns the contents of the files that hold text, as far as there is room.
func (b *Builder) texts(ctx context.Context, files []chat.SentFile) string {
	var list strings.Builder
	room := contextwindow.MaxFileText
	for i := range files {
		f := &files[i]
		content, whole, err := "", false, error(nil)
		switch {
		case tools.IsText(f.Type):
			content, err = b.files.text(ctx, f.ID, room)
			whole = int64(len(content)) >= f.Size
		case extract.ByType(f.Type) != 0 && !b.isSent(f):
			content, whole, err = b.extracted(ctx, f, room)
		}
		why, refused := errors.AsType[extract.Refused](err)
		switch {
		case errors.Is(err, extract.ErrNotHere):
		case refused:
			fmt.Fprintf(&list, "\n\n%s%s the file %s.", f.Name, textUnread, why)
		case err != nil:
			b.Log.Warn("cannot read the text of a file", "error", err)
			fmt.Fprintf(&list, "\n\n%s: its text cannot be read at the moment.", f.Name)
		case content != "":
			part := ""
			if !whole {
				part = fmt.Sprintf(" (the first %d bytes of it)", len(content))
			}
			fmt.Fprintf(&list, fileTextBegins+"%s%s:\n  %s", f.Name, part, tools.Indented(strings.TrimRight(strings.TrimPrefix(content, "\ufeff"), "\r\n")))
			room -= len(content)
		}
	}
	return list.String()
}

const (
	fileTextBegins = "\n\nText of "
	textUnread     = ": its text cannot be read, because"
)

// extracted returns the beginning of the text of a PDF or DOCX file, and whether it is all of it.
func (b *Builder) extracted(ctx context.Context, f *chat.SentFile, room int) (string, bool, error) {
	if b.Extracted == nil || room <= 0 {
		return "", false, extract.ErrNotHere
	}
	all, whole, err := b.Extracted(ctx, f)
	begins := tools.Clip(all, room)
	return begins, whole && len(begins) == len(all), err
}

// isSent reports whether each model that may answer is sent the file itself.
func (b *Builder) isSent(f *chat.SentFile) bool {
	for _, name := range append([]string{b.App.Model}, b.Config.Fallbacks(b.App.Model)...) {
		if m := b.Config.Gateway.Models[name]; f.Type != pdfType || f.Size > int64(takes(&m, f)) {
			return false
		}
	}
	return true
}

// text returns the beginning of a file, or "" if it turns out not to be text.
func (a attachments) text(ctx context.Context, id string, most int) (string, error) {
	data, err := a.first(ctx, id, most+utf8.UTFMax)
	text := tools.Clip(string(data), most)
	if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", err
	}
	return text, nil
}

// first returns the first bytes of a file.
func (a attachments) first(ctx context.Context, id string, most int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	body, err := a.source.File(ctx, id)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var data bytes.Buffer
	_, err = io.CopyN(&data, body, int64(most))
	if err == io.EOF { //nolint:errorlint // CopyN returns it as it is
		err = nil
	}
	return data.Bytes(), err
}

// attachments are the images and PDFs that answered a chat's questions or came with messages.
type attachments struct {
	source *Source
	of     map[string][]chat.SentFile // by the id of the call or message
	read   map[string][]byte          // by the id of the file
}

func newAttachments(source *Source, questions []chat.Clarification, messages []chat.Message) attachments {
	found := attachments{source: source, of: map[string][]chat.SentFile{}, read: map[string][]byte{}}
	for i := range questions {
		if c := &questions[i]; c.State == tools.StateAnswered {
			found.add(c.ToolCallID, uploads.Answering(c))
		}
	}
	for i := range messages {
		found.add(messages[i].ID, messages[i].Files)
	}
	return found
}

func (a attachments) add(id string, files []chat.SentFile) {
	for _, f := range files {
		if f.Type == pdfType || slices.Contains(imageTypes, f.Type) {
			a.of[id] = append(a.of[id], f)
		}
	}
}

// imageTypes are the types of images that models can see.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// takes returns how many bytes of a file a model may be sent; 0 is none.
func takes(m *config.Model, f *chat.SentFile) int {
	switch {
	case f.Type == pdfType && m.PDF:
		return maxPDF
	case f.Type != pdfType && m.Images:
		return maxImage
	}
	return 0
}

// bytes returns about how many bytes the files of a request to a model count for.
func (a attachments) bytes(m *config.Model) int64 {
	n, cost := 0, int64(0)
	for _, list := range a.of {
		for i := range list {
			switch f := &list[i]; {
			case n == maxFiles || f.Size > int64(takes(m, f)):
			case f.Type == pdfType:
				n, cost = n+1, cost+pdfCost
			default:
				n, cost = n+1, cost+imageCost
			}
		}
	}
	return cost
}

// choose picks the files of a request to a model, the newest first, as long as there is room. from
// is the position of the first message that is sent; dropped are the files for which there is no
// more room.
func (b *Builder) choose(m *config.Model, from int64) (chosen map[string]bool, dropped []string) {
	if len(b.files.of) == 0 {
		return nil, nil
	}
	chosen = map[string]bool{}
	room := maxFileBytes
	pick := func(id string) {
		for _, f := range b.files.of[id] {
			switch most := takes(m, &f); {
			case f.Size > int64(most):
			case f.Size > int64(room) || len(chosen) == maxFiles:
				dropped = append(dropped, f.ID)
			default:
				chosen[f.ID] = true
				room -= int(f.Size)
			}
		}
	}
	list := b.history.View.Messages
	for i := int64(len(list)) - 1; i >= max(from-b.history.First, 0); i-- {
		for j := range slices.Backward(list[i].ToolCalls) {
			pick(list[i].ToolCalls[j].ID)
		}
		pick(list[i].ID)
	}
	return chosen, dropped
}

// withFiles adds images and PDFs to the results and messages that they belong to. Files that the
// model does not accept, or has no room for, are named in a note. The messages of the history are
// not changed.
func (a attachments) withFiles(ctx context.Context, messages []model.Message, chosen map[string]bool) []model.Message {
	if len(a.of) == 0 {
		return messages
	}
	messages = slices.Clone(messages)
	for i := range messages {
		to, unseen := &messages[i], []string(nil)
		for _, f := range a.of[cmp.Or(to.ToolCallID, to.ID)] {
			var data []byte
			if chosen[f.ID] {
				data = a.content(ctx, f.ID, int(f.Size))
			}
			switch {
			case len(data) == 0 && (strings.Contains(to.Content, fileTextBegins+f.Name) || strings.Contains(to.Content, f.Name+textUnread)):
				// its text, or why it has none, is there
			case len(data) == 0:
				unseen = append(unseen, f.Name)
			case f.Type == pdfType:
				to.PDFs = append(to.PDFs, model.PDF{Name: f.Name, Data: data})
			default:
				to.Images = append(to.Images, model.Image{Media: f.Type, Data: data})
			}
		}
		if len(unseen) > 0 {
			to.Content += note([]string{"You see the names of these files, but not their content: " + strings.Join(unseen, ", ")})
		}
	}
	return messages
}

// content returns the content of a file, which it reads once in a run. It returns nothing if the
// file cannot be read; the model then still has its name, type and size.
func (a attachments) content(ctx context.Context, id string, most int) []byte {
	if data, ok := a.read[id]; ok {
		return data
	}
	data, err := a.first(ctx, id, most)
	if err != nil {
		a.source.Log.Warn("cannot read a file; the model gets only its name, type and size", "error", err)
		data = nil
	}
	a.read[id] = data
	return data
}

// attach reads the files of the messages from a position on, to be sent to the model.
func (b *Builder) attach(ctx context.Context, from int64) {
	list := b.history.View.Messages
	for i := max(from-b.history.First, 0); i < int64(len(list)); i++ {
		if m := &list[i]; len(m.Files) > 0 && m.Attached == "" {
			m.Attached = contextwindow.Attached(m.Files) + b.texts(ctx, m.Files)
		}
	}
}
