package documents

import (
	"bytes"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/tooltypes/documents/index"
)

// synonymsFile is the state of a library's file of synonyms. Only the loop uses it.
type synonymsFile struct {
	size    int64
	changed time.Time
	raw     []byte // its content at the last reading
	told    string // the fault that was logged
}

// readSynonyms reads a file of synonyms.
func readSynonyms(f config.File) (raw []byte, s *index.Synonyms, err error) {
	if raw, err = f.Read(index.MaxSynonyms); err != nil {
		return nil, nil, plainly(err)
	}
	s, err = index.ReadSynonyms(raw)
	return raw, s, err
}

// readable returns what is wrong with a file of synonyms.
func readable(f config.File) error {
	_, _, err := readSynonyms(f)
	return err
}

// readWords reads what is known of words, if the file of synonyms has changed. A file that cannot be
// used changes nothing, and is logged once.
func (l *library) readWords() {
	f := &l.synonyms
	if l.words.Load() == nil {
		l.keepWords(nil)
	}
	if l.o.Synonyms.Path == "" {
		return
	}
	info, err := l.o.Synonyms.Stat()
	if err == nil && info.Size() == f.size && info.ModTime().Equal(f.changed) && time.Since(f.changed) > fresh {
		return
	}
	if err == nil && info.Size() == 0 && time.Since(info.ModTime()) < fresh {
		return // it is being written
	}
	var raw []byte
	var s *index.Synonyms
	if err == nil {
		if raw, s, err = readSynonyms(l.o.Synonyms); raw != nil {
			f.size, f.changed = info.Size(), info.ModTime()
		}
	}
	if err != nil {
		if f.told != err.Error() {
			f.told = err.Error()
			l.log.Warn("the file of synonyms cannot be used; what was read before stays in use", "file", l.o.Synonyms.Path, "error", plainly(err))
		}
		return
	}
	f.told = ""
	if f.raw == nil || !bytes.Equal(f.raw, raw) {
		f.raw = raw
		l.keepWords(s)
	}
}

// keepWords makes the words that searches use.
func (l *library) keepWords(s *index.Synonyms) {
	words, err := index.NewWords(l.o.Languages, s)
	if err != nil {
		l.log.Error("the languages of documents cannot be used", "error", err)
		return
	}
	l.words.Store(words)
}
