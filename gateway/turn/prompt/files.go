package prompt

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/fit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
)

const (
	maxImage  = 5 << 20 // bytes of one image: what Anthropic takes
	maxImages = 8       // of one request
	// maxImageBytes is what these hold together: a run keeps them as long as it asks models.
	maxImageBytes = 10 << 20
	// imageCost is in bytes of text: what an image takes of a model's room, about.
	imageCost = 6 << 10
)

// FileTexts are the texts of the files that answered a question, as they stand behind the
// result of its call. Each is indented, so that no line of it passes for another answer's.
func (b *Builder) FileTexts(ctx context.Context, c *chat.Clarification) string {
	if c.State != tools.StateAnswered {
		return ""
	}
	return b.texts(ctx, uploads.Answering(c))
}

// texts are those of files that hold text, as far as there is room.
func (b *Builder) texts(ctx context.Context, files []chat.SentFile) string {
	var text strings.Builder
	room := fit.MaxFileText
	for i := range files {
		f := &files[i]
		if !tools.IsText(f.Type) {
			continue
		}
		content, err := b.text(ctx, f.ID, room)
		switch {
		case err != nil:
			b.Log.Warn("the text of a file is not read", "error", err)
			fmt.Fprintf(&text, "\n\n%s: its text cannot be read at the moment.", f.Name)
		case content != "":
			part := ""
			if int64(len(content)) < f.Size {
				part = fmt.Sprintf(" (the first %d bytes of it)", len(content))
			}
			fmt.Fprintf(&text, fileTextBegins+"%s%s:\n  %s", f.Name, part, tools.Indented(strings.TrimRight(strings.TrimPrefix(content, "\ufeff"), "\r\n")))
			room -= len(content)
		}
	}
	return text.String()
}

const fileTextBegins = "\n\nText of "

// text is the beginning of a file, "" where it is no text after all.
func (b *Builder) text(ctx context.Context, id string, most int) (string, error) {
	data, err := b.bytes(ctx, id, most+utf8.UTFMax)
	text := tools.Clip(string(data), most)
	if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", err
	}
	return text, nil
}

// bytes are the first bytes of a file.
func (b *Builder) bytes(ctx context.Context, id string, most int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), store.Timeout)
	defer cancel()
	body, err := b.File(ctx, id)
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

// attachments are the images that answered a chat's questions, or came with messages.
type attachments struct {
	of   map[string][]chat.SentFile // by the id of the call or message
	read map[string][]byte          // by the id of the file
}

func newAttachments(questions []chat.Clarification, messages []chat.Message) attachments {
	found := attachments{of: map[string][]chat.SentFile{}, read: map[string][]byte{}}
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
		if slices.Contains(seen, f.Type) && f.Size <= maxImage {
			a.of[id] = append(a.of[id], f)
		}
	}
}

// imagesBytes is what the images of a request count for.
func (a attachments) imagesBytes() int64 {
	n := 0
	for _, list := range a.of {
		n += len(list)
	}
	return imageCost * int64(min(n, maxImages))
}

// seen are the types of images that models see.
var seen = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// sees says that the model of that name gets images, and that there are some.
func (b *Builder) sees(name string) bool {
	return len(b.files.of) > 0 && b.Config.Gateway.Models[name].Images
}

// withImages adds the images to the results and messages that they belong to: the newest first,
// as long as there is room. The history keeps its own messages.
func (b *Builder) withImages(ctx context.Context, messages []model.Message) []model.Message {
	messages = slices.Clone(messages)
	count, room := 0, maxImageBytes
	for i := len(messages) - 1; i >= 0 && count < maxImages; i-- {
		m := &messages[i]
		for _, p := range b.files.of[cmp.Or(m.ToolCallID, m.ID)] {
			data := b.image(ctx, p.ID)
			if count == maxImages || len(data) == 0 || len(data) > room {
				continue
			}
			m.Images = append(m.Images, model.Image{Media: p.Type, Data: data})
			count, room = count+1, room-len(data)
		}
	}
	return messages
}

// image is what a file holds, read once in a run; nothing where it cannot be read: the model
// then has its name, type and size.
func (b *Builder) image(ctx context.Context, id string) []byte {
	if data, ok := b.files.read[id]; ok {
		return data
	}
	data, err := b.bytes(ctx, id, maxImage)
	if err != nil {
		b.Log.Warn("an image is not sent to the model", "error", err)
		data = nil
	}
	b.files.read[id] = data
	return data
}

// attach reads the files of the messages from a position on, for the model.
func (b *Builder) attach(ctx context.Context, from int64) {
	list := b.history.View.Messages
	for i := max(from-b.history.First, 0); i < int64(len(list)); i++ {
		if m := &list[i]; len(m.Files) > 0 && m.Attached == "" {
			m.Attached = fit.Attached(m.Files) + b.texts(ctx, m.Files)
		}
	}
}
