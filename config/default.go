package config

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed default
var embedded embed.FS

// builtin returns the files of the built-in configuration, used without a directory.
func builtin() fs.FS {
	sub, err := fs.Sub(embedded, "default")
	if err != nil { // impossible: the folder is embedded
		panic(err)
	}
	return sub
}

// WriteDefault writes the built-in configuration into dir, to be edited. It
// creates dir if necessary. If dir is not empty, it returns an error and changes nothing.
func WriteDefault(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty; name a new or empty directory", dir)
	}
	files := builtin()
	return fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if e.IsDir() {
			return os.MkdirAll(path, 0o755)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	})
}
