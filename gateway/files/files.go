// Package files keeps the bytes of what people upload as answers: in a folder, or in a bucket
// of S3-compatible storage. What is known of a file, and whose it is, is in the store:
//
//	upload ── row (store) ── bytes (here) ── row says: whole ──> an answer names it
//	erased, or never used: row says: gone ── bytes deleted ── row deleted
//
// A file's row is there before its bytes and after them, so that a crash at any point leaves
// nothing that is not found again, and no store of bytes is ever listed.
package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/askgate/askgate/tools"
)

// ErrUnavailable is wrapped by errors of storage that cannot be read or written now.
var ErrUnavailable = errors.New("files: unavailable")

// Store keeps bytes by the ids of their files, which callers mint (tools.IsFileID).
// Implementations are safe for concurrent use.
type Store interface {
	// Put keeps all that r has, and says how much that is. After an error, part of it may be
	// there, which Open does not find and Delete deletes. An error of r is returned as it is.
	Put(ctx context.Context, id string, r io.Reader) (size int64, err error)
	// Open reads them; an error that is fs.ErrNotExist where there are none.
	Open(ctx context.Context, id string) (io.ReadCloser, error)
	// Delete deletes them, and is content where there are none.
	Delete(ctx context.Context, id string) error
}

// Open opens the storage at an address: s3://BUCKET..., else the path of a folder, which is
// made where there is none.
func Open(address string) (Store, error) {
	if strings.HasPrefix(address, s3Scheme) {
		return openS3(address)
	}
	return openFolder(address)
}

// HeadSize is how many bytes of a file Type looks at.
const HeadSize = 3072

// Type is the type of a file by how it begins, and by its name where the bytes do not speak
// against it: a media type without parameters.
func Type(head []byte, name string) string {
	var seen []string
	for m := mimetype.Detect(head[:min(len(head), HeadSize)]); m != nil; m = m.Parent() {
		media, _, _ := strings.Cut(m.String(), ";")
		seen = append(seen, media)
	}
	return tools.FileType(name, seen)
}

// guard refuses ids that no caller mints, whatever they would lead to.
func guard(id string) error {
	if !tools.IsFileID(id) {
		return fmt.Errorf("files: %w: no id of a file", fs.ErrInvalid)
	}
	return nil
}

// unavailable is an error of the storage, with a hint.
func unavailable(err error, hint string) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %s (%w)", ErrUnavailable, hint, err)
}

// source reads for a Put, and remembers its read error, which is not the storage's.
type source struct {
	r   io.Reader
	n   int64
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.n += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
