// Package uploads keeps the files that people send: what is known about them in the store, their
// contents in a file store.
//
//	Upload ── begun: a row, if the chat has room ── bytes ── whole: the row has size and type
//	Attach, Answers ── in the update of a message or an answer: which files come with it
//	Discard, Sweep ── unused files, and those of erased chats: bytes first, then the row
//
// The files of a chat that has not begun are kept apart until it does (chat.Ref.Unsent), those that an
// answer link uploaded until an answer names them (chat.Ref.Linked).
package uploads

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/budget"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
)

const (
	// unusedLife is how long a file is kept that answers nothing: a person may continue a form the next
	// morning. It is longer than any upload takes.
	unusedLife = 24 * time.Hour
	// unsentLife is how long the files of a chat that has not begun are kept after the last one came,
	// and how long each file of an answer link is.
	unsentLife = time.Hour
	// SweepEvery is how soon the bytes of erased chats are gone if deleting them with the chat failed.
	SweepEvery = time.Minute
	// uploadTimeout bounds an upload, however slow it is.
	uploadTimeout = 10 * time.Minute
	sweepLimit    = 200 // rows read at a time
)

// Store is the part of the gateway's store that knows about files.
type Store interface {
	Files() store.Files
	Now() time.Time
	ViewPart(ctx context.Context, ref chat.Ref, part store.Part) (*store.View, error)
}

// Keeper keeps the files of chats. It is safe for concurrent use.
type Keeper struct {
	store  Store
	bytes  files.Store
	texts  texts
	update Update
	log    *slog.Logger
}

// Update is one bounded update of the store. A lazy one does not wait for the disk.
type Update func(ref chat.Ref, point string, lazy bool, fn func(store.Tx) error) error

// New makes a keeper. If bytes is nil, it accepts no files. If reader is nil, PDF and DOCX files have no
// texts.
func New(s Store, bytes files.Store, reader *extract.Reader, update Update, log *slog.Logger) *Keeper {
	return &Keeper{store: s, bytes: bytes, texts: texts{reader: reader, places: make(chan struct{}, maxWhole), known: map[string]text{}}, update: update, log: log}
}

// Upload is a file that is being uploaded for a question of a chat, or for a message.
type Upload struct {
	Config          *config.Snapshot
	Ref             chat.Ref
	ClarificationID string // the question; "": any that waits in the chat, or the next message
	ByLink          bool   // by the question's answer link, which another person may hold: only an answer to the question finds it
	Name            string // the client's name for it
	Body            io.Reader
}

// errTooLarge ends a body that has more bytes than the questions accept.
var errTooLarge = errors.New("uploads: the file is too large")

// Upload keeps a file that a pending question of the chat accepts, or that the app accepts with
// messages. Refusals are *chat.Errors; an error of reading the body is returned as it is. Of a
// refused file nothing is left, after a minute at the latest.
func (k *Keeper) Upload(ctx context.Context, u Upload) (chat.File, error) {
	f := chat.File{ID: chat.NewID(tools.FilePrefix), CreatedAt: k.store.Now(), Attachment: tools.Attachment{Name: tools.FileName(u.Name)}}
	app, ok := u.Config.App(u.Ref.App)
	switch {
	case !ok:
		return f, &chat.Error{Code: chat.CodeNotFound}
	case k.bytes == nil || app.MaxFile == 0:
		return f, &chat.Error{Code: chat.CodeFilesUnavailable, Detail: "no_file_store"}
	}
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	wanted, err := k.wanted(ctx, app, &u)
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
	if most, err = k.begin(&u, f, most); err != nil {
		return f, err
	}
	f.Size, err = k.bytes.Put(ctx, f.ID, &bounded{io.MultiReader(bytes.NewReader(head[:n]), u.Body), most})
	if err == nil {
		err = k.update(u.Ref, "file.whole", false, func(tx store.Tx) error {
			_, room, err := held(tx, &u.Config.Gateway.Files)
			switch {
			case err != nil:
				return err
			case f.Size > room: // other files came in meanwhile
				return filesFull(&u.Config.Gateway.Files)
			}
			if err := budget.Storage(tx, u.Config.Gateway.Limits.StoredBytes, u.Ref.Owner(), f.Size); err != nil {
				return err
			}
			return tx.Files().Save(f)
		})
	}
	if err != nil {
		k.giveUp(u.Ref, f.ID)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return f, &chat.Error{Code: chat.CodeTooLarge, Detail: "file_size", Params: map[string]any{"Limit": tools.Size(most)}}
	case errors.Is(err, files.ErrUnavailable):
		k.log.Error("cannot store a file", "error", err)
		return f, &chat.Error{Code: chat.CodeFilesUnavailable, Err: err}
	}
	return f, err
}

