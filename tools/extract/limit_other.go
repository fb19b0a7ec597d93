//go:build !linux

package extract

import "os"

// confine has no effect here: only the memory of PDFium is limited.
func confine() error { return nil }

func program() (string, error) { return os.Executable() }
