package turn

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

const (
	// unusedLife is how long a file is kept that answers nothing: a person may go on with a
	// form the next morning. It is longer than any upload takes.
	unusedLife = 24 * time.Hour
	// sweepFilesEvery is how soon the bytes of erased chats are gone, where deleting them with
	// the chat did not work.
	sweepFilesEvery = time.Minute
	// uploadTimeout bounds an upload, however slowly it comes in.
	uploadTimeout = 10 * time.Minute
)

// Upload is a file that comes in for a question of a chat, or a message.
type Upload struct {
	Setup           *Setup
	Ref             chat.Ref
	ClarificationID string // the question; "": any that waits in the chat, or the next message
	Name            string // as the client calls it
	Body            io.Reader
}

// errTooLarge ends a body that has more bytes than its questions take.
var errTooLarge = errors.New("turn: the file is too large")

// Upload keeps a file that a pending question of the chat takes, or the app with messages. Refusals are *chat.Errors;
// an error of reading the body is returned as it is. Nothing is left of what is refused, at
// the latest after a minute.
func (e *Engine) Upload(ctx context.Context, u Upload) (chat.File, error) {
	f := chat.File{ID: chat.NewID(tools.FilePrefix), CreatedAt: time.Now(), Attachment: tools.Attachment{Name: tools.FileName(u.Name)}}
	app, ok := u.Setup.Config.App(u.Ref.App)
	switch {
	case !ok:
		return f, &chat.Error{Code: chat.CodeNotFound}
	case e.Files == nil || app.MaxFile == 0:
		return f, &chat.Error{Code: chat.CodeFilesUnavailable, Detail: "no_file_store"}
	}
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	wanted, err := e.filesWanted(ctx, app, &u)
	if err != nil {
		return f, err
	}
	head := make([]byte, files.HeadSize)
	n, err := io.ReadFull(u.Body, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return f, err
	}
	f.Type = files.Type(head[:n], f.Name)
	most, accept := int64(0), []string(nil)
	for _, p := range wanted {
		if tools.Accepts(p.Accept, f.Name, f.Type) {
			most = max(most, p.MaxBytes)
		}
		accept = append(accept, p.Accept...)
	}
	if most = min(most, app.MaxFile); most == 0 {
		return f, &chat.Error{Code: chat.CodeUnsupportedMedia, Detail: typeRefused(wanted), Params: map[string]any{"Type": f.Type, "Accept": joined(accept)}}
	}
	if most, err = e.beginFile(&u, f, most); err != nil {
		return f, err
	}
	f.Size, err = e.Files.Put(ctx, f.ID, &bounded{io.MultiReader(bytes.NewReader(head[:n]), u.Body), most})
	if err == nil {
		err = e.update(u.Ref, "file.whole", false, func(tx store.Tx) error {
			_, room, err := held(tx, &u.Setup.Config.Gateway.Files)
			switch {
			case err != nil:
				return err
			case f.Size > room: // others came in meanwhile
				return filesFull(&u.Setup.Config.Gateway.Files)
			}
			return tx.SaveFile(f)
		})
	}
	if err != nil {
		e.giveUp(u.Ref, f.ID)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return f, &chat.Error{Code: chat.CodeTooLarge, Detail: "file_size", Params: map[string]any{"Limit": tools.Size(most)}}
	case errors.Is(err, files.ErrUnavailable):
		e.Log.Error("a file is not kept", "error", err)
		return f, &chat.Error{Code: chat.CodeFilesUnavailable, Err: err}
	}
	return f, err
}

// bounded is a body of at most so many bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// known fails where the chat is not there: an update would make it.
func known(tx store.Tx) error {
	if head := tx.Conversation(); head.Fence == 0 && !head.IsUnsent() {
		return store.ErrNotFound
	}
	return nil
}

// held is how many files a chat that is there has, and how many bytes it has room for.
func held(tx store.Tx, limits *config.Files) (n int, room int64, err error) {
	if err := known(tx); err != nil {
		return 0, 0, err
	}
	n, size, err := tx.FilesHeld()
	return n, limits.PerChatBytes - size, err
}