// bounded is a body of limited size.
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

// known fails if the chat does not exist: an update would create it.
func known(tx store.Tx) error {
	if head := tx.Conversation(); head.Fence == 0 && !head.IsUnsent() {
		return store.ErrNotFound
	}
	return nil
}

// held returns how many files an existing chat has, and for how many bytes it has room.
func held(tx store.Tx, limits *config.Files) (n int, room int64, err error) {
	if err := known(tx); err != nil {
		return 0, 0, err
	}
	n, size, err := tx.Files().Held()
	return n, limits.PerChatBytes - size, err
}

// filesFull refuses a file for a chat that has as many as it may.
func filesFull(limits *config.Files) error {
	return &chat.Error{Code: chat.CodeNoFileWanted, Detail: "files_full", Params: map[string]any{"Max": limits.PerChat, "Limit": tools.Size(limits.PerChatBytes)}}
}

// wanted returns the parts of pending questions that a file may answer, and what the app accepts
// with messages. For a chat that has not begun, and for an answer link, it changes u.Ref to where the
// files are kept until then.
func (k *Keeper) wanted(ctx context.Context, app *config.App, u *Upload) (parts []tools.Part, err error) {
	view, err := k.store.ViewPart(ctx, u.Ref, store.Part{Limit: 1})
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
		if u.ClarificationID != "" && u.ClarificationID != c.ID || u.ClarificationID == "" && c.For != "" || !c.ExpiresAt.IsZero() && !k.store.Now().Before(c.ExpiresAt) {
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
	if u.ByLink {
		u.Ref = u.Ref.Linked(u.ClarificationID)
	}
	return parts, nil
}

// typeRefused returns the text's id for a file of a type that is not accepted here.
func typeRefused(wanted []tools.Part) string {
	if wanted[0].InputType != tools.File {
		return "attachment_type"
	}
	return "file_type"
}

// begin adds the row of a file if the chat has room for one. It returns how large the file may then
// be.
func (k *Keeper) begin(u *Upload, f chat.File, most int64) (int64, error) {
	limits := &u.Config.Gateway.Files
	err := k.update(u.Ref, "file.begun", true, func(tx store.Tx) error {
		n, room, err := held(tx, limits)
		switch {
		case err != nil:
			return err
		case n >= limits.PerChat || room <= 0:
			return filesFull(limits)
		}
		if err := budget.Storage(tx, u.Config.Gateway.Limits.StoredBytes, u.Ref.Owner(), 1); err != nil {
			return err
		}
		most = min(most, room)
		if head := tx.Conversation(); head.IsUnsent() {
			head.UpdatedAt = f.CreatedAt
		}
		return tx.Files().Add(f)
	})
	return most, err
}

// giveUp deletes what there is of a refused file, and removes the file from its chat. The sweep
// deletes what this misses.
func (k *Keeper) giveUp(ref chat.Ref, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), store.Timeout)
	defer cancel()
	if err := k.bytes.Delete(ctx, id); err != nil {
		k.log.Warn("cannot delete a refused file; a sweep deletes it later", "error", err)
	}
	err := k.update(ref, "file.gone", true, func(tx store.Tx) error { return errors.Join(known(tx), tx.Files().GiveUp(id)) })
	if err != nil && !errors.Is(err, store.ErrNotFound) { // otherwise it is gone with its chat
		k.log.Warn("cannot remove a refused file from its chat; a sweep removes it within a day", "error", err)
	}
	k.Drop(ctx)
}

