package uploads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

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
	places chan struct{} // has an element for each file in memory

	mu    sync.Mutex
	known map[string]text // by the id of the file
	order []string        // ids, the oldest first
}

const (
	// maxTexts is how many texts are kept in memory: 3 MiB at most.
	maxTexts = 64
	// maxWhole is how many files are in memory, whole, at the same time: as many as are read.
	maxWhole = 2
	// maxWait is how long a turn waits until fewer are: people can send files that take as long as
	// possible.
	maxWait = time.Minute
)

var errBusy = fmt.Errorf("it was not its turn within %s, because other PDF and DOCX files are read", maxWait)

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
	if f.Size > extract.MaxFile {
		return "", false, extract.Large
	}
	soon, cancel := context.WithTimeoutCause(ctx, maxWait, errBusy)
	defer cancel()
	select {
	case k.texts.places <- struct{}{}:
		defer func() { <-k.texts.places }()
	case <-soon.Done():
		return "", false, context.Cause(soon)
	}
	data, err := k.whole(soon, f.ID)
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

// whole returns the content of a file, up to one byte more than the limit.
func (k *Keeper) whole(ctx context.Context, id string) ([]byte, error) {
	body, err := k.Bytes(ctx, id)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return io.ReadAll(io.LimitReader(body, extract.MaxFile+1))
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
