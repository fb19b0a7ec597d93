package documents

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/extract"
	"github.com/askgate/askgate/tooltypes/documents/index"
	"github.com/askgate/askgate/tooltypes/documents/passages"
)

const (
	maxFiles   = 200_000 // of a folder
	maxPath    = 1000    // bytes
	batchFiles = 400     // of one transaction
	batchBytes = 8 << 20
	// batchExtracted is how many PDF and DOCX files are of one transaction: each can take seconds.
	batchExtracted = 20
	maxTold        = 20 // faults of one pass that are logged, of those that leave something out, and of the others
	// fresh is how old a file must be before its time shows every further change.
	fresh = 2 * time.Second
)

// found is a file of the folder.
type found struct {
	path    string
	size    int64
	changed int64 // 0: it may still change within the same tick of the clock
	err     error
}

// pass updates the index to the current content of the folder.
func (l *library) pass() error {
	began := time.Now()
	files, closeFolder, err := l.folder()
	if err != nil {
		return err
	}
	defer closeFolder()
	x := l.x // the loop's own to replace
	if l.known == nil {
		if l.known, err = x.Known(l.ctx); err != nil {
			return err
		}
		if len(l.known) == 0 {
			l.teller.emptied()
		}
	}
	there, left, err := l.walk(files)
	if err != nil {
		return err
	}
	w := &work{l: l, x: x, files: files, began: began, told: map[string]string{}, faults: map[bool]int{}, nextTell: began.Add(tell)}
	var changed []found
	missing := maps.Clone(l.known)
	for _, f := range there {
		before, ok := l.known[f.path]
		if !ok || f.err != nil || before.Changed == 0 || before.Changed != f.changed || before.Size != f.size {
			changed = append(changed, f)
		}
		delete(missing, f.path)
	}
	for _, folder := range slices.Sorted(maps.Keys(left)) {
		w.folder(folder, left[folder])
		maps.DeleteFunc(missing, func(path string, _ index.Stamp) bool { return strings.HasPrefix(path, folder+"/") }) // they stay in the index
	}
	gone := slices.Collect(maps.Keys(missing))
	if err := w.all(changed, gone); err != nil {
		l.known = nil
		return err
	}
	l.told = w.told
	return w.end()
}

// folder opens the folder. It does so for each pass, because the path may lead to another folder.
func (l *library) folder() (fs.FS, func(), error) {
	if l.o.Folder.Built != nil {
		return l.o.Folder.Built, func() {}, nil
	}
	root, err := os.OpenRoot(l.o.Folder.Path)
	if err != nil {
		return nil, nil, plainly(err)
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

// errLink is the error of a symbolic link that leads out of the folder, or to nothing.
var errLink = errors.New("is a symbolic link that cannot be followed within the folder; put the file itself there")

// plainly returns the reason why a file cannot be read, without its path.
func plainly(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// walk lists the files to index. It skips hidden files, which belong to editors or Kubernetes. left are
// the folders that cannot be listed, with the reasons.
func (l *library) walk(files fs.FS) (list []found, left map[string]string, err error) {
	left = map[string]string{}
	now := time.Now()
	err = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case l.ctx.Err() != nil:
			return l.ctx.Err()
		case err != nil && name == ".":
			return plainly(err)
		case err != nil:
			left[name] = plainly(err).Error()
			return nil
		case name != "." && strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir() || !l.wanted(name):
			return nil
		case len(list) == maxFiles:
			return fmt.Errorf("too many files (limit %d); index fewer with \"include\", or split them between two tools", maxFiles)
		}
		f := found{path: name}
		info, err := e.Info()
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if info, err = fs.Stat(files, name); err != nil {
				err = errLink
			}
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && e.Type()&fs.ModeSymlink == 0:
			return nil // it was removed a moment ago
		case err != nil:
			f.err = plainly(err)
		case !info.Mode().IsRegular():
			return nil
		case len(name) > maxPath:
			f.err = fmt.Errorf("its path is longer than %d bytes; shorten it", maxPath)
		default:
			f.size, f.changed = info.Size(), info.ModTime().UnixNano()
			if l.o.Folder.Built == nil && now.Sub(info.ModTime()) < fresh {
				f.changed = 0
			} else if f.changed == 0 || info.ModTime().IsZero() {
				f.changed = 1
			}
		}
		list = append(list, f)
		return nil
	})
	return list, left, err
}

