package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that a tool reads: on disk, or embedded in the program.
type File struct {
	Path string
	// Built has the file of the built-in configuration, at Path; nil: the file is on disk.
	Built fs.FS `json:"-"`
}

// Stat describes the file.
func (f File) Stat() (fs.FileInfo, error) {
	if f.Built != nil {
		return fs.Stat(f.Built, f.Path)
	}
	return os.Stat(f.Path)
}

// Read reads the file, but at most one byte more than most bytes of it.
func (f File) Read(most int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening it could wait for a writer
		return nil, errors.New("is not a file")
	}
	files, name := f.Built, f.Path
	if files == nil {
		files, name = os.DirFS(filepath.Dir(f.Path)), filepath.Base(f.Path)
	}
	in, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, most+1))
}

// FileKey is a key for the path of a file, relative to the configuration directory. check returns what
// is wrong with the file. As with FolderKey, that and a missing file are faults only where the
// configuration is checked.
func FileKey(name string, dst *File, check func(File) error, doc string) Key {
	return Path(name, &dst.Path, doc).Then(func(n Value) {
		if dst.Path == "" {
			return
		}
		fault := n.startable
		if n.p.dir == "" {
			dst.Path, dst.Built, fault = filepath.ToSlash(dst.Path), n.p.files, n.Fault
		}
		if _, err := dst.Stat(); err != nil {
			fault("file %s does not exist; create it, or correct the path", dst.Path)
		} else if err := check(*dst); err != nil {
			fault("file %s %s", dst.Path, err)
		}
	})
}
