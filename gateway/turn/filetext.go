package turn

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

// fileTexts are the texts of the files that answered a question, as they stand behind the
// result of its call. Each is indented, so that no line of it passes for another answer's.
func (r *Run) fileTexts(c *chat.Clarification) string {
	if c.State != tools.StateAnswered {
		return ""
	}
	return r.texts(uploads.Answering(c))
}

// texts are those of files that hold text, as far as there is room.
func (r *Run) texts(files []chat.SentFile) string {
	var b strings.Builder
	room := fit.MaxFileText
	for i := range files {
		f := &files[i]
		if !tools.IsText(f.Type) {
			continue
		}
		text, err := r.fileText(f.ID, room)
		switch {
		case err != nil:
			r.log.Warn("the text of a file is not read", "error", err)
			fmt.Fprintf(&b, "\n\n%s: its text cannot be read at the moment.", f.Name)
		case text != "":
			part := ""
			if int64(len(text)) < f.Size {
				part = fmt.Sprintf(" (the first %d bytes of it)", len(text))
			}
			fmt.Fprintf(&b, fileTextBegins+"%s%s:\n  %s", f.Name, part, tools.Indented(strings.TrimRight(strings.TrimPrefix(text, "\ufeff"), "\r\n")))
			room -= len(text)
		}
	}
	return b.String()
}

const fileTextBegins = "\n\nText of "

// fileText is the beginning of a file, "" where it is no text after all.
func (r *Run) fileText(id string, most int) (string, error) {
	data, err := r.fileBytes(id, most+utf8.UTFMax)
	text := tools.Clip(string(data), most)
	if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", err
	}
	return text, nil
}

// fileBytes are the first bytes of a file.
func (r *Run) fileBytes(id string, most int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), storeTimeout)
	defer cancel()
	body, err := r.engine.Uploads.Bytes(ctx, id)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var b bytes.Buffer
	_, err = io.CopyN(&b, body, int64(most))
	if err == io.EOF { //nolint:errorlint // CopyN returns it as it is
		err = nil
	}
	return b.Bytes(), err
}

// pictures are the images that answered a chat's questions, or came with messages, by the id of
// the call or message.
type pictures map[string][]chat.SentFile

func newPictures(questions []chat.Clarification, messages []chat.Message) pictures {
	found := pictures{}
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

func (p pictures) add(id string, files []chat.SentFile) {
	for _, f := range files {
		if slices.Contains(seen, f.Type) && f.Size <= maxImage {
			p[id] = append(p[id], f)
		}
	}
}

// seen are the types of images that models see.
var seen = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// withImages adds the images to the results and messages that they belong to, as far as the model sees any:
// the newest first, as long as there is room. The history keeps its own messages.
func (r *Run) withImages(messages []model.Message) []model.Message {
	if !r.sees() {
		return messages
	}
	messages = slices.Clone(messages)
	count, room := 0, maxImageBytes
	for i := len(messages) - 1; i >= 0 && count < maxImages; i-- {
		m := &messages[i]
		for _, p := range r.history.pictures[cmp.Or(m.ToolCallID, m.ID)] {
			data := r.image(p.ID)
			if count == maxImages || len(data) == 0 || len(data) > room {
				continue
			}
			m.Images = append(m.Images, model.Image{Media: p.Type, Data: data})
			count, room = count+1, room-len(data)
		}
	}
	return messages
}

// sees says that the model that is asked gets images, and that there are some.
func (r *Run) sees() bool {
	return len(r.history.pictures) > 0 && r.setup.Config.Gateway.Models[r.draft.model].Images
}

// image is what a file holds, read once in a run; nothing where it cannot be read: the model
// then has its name, type and size.
func (r *Run) image(id string) []byte {
	if data, ok := r.images[id]; ok {
		return data
	}
	data, err := r.fileBytes(id, maxImage)
	if err != nil {
		r.log.Warn("an image is not sent to the model", "error", err)
		data = nil
	}
	if r.images == nil {
		r.images = map[string][]byte{}
	}
	r.images[id] = data
	return data
}

// imagesBytes is what the images of a request count for.
func (r *Run) imagesBytes() int64 {
	if !r.sees() {
		return 0
	}
	n := 0
	for _, list := range r.history.pictures {
		n += len(list)
	}
	return imageCost * int64(min(n, maxImages))
}

// attached reads the files of the messages from a position on, for the model.
func (r *Run) attached(from int64) {
	list := r.history.view.Messages
	for i := max(from-r.history.first, 0); i < int64(len(list)); i++ {
		if m := &list[i]; len(m.Files) > 0 && m.Attached == "" {
			m.Attached = fit.Attached(m.Files) + r.texts(m.Files)
		}
	}
}