func (l *library) wanted(name string) bool {
	for _, pattern := range l.o.Include {
		if ok, _ := doublestar.Match(pattern, name); ok { // isPattern has checked the pattern
			return true
		}
	}
	return false
}

// work is the work of one pass.
type work struct {
	l        *library
	x        *index.Index
	files    fs.FS
	began    time.Time
	batch    []index.File
	size     int64
	read     int
	wrote    int
	gone     int
	told     map[string]string // by file
	faults   map[bool]int      // new ones, by whether the document is read
	nextTell time.Time
}

// all reads the changed files and writes them in batches. PDF and DOCX files come last, in separate
// batches, so that the others do not wait for them.
func (w *work) all(changed []found, gone []string) error {
	w.gone = len(gone)
	slow := func(path string) int { return min(1, int(extract.ByName(path))) }
	slices.SortStableFunc(changed, func(a, b found) int { return slow(a.path) - slow(b.path) })
	for len(gone) > 0 || len(changed) > 0 {
		var out []string
		out, gone = gone[:min(len(gone), batchFiles)], gone[min(len(gone), batchFiles):]
		for len(changed) > 0 && len(w.batch) < batchFiles && w.size < batchBytes {
			if w.l.ctx.Err() != nil {
				return w.l.ctx.Err()
			}
			if n := len(w.batch); n > 0 && slow(w.batch[n-1].Path) < slow(changed[0].path) {
				break
			}
			if err := w.file(changed[0]); err != nil {
				return err
			}
			changed = changed[1:]
			w.read++
		}
		if len(w.batch) > 0 || len(out) > 0 {
			if err := w.x.Update(w.l.ctx, w.batch, out); err != nil {
				return err
			}
		}
		w.l.teller.move(w.l.known, w.batch, out)
		for _, f := range w.batch {
			w.l.known[f.Path] = f.Stamp
		}
		for _, path := range out {
			delete(w.l.known, path)
			delete(w.l.vague, path)
		}
		w.wrote += len(w.batch)
		w.batch, w.size = w.batch[:0], 0
		w.progress(len(changed))
	}
	return nil
}

// file reads one file.
func (w *work) file(f found) error {
	before, had := w.l.known[f.path]
	if f.err != nil {
		w.fault(f.path, passages.Fault{Why: f.err.Error()})
		if had && before.Size < 0 { // the index has it already
			return nil
		}
		w.batch = append(w.batch, index.File{Path: f.path, Stamp: index.Stamp{Size: -1}, Faults: 1})
		return nil
	}
	data, err := w.content(f)
	if err != nil {
		f.err = plainly(err)
		return w.file(f)
	}
	stamp := index.Stamp{Size: f.size, Changed: f.changed, Sum: sha256.Sum256(data)}
	if had && before.Sum == stamp.Sum && before.Size >= 0 {
		if before.Changed == stamp.Changed && before.Size == stamp.Size {
			return nil
		}
		w.l.known[f.path] = stamp
		return w.x.Same(w.l.ctx, f.path, stamp)
	}
	list, faults, err := w.passages(f.path, data)
	if w.l.ctx.Err() != nil {
		return w.l.ctx.Err()
	}
	if err != nil {
		f.err = err
		return w.file(f)
	}
	leftOut := 0
	for _, fault := range faults {
		w.fault(f.path, fault)
		if !fault.Read {
			leftOut++
		}
	}
	w.batch = append(w.batch, index.File{Path: f.path, Stamp: stamp, Passages: list, Faults: leftOut})
	w.size += int64(len(data))
	if extract.ByName(f.path) != 0 {
		w.size += batchBytes / batchExtracted
	}
	return nil
}

// passages reads a file's content. The error is one that may pass.
func (w *work) passages(path string, data []byte) ([]passages.Passage, []passages.Fault, error) {
	format := extract.ByName(path)
	if format == 0 {
		list, faults := w.l.reader.Read(path, data)
		return list, faults, nil
	}
	text, err := w.l.extract.ReadBehind(w.l.ctx, format, data)
	if why, ok := errors.AsType[extract.Refused](err); ok {
		return nil, []passages.Fault{{Why: why.Error()}}, nil
	} else if err != nil {
		return nil, nil, err
	}
	list, faults := w.l.reader.Extracted(path, text)
	return list, faults, nil
}

