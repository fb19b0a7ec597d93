package config

import "os"

// stamps are the files of a configuration with their metadata, to notice
// changes. A nil value is a file that did not exist.
type stamps map[string]os.FileInfo

// add adds the existing files of another set.
func (s stamps) add(other stamps) {
	for name, info := range other {
		if info != nil {
			s[name] = info
		}
	}
}

func (s stamps) same(other stamps) bool {
	if len(s) != len(other) {
		return false
	}
	for name, a := range s {
		b, ok := other[name]
		if !ok || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) || !os.SameFile(a, b) {
			return false
		}
	}
	return true
}
