package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// partial ends the name of a file of which not all is there.
const partial = ".part"

const folderHint = "see that the folder of files.store can be written and its disk has room"

// folder keeps a file for each. os.Root keeps it from leaving the folder, by links too.
type folder struct{ root *os.Root }

func openFolder(path string) (Store, error) {
	path = filepath.Clean(path)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, unavailable(err, folderHint)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unavailable(err, folderHint)
	}
	return folder{root}, nil
}

func (f folder) Put(ctx context.Context, id string, r io.Reader) (int64, error) {
	if err := guard(id); err != nil {
		return 0, err
	}
	from := &source{r: r}
	if err := f.write(ctx, id, from); err != nil {
		if from.err != nil {
			return from.n, from.err
		}
		return from.n, unavailable(err, folderHint)
	}
	return from.n, nil
}

func (f folder) write(ctx context.Context, id string, from *source) error {
	file, err := f.root.OpenFile(id+partial, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	if err == nil {
		err = file.Sync() // an answer that is stored must not lose its file to a power cut
	}
	if err = errors.Join(err, file.Close(), ctx.Err()); err != nil {
		return err
	}
	if err := f.root.Rename(id+partial, id); err != nil {
		return err
	}
	return f.sync()
}

// sync has the disk keep the folder's entries.
func (f folder) sync() error {
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (f folder) Open(_ context.Context, id string) (io.ReadCloser, error) {
	if err := guard(id); err != nil {
		return nil, err
	}
	file, err := f.root.Open(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, unavailable(err, folderHint)
	}
	return file, nil
}

func (f folder) Delete(_ context.Context, id string) error {
	if err := guard(id); err != nil {
		return err
	}
	for _, name := range []string{id, id + partial} {
		if err := f.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable(err, folderHint)
		}
	}
	return nil
}
