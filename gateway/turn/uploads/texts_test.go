package uploads_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/files"
	"github.com/askgate/askgate/gateway/turn/uploads"
	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
)

// stuck is a store whose files cannot be read until they are released.
type stuck struct {
	files.Store
	opened  atomic.Int32
	release chan struct{}
}

func (s *stuck) Open(context.Context, string) (io.ReadCloser, error) {
	s.opened.Add(1)
	return io.NopCloser(s), nil
}

func (s *stuck) Read([]byte) (int, error) {
	<-s.release
	return 0, io.EOF
}

// Of the PDF and DOCX files that people send, two are in memory at a time, however many turns need
// one. A turn waits for a minute, and goes on without the text.
func TestFewFilesAreInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &stuck{release: make(chan struct{})}
		k := uploads.New(nil, s, extract.New(), nil, slog.New(slog.DiscardHandler))
		began := time.Now()
		var first, others sync.WaitGroup
		read := func(size int64) error {
			_, _, err := k.Text(t.Context(), &chat.SentFile{ID: chat.NewID("f"), Attachment: tools.Attachment{Type: "application/pdf", Size: size}})
			return err
		}
		for range 2 {
			first.Go(func() { _ = read(1) })
		}
		synctest.Wait()
		for range 18 {
			others.Go(func() {
				if err := read(1); err == nil || errors.As(err, new(extract.Refused)) {
					t.Errorf("a file that was not read: %v", err)
				}
			})
		}
		others.Wait()
		if n, waited := s.opened.Load(), time.Since(began); n != 2 || waited != time.Minute {
			t.Errorf("%d files were opened, the others waited for %s", n, waited)
		}
		if err := read(extract.MaxFile + 1); !errors.Is(err, extract.Large) {
			t.Error(err)
		}
		close(s.release)
		first.Wait()
		if err := read(1); !errors.Is(err, extract.ErrNotHere) {
			t.Errorf("with room again: %v", err)
		}
	})
}