// OpenFile returns a file of a chat, or one that waits for the chat to begin, and its content.
// Unless clarificationID is "", the file must answer that question.
func (k *Keeper) OpenFile(ctx context.Context, ref chat.Ref, id, clarificationID string) (chat.File, io.ReadCloser, error) {
	f, err := k.store.Files().File(ctx, ref, id)
	if errors.Is(err, store.ErrNotFound) && clarificationID == "" {
		f, err = k.store.Files().File(ctx, ref.Unsent(), id)
	}
	if err != nil || clarificationID != "" && f.UsedBy != clarificationID {
		return f, nil, errors.Join(err, store.ErrNotFound)
	}
	body, err := k.Bytes(ctx, id)
	return f, body, err
}

// Bytes opens the content of a file.
func (k *Keeper) Bytes(ctx context.Context, id string) (io.ReadCloser, error) {
	if k.bytes == nil {
		return nil, &chat.Error{Code: chat.CodeFilesUnavailable, Detail: "no_file_store"}
	}
	body, err := k.bytes.Open(ctx, id)
	switch {
	case errors.Is(err, files.ErrUnavailable):
		k.log.Error("cannot read a file", "error", err)
		return nil, &chat.Error{Code: chat.CodeFilesUnavailable, Err: err}
	case err != nil: // it does not exist any more
		return nil, &chat.Error{Code: chat.CodeNotFound, Err: err}
	}
	return body, nil
}

// Discard deletes an upload that is not used. The error is not_found if there is none.
func (k *Keeper) Discard(ctx context.Context, ref chat.Ref, id string) error {
	var err error
	for _, at := range []chat.Ref{ref, ref.Unsent()} {
		err = k.update(at, "file.gone", true, func(tx store.Tx) error {
			f, err := tx.Files().Find(id)
			if err == nil && f.UsedBy != "" {
				err = store.ErrNotFound
			}
			if err != nil {
				return err
			}
			return tx.Files().GiveUp(id)
		})
		if !errors.Is(err, store.ErrNotFound) {
			break
		}
	}
	if err == nil {
		k.Drop(ctx)
	}
	return err
}

// Sweep gives up files that have not been used for a day, and drops those that no chat has any more.
func (k *Keeper) Sweep(ctx context.Context) {
	now := k.store.Now()
	if err := k.store.Files().GiveUpFiles(ctx, now.Add(-unusedLife), now.Add(-unsentLife)); err != nil {
		k.log.Warn("cannot release unused files", "error", err)
	}
	k.Drop(ctx)
}

// Drop deletes the bytes of files that no chat has any more, and their rows.
func (k *Keeper) Drop(ctx context.Context) {
	if k.bytes == nil {
		return
	}
	for ctx.Err() == nil {
		list, err := k.store.Files().GoneFiles(ctx, k.store.Now().Add(-2*uploadTimeout), sweepLimit)
		for _, f := range list {
			if err == nil && !f.Kept {
				err = k.bytes.Delete(ctx, f.ID)
			}
			if err == nil {
				err = k.store.Files().DropFile(ctx, f)
			}
		}
		if err != nil {
			k.log.Warn("cannot delete files of deleted chats; will retry", "error", err)
		}
		if err != nil || len(list) < sweepLimit {
			return
		}
	}
}

// joined returns a list of types as people read it, without duplicates.
func joined(accept []string) string {
	slices.Sort(accept)
	return strings.Join(slices.Compact(accept), ", ")
}
