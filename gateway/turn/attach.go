package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/fit"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// FilesError refuses a message for the files that were to come with it. The Field of each says
// which, as files[1].
type FilesError struct{ Fields []tools.FieldError }

func (e *FilesError) Error() string { return "turn: files that cannot come with a message" }

// The codes of a FilesError beside tools.FaultFile.
const (
	FaultFileType = "file_type"      // Type, and Accept: what is taken
	FaultFileSize = "file_size"      // Max
	FaultFiles    = "too_many_files" // Max
	FaultNoFiles  = "no_files"
)

// attach has the files of the command be those of the message with that id: uploads of this
// chat, each for one message.
func (t *transition) attach(messageID string) ([]chat.SentFile, error) {
	ids, takes := t.cmd.Files, t.app.Attachments
	switch {
	case len(ids) == 0:
		return t.cmd.sent, nil
	case takes.MaxFiles == 0:
		return nil, &FilesError{[]tools.FieldError{{Field: "files", Code: FaultNoFiles}}}
	case len(ids) > takes.MaxFiles:
		return nil, &FilesError{[]tools.FieldError{{Field: "files", Code: FaultFiles, Params: map[string]any{"Max": takes.MaxFiles}}}}
	}
	var list []chat.SentFile
	var faults []tools.FieldError
	for i, id := range ids {
		f, err := t.adopted(id)
		refused := func(code string, params map[string]any) {
			faults = append(faults, tools.FieldError{Field: fmt.Sprintf("files[%d]", i), Code: code, Params: params})
		}
		switch {
		case errors.Is(err, store.ErrNotFound), err == nil && f.UsedBy != "":
			refused(tools.FaultFile, nil)
			continue
		case err != nil:
			return nil, err
		case !tools.Accepts(takes.Accept, f.Name, f.Type):
			refused(FaultFileType, map[string]any{"Type": f.Type, "Accept": strings.Join(takes.Accept, ", ")})
		case f.Size > takes.MaxBytes:
			refused(FaultFileSize, map[string]any{"Max": tools.Size(takes.MaxBytes)})
		}
		f.UsedBy = messageID
		if err := t.tx.SaveFile(f); err != nil {
			return nil, err
		}
		list = append(list, chat.SentFile{ID: f.ID, Attachment: f.Attachment})
	}
	if len(faults) > 0 {
		return nil, &FilesError{faults}
	}
	return list, nil
}

// adopted is a file of the chat, or one that waited for the chat to begin.
func (t *transition) adopted(id string) (chat.File, error) {
	if !tools.IsFileID(id) {
		return chat.File{}, store.ErrNotFound
	}
	f, err := t.tx.File(id)
	if !errors.Is(err, store.ErrNotFound) {
		return f, err
	}
	if err := t.tx.Adopt(id); err != nil {
		return f, err
	}
	return t.tx.File(id)
}

// Discard deletes an upload that nothing uses: not_found where there is none.
func (e *Engine) Discard(ctx context.Context, ref chat.Ref, id string) error {
	var err error
	for _, at := range []chat.Ref{ref, ref.Unsent()} {
		err = e.update(at, "file.gone", true, func(tx store.Tx) error {
			f, err := tx.File(id)
			if err == nil && f.UsedBy != "" {
				err = store.ErrNotFound
			}
			if err != nil {
				return err
			}
			return tx.GiveUpFile(id)
		})
		if !errors.Is(err, store.ErrNotFound) {
			break
		}
	}
	if err == nil {
		e.dropFiles(ctx)
	}
	return err
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
