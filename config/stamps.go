package config

import "os"

// stamps are the files that make up a configuration, as the file system
// describes them.
type stamps map[string]os.FileInfo

// add takes over the files of another set that are there.
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
