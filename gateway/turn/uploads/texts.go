package uploads

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model/contextwindow"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
)

// texts are the beginnings of the texts of PDF and DOCX files that were read lately: as much of each
// as models get. Reading one can take seconds, and each turn of a chat needs them. A file's content
// never changes.
type texts struct {
	reader *extract.Reader

	mu    sync.Mutex
	known map[string]text // by the id of the file
	order []string        // ids, the oldest first
}

// maxTexts is how many texts are kept in memory: 3 MiB at most.
const maxTexts = 64

type text struct {
	begins string
	whole  bool
	err    error // an extract.Refused
}

// Text returns the beginning of the text of a PDF or DOCX file, up to what a model gets of files
// (contextwindow.MaxFileText), and whether that is all of it. The error is an extract.Refused, whose
// words say what the user can do, extract.ErrNotHere if such files are not read here, or another that
// may pass. Lines that deceive people or pass for others are the caller's to treat.
func (k *Keeper) Text(ctx context.Context, f *chat.SentFile) (begins string, whole bool, err error) {
	format := extract.ByType(f.Type)
	if format == 0 || k.texts.reader == nil {
		return "", false, extract.ErrNotHere
	}
	k.texts.mu.Lock()
	t, ok := k.texts.known[f.ID]
	k.texts.mu.Unlock()
	if ok {
		return t.begins, t.whole, t.err
	}
	body, err := k.Bytes(ctx, f.ID)
	if err != nil {
		return "", false, err
	}
	defer body.Close()
	data, err := io.ReadAll(io.LimitReader(body, extract.MaxFile+1))
	if err != nil {
		return "", false, err
	}
	read, err := k.texts.reader.Read(ctx, format, data)
	if err != nil && !errors.As(err, new(extract.Refused)) {
		return "", false, err
	}
	all := tools.Clean(read.String())
	t = text{begins: tools.Clip(all, contextwindow.MaxFileText), err: err}
	t.whole = len(t.begins) == len(all)
	k.texts.keep(f.ID, t)
	return t.begins, t.whole, t.err
}

func (k *texts) keep(id string, t text) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.known[id]; !ok {
		k.order = append(k.order, id)
	}
	k.known[id] = t
	if len(k.order) > maxTexts {
		delete(k.known, k.order[0])
		k.order = k.order[1:]
	}
}