// filesFull refuses a file of a chat that has as many as it may.
func filesFull(limits *config.Files) error {
	return &chat.Error{Code: chat.CodeNoFileWanted, Detail: "files_full", Params: map[string]any{"Max": limits.PerChat, "Limit": tools.Size(limits.PerChatBytes)}}
}

// filesWanted are the parts of pending questions that a file may answer, and what the app takes
// with messages. A chat that has not begun has its files elsewhere until it does.
func (e *Engine) filesWanted(ctx context.Context, app *config.App, u *Upload) (parts []tools.Part, err error) {
	view, err := e.Store.ViewPart(ctx, u.Ref, store.Part{Limit: 1})
	takes := app.Attachments.MaxFiles > 0 && u.ClarificationID == ""
	if errors.Is(err, store.ErrNotFound) && takes {
		u.Ref, view, err = u.Ref.Unsent(), &store.View{}, nil
	}
	if err != nil {
		return nil, err
	}
	if takes {
		parts = append(parts, tools.Part{Accept: app.Attachments.Accept, MaxBytes: app.Attachments.MaxBytes})
	}
	for _, c := range view.Pending() {
		if u.ClarificationID != "" && u.ClarificationID != c.ID || u.ClarificationID == "" && c.For != "" || !c.ExpiresAt.IsZero() && !time.Now().Before(c.ExpiresAt) {
			continue
		}
		for _, p := range c.Question.Parts {
			if p.InputType == tools.File {
				parts = append(parts, p)
			}
		}
	}
	if len(parts) == 0 {
		return nil, &chat.Error{Code: chat.CodeNoFileWanted}
	}
	return parts, nil
}

// typeRefused is the text for a file of a type that nothing here takes.
func typeRefused(wanted []tools.Part) string {
	if wanted[0].InputType != tools.File {
		return "attachment_type"
	}
	return "file_type"
}

// beginFile adds the row of a file, if the chat has room for one; most is then how large it
// may be.
func (e *Engine) beginFile(u *Upload, f chat.File, most int64) (int64, error) {
	limits := &u.Setup.Config.Gateway.Files
	err := e.update(u.Ref, "file.begun", true, func(tx store.Tx) error {
		n, room, err := held(tx, limits)
		switch {
		case err != nil:
			return err
		case n >= limits.PerChat || room <= 0:
			return filesFull(limits)
		}
		most = min(most, room)
		if head := tx.Conversation(); head.IsUnsent() {
			head.UpdatedAt = f.CreatedAt
		}
		return tx.AddFile(f)
	})
	return most, err
}

// giveUp deletes what there is of a file that is refused, and takes it from its chat; what that
// misses, the sweep does.
func (e *Engine) giveUp(ref chat.Ref, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := e.Files.Delete(ctx, id); err != nil {
		e.Log.Warn("part of a file is kept until it is swept", "error", err)
	}
	err := e.update(ref, "file.gone", true, func(tx store.Tx) error { return errors.Join(known(tx), tx.GiveUpFile(id)) })
	if err != nil && !errors.Is(err, store.ErrNotFound) { // else it is gone with its chat
		e.Log.Warn("part of a file is kept until tomorrow", "error", err)
	}
	e.dropFiles(ctx)
}

// OpenFile is a file of a chat, or one that waits for it to begin, and what it holds; clarificationID, unless it is "", must be
// what it answers.
func (e *Engine) OpenFile(ctx context.Context, ref chat.Ref, id, clarificationID string) (chat.File, io.ReadCloser, error) {
	f, err := e.Store.File(ctx, ref, id)
	if errors.Is(err, store.ErrNotFound) && clarificationID == "" {
		f, err = e.Store.File(ctx, ref.Unsent(), id)
	}
	if err != nil || clarificationID != "" && f.UsedBy != clarificationID {
		return f, nil, errors.Join(err, store.ErrNotFound)
	}
	body, err := e.openBytes(ctx, id)
	return f, body, err
}