// content reads a file, up to one byte more than the limit.
func (w *work) content(f found) ([]byte, error) {
	in, err := w.files.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	most := int64(passages.MaxFile)
	if extract.ByName(f.path) != 0 {
		most = extract.MaxFile
	}
	return io.ReadAll(io.LimitReader(in, most+1))
}

// folder logs a folder that is left out, once.
func (w *work) folder(path, why string) {
	w.told[path] = why
	if w.l.told[path] != why {
		w.l.log.Warn("a folder of documents is left out", "folder", tools.Shorten(path, maxPath), "error", why)
	}
}

// fault logs a fault, unless the pass before found the same.
func (w *work) fault(path string, f passages.Fault) {
	key := fmt.Sprintf("%d %s", f.Line, f.Why)
	old := w.l.told[path]
	if w.told[path] == "" {
		w.told[path] = key
	}
	if old == key {
		return
	}
	w.warn(path, f)
}

// warn logs a fault, up to maxTold of each kind.
func (w *work) warn(path string, f passages.Fault) {
	if w.faults[f.Read]++; w.faults[f.Read] > maxTold {
		return
	}
	attrs := []any{"file", tools.Shorten(path, maxPath)}
	if f.Line > 0 {
		attrs = append(attrs, "line", f.Line)
	}
	attrs = append(attrs, "error", f.Why)
	if f.Read {
		w.l.log.Warn("a document is read without something that it says about itself", attrs...)
	} else {
		w.l.log.Warn("a document is left out", attrs...)
	}
}

// validity logs what is wrong with the validity of versions, each once.
func (w *work) validity() {
	unclear := w.x.Unclear()
	for _, path := range slices.Sorted(maps.Keys(unclear)) {
		why := unclear[path]
		switch {
		case why == "":
			delete(w.l.vague, path)
		case w.l.vague[path] != why:
			w.l.vague[path] = why
			w.warn(path, passages.Fault{Why: why, Read: true})
		}
	}
}

// progress updates the status, and logs every so often how far a long pass is.
func (w *work) progress(left int) {
	w.l.set(func(st *Status) { st.Read, st.Of = w.read, w.read+left })
	if left > 0 {
		_ = w.count() // an error comes up again in the next one
	}
	if now := time.Now(); left > 0 && now.After(w.nextTell) {
		w.nextTell = now.Add(tell)
		w.l.log.Info("indexing documents", "files", w.read, "of", w.read+left)
	}
}

// count updates the counts of the status.
func (w *work) count() error {
	c, err := w.x.Count(w.l.ctx)
	if err == nil {
		w.l.set(func(st *Status) { st.Documents, st.Passages, st.Faulty = c.Documents, c.Passages, c.Faulty })
	}
	return err
}

// end finishes a pass.
func (w *work) end() error {
	if err := w.x.Settle(context.WithoutCancel(w.l.ctx)); err != nil {
		return err
	}
	w.validity()
	more := 0
	for _, n := range w.faults {
		more += max(0, n-maxTold)
	}
	if more > 0 {
		w.l.log.Warn("further faults of documents are not logged; fix those above, then delete the index and restart to see the others", "faults", more)
	}
	ready := w.l.status().Ready
	if ready && w.wrote == 0 && w.gone == 0 {
		return nil
	}
	if err := w.count(); err != nil {
		return err
	}
	w.l.readValues(w.l.ctx, w.x)
	took := time.Since(w.began)
	w.l.set(func(st *Status) {
		if !st.Ready {
			st.Since = time.Now()
		}
		st.Ready = true
		if w.wrote > 0 || w.gone > 0 || st.Seconds == 0 {
			st.Seconds = took.Seconds()
		}
	})
	st := w.l.status()
	if w.wrote > 0 || w.gone > 0 || !ready {
		w.l.log.Info("documents indexed", "documents", st.Documents, "passages", st.Passages, "changed", w.wrote, "gone", w.gone, "leftOut", st.Faulty, "duration", took)
	}
	return nil
}
