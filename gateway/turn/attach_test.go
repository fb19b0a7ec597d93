package turn_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/turn"
	"github.com/askgate/askgate/gateway/turn/uploads"
)

// attaching is a house whose app accepts two files with a message.
func attaching(t *testing.T, steps ...answer) (h *house, dir string) {
	t.Helper()
	h, dir = filing(t, steps...)
	h.takes(config.Attachments{MaxFiles: 2, MaxBytes: 100_000, Accept: []string{"text/*", "image/png"}})
	return h, dir
}

func (h *house) takes(a config.Attachments) {
	app, _ := h.engine.Setup().Config.App(h.ref.App)
	app.Attachments = a
}

func (h *house) bearing(text string, files ...string) turn.Command {
	return turn.Command{Ref: h.ref, Message: &text, Files: files, Interactive: true}
}

const listed = "\n\n[Files that came with this message:]\nnotes.txt (text/plain, 11 bytes)\nphoto.png (image/png, 18 bytes)\n\nText of notes.txt:\n  first\n  [x] y"

// The model gets the files of a message, in each later request as well, and none with a message
// without files.
func TestTheModelGetsAttachments(t *testing.T) {
	h, _ := attaching(t, says("One."), says("Two."))
	notes, photo := h.upload("notes.txt", "first\n[x] y"), h.upload("photo.png", png)
	h.upload("other.txt", "left behind")
	h.drive(h.bearing("Look", notes.ID, photo.ID))
	h.drive(h.message("Again"))
	for n, req := range h.model.sent {
		m := req.Messages[0]
		if m.Role != model.RoleUser || m.Content != "Look"+listed || len(m.Images) != 1 || string(m.Images[0].Data) != png {
			t.Errorf("request %d: %+v", n+1, m)
		}
	}
	view, err := h.store.View(t.Context(), h.ref)
	if err != nil {
		t.Fatal(err)
	}
	if m := view.Messages[0]; m.Content != "Look" || m.Attached != "" || len(m.Files) != 2 || m.Files[1] != (chat.SentFile{ID: photo.ID, Attachment: photo.Attachment}) {
		t.Errorf("kept is %+v", m)
	}
}

// A refused message changes nothing: the valid files can be sent again.
func TestFilesThatCannotComeWithAMessage(t *testing.T) {
	h, _ := attaching(t, says("One."), says("Two."))
	fits, large := h.upload("a.txt", "x"), h.upload("b.txt", strings.Repeat("x", 500))
	h.takes(config.Attachments{MaxFiles: 2, MaxBytes: 100, Accept: []string{"text/*"}})
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"too large": {[]string{fits.ID, large.ID}, "files[1] file_size"},
		"twice":     {[]string{fits.ID, fits.ID}, "files[1] file"},
		"too many":  {[]string{fits.ID, fits.ID, fits.ID}, "files too_many_files"},
		"no id":     {[]string{"../etc"}, "files[0] file"},
	} {
		_, err := h.engine.Submit(t.Context(), h.bearing("Go", c.files...))
		var refused *uploads.FilesError
		if !errors.As(err, &refused) || refused.Fields[0].Field+" "+refused.Fields[0].Code != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	h.drive(h.bearing("Go", fits.ID))
	h.takes(config.Attachments{})
	if _, err := h.engine.Submit(t.Context(), h.bearing("Go", large.ID)); !errors.As(err, new(*uploads.FilesError)) {
		t.Errorf("where none are accepted: %v", err)
	}
	h.drive(h.message("Go"))
}

// A message with files does not answer a question, waits with its files if the app is configured
// that way, and is copied with them into a fork.
func TestAttachmentsWaitAndFork(t *testing.T) {
	h, dir := attaching(t, asksFor("call_1", `{"question":"Which?"}`), says("One."), says("Two."), says("Three."))
	app, _ := h.engine.Setup().Config.App(h.ref.App)
	app.Clarifications.OnMessageWhilePending = config.PendingQueue
	first := h.upload("a.txt", "first")
	h.drive(h.bearing("Go", first.ID))
	later := h.upload("b.txt", "later")
	_, _, ended := h.start(h.bearing("Blue", later.ID))
	h.drive(h.answer("call_1", "red"))
	<-ended
	if got := h.model.last().Content; !strings.HasPrefix(got, "Blue") || !strings.Contains(got, "b.txt") || !strings.HasSuffix(got, "  later") {
		t.Errorf("of the queue: %q", got)
	}
	view, err := h.store.View(t.Context(), h.ref)
	if err != nil {
		t.Fatal(err)
	}
	said := view.Messages[len(view.Messages)-2]
	from, old := chat.Fork{ChatID: h.ref.ChatID, MessageID: said.ID}, h.ref
	h.ref.ChatID = "fork"
	h.drive(turn.Command{Ref: h.ref, Fork: &turn.Fork{From: from}, Interactive: true})
	sent := h.model.sent[len(h.model.sent)-1].Messages
	if !strings.Contains(sent[0].Content, "first") || !strings.HasSuffix(sent[len(sent)-1].Content, "  later") {
		t.Errorf("of the fork: %+v", sent)
	}
	if err := h.engine.Delete(context.Background(), old); err != nil {
		t.Fatal(err)
	}
	h.engine.Uploads.Sweep(t.Context())
	for _, id := range []string{first.ID, later.ID} {
		if _, body, err := h.engine.Uploads.OpenFile(t.Context(), h.ref, id, ""); err != nil {
			t.Error(err)
		} else if err := body.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := h.engine.Delete(context.Background(), h.ref); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("left are %v, %v", list, err)
	}
}

// Files for a chat that never began can be read only by their sender, and are gone when they are
// withdrawn.
func TestUploadsBeforeAChat(t *testing.T) {
	h, dir := attaching(t)
	f := h.upload("a.txt", "x")
	if _, body, err := h.engine.Uploads.OpenFile(t.Context(), h.ref, f.ID, ""); err != nil {
		t.Error(err)
	} else if err := body.Close(); err != nil {
		t.Error(err)
	}
	if _, err := h.store.View(t.Context(), h.ref); chat.CodeOf(err) != chat.CodeNotFound {
		t.Errorf("the chat has begun: %v", err)
	}
	stranger := h.ref
	stranger.Subject = "mallory"
	if _, _, err := h.engine.Uploads.OpenFile(t.Context(), stranger, f.ID, ""); chat.CodeOf(err) != chat.CodeNotFound {
		t.Errorf("a stranger reads it: %v", err)
	}
	if err := h.engine.Uploads.Discard(t.Context(), stranger, f.ID); chat.CodeOf(err) != chat.CodeNotFound {
		t.Errorf("a stranger deletes it: %v", err)
	}
	if err := h.engine.Uploads.Discard(t.Context(), h.ref, f.ID); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 0 {
		t.Errorf("left are %v, %v", list, err)
	}
	if list, err := h.store.Files().GoneFiles(t.Context(), time.Now(), 9); err != nil || len(list) != 0 {
		t.Errorf("rows of %v, %v", list, err)
	}
}