func (e *Engine) openBytes(ctx context.Context, id string) (io.ReadCloser, error) {
	if e.Files == nil {
		return nil, &chat.Error{Code: chat.CodeFilesUnavailable, Detail: "no_file_store"}
	}
	body, err := e.Files.Open(ctx, id)
	switch {
	case errors.Is(err, files.ErrUnavailable):
		e.Log.Error("a file is not read", "error", err)
		return nil, &chat.Error{Code: chat.CodeFilesUnavailable, Err: err}
	case err != nil: // not there any more
		return nil, &chat.Error{Code: chat.CodeNotFound, Err: err}
	}
	return body, nil
}

// sweepFiles deletes the bytes of files that no chat has any more, and then their rows.
func (e *Engine) sweepFiles(ctx context.Context) {
	if err := e.Store.GiveUpFiles(ctx, time.Now().Add(-unusedLife)); err != nil {
		e.Log.Warn("files that answer nothing not given up", "error", err)
	}
	e.dropFiles(ctx)
}

func (e *Engine) dropFiles(ctx context.Context) {
	if e.Files == nil {
		return
	}
	for ctx.Err() == nil {
		list, err := e.Store.GoneFiles(ctx, time.Now().Add(-2*uploadTimeout), sweepLimit)
		for _, f := range list {
			if err == nil && !f.Kept {
				err = e.Files.Delete(ctx, f.ID)
			}
			if err == nil {
				err = e.Store.DropFile(ctx, f)
			}
		}
		if err != nil {
			e.Log.Warn("files of erased chats not deleted, tried again", "error", err)
		}
		if err != nil || len(list) < sweepLimit {
			return
		}
	}
}

// fileIDs are the ids of the files that an answer names, by the part.
func fileIDs(q *tools.Question, a *tools.Answer) map[int]string {
	ids := map[int]string{}
	for i := range q.Parts {
		var id string
		if of := partAnswer(q, a, i); q.Parts[i].InputType == tools.File && of != nil && json.Unmarshal(of.Value, &id) == nil && tools.IsFileID(id) {
			ids[i] = id
		}
	}
	return ids
}

// partAnswer is the answer to one part; nil: there is none.
func partAnswer(q *tools.Question, a *tools.Answer, part int) *tools.Answer {
	switch {
	case a == nil || a.Skipped || a.Declined:
		return nil
	case len(q.Parts) == 1 && len(a.Answers) == 0:
		return a
	case part < len(a.Answers):
		return &a.Answers[part]
	}
	return nil
}

// withFiles is an answer with what is known of the files that it names: those of the chat, and
// of no other question.
func (t *transition) withFiles(c *chat.Clarification, a tools.Answer) (tools.Answer, error) {
	ids := fileIDs(&c.Question, &a)
	if len(ids) == 0 {
		return a, nil
	}
	a.Answers = slices.Clone(a.Answers)
	var faults []tools.FieldError
	for i, id := range ids {
		f, err := t.tx.File(id)
		switch {
		case err == nil && (f.UsedBy == "" || f.UsedBy == c.ID) && t.claims(id, c.ID):
			partAnswer(&c.Question, &a, i).File = &f.Attachment
		case err == nil, errors.Is(err, store.ErrNotFound):
			faults = append(faults, tools.FieldError{Question: i, Field: "value", Code: tools.FaultFile})
		default:
			return a, err
		}
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b tools.FieldError) int { return a.Question - b.Question })
		return a, &tools.AnswerError{Fields: faults}
	}
	return a, nil
}

// claims says that no answer which came with this one names the file for another question.
func (t *transition) claims(id, clarificationID string) bool {
	if t.files == nil {
		t.files = map[string]string{}
	}
	t.files[id] = cmp.Or(t.files[id], clarificationID)
	return t.files[id] == clarificationID
}

// useFiles notes that the files of an answer are used: they stay as long as the chat.
func (t *transition) useFiles(c *chat.Clarification) error {
	for _, id := range fileIDs(&c.Question, c.Answer) {
		f, err := t.tx.File(id)
		if err == nil && f.UsedBy == "" {
			f.UsedBy = c.ID
			err = t.tx.SaveFile(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
