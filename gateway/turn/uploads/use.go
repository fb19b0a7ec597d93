package uploads

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// FilesError refuses a message because of the files that should come with it. The Field of each
// error names the file, such as files[1].
type FilesError struct{ Fields []tools.FieldError }

func (e *FilesError) Error() string { return "uploads: files that cannot come with a message" }

// The codes of a FilesError in addition to tools.FaultFile.
const (
	FaultFileType = "file_type"      // params: Type, and Accept, which lists the accepted types
	FaultFileSize = "file_size"      // param: Max
	FaultFiles    = "too_many_files" // param: Max
	FaultNoFiles  = "no_files"
)

// Attach adds files of the chat of to the message messageID; a file belongs to one message only. The
// error is a *FilesError if some cannot be added.
func Attach(files store.FileTx, of chat.Ref, takes *config.Attachments, ids []string, messageID string) ([]chat.SentFile, error) {
	switch {
	case takes.MaxFiles == 0:
		return nil, &FilesError{[]tools.FieldError{{Field: "files", Code: FaultNoFiles}}}
	case len(ids) > takes.MaxFiles:
		return nil, &FilesError{[]tools.FieldError{{Field: "files", Code: FaultFiles, Params: map[string]any{"Max": takes.MaxFiles}}}}
	}
	var list []chat.SentFile
	var faults []tools.FieldError
	for i, id := range ids {
		f, err := adopted(files, of.Unsent(), id)
		refused := func(code string, params map[string]any) {
			faults = append(faults, tools.FieldError{Field: fmt.Sprintf("files[%d]", i), Code: code, Params: params})
		}
		switch {
		case errors.Is(err, store.ErrNotFound), err == nil && f.UsedBy != "":
			refused(tools.FaultFile, nil)
			continue
		case err != nil:
			return nil, err
		case !tools.Accepts(takes.Accept, f.Name, f.Type):
			refused(FaultFileType, map[string]any{"Type": f.Type, "Accept": strings.Join(takes.Accept, ", ")})
		case f.Size > takes.MaxBytes:
			refused(FaultFileSize, map[string]any{"Max": tools.Size(takes.MaxBytes)})
		}
		f.UsedBy = messageID
		if err := files.Save(f); err != nil {
			return nil, err
		}
		list = append(list, chat.SentFile{ID: f.ID, Attachment: f.Attachment})
	}
	if len(faults) > 0 {
		return nil, &FilesError{faults}
	}
	return list, nil
}

// adopted returns a file of the chat, or one that waited at from, which is then the chat's.
func adopted(files store.FileTx, from chat.Ref, id string) (chat.File, error) {
	if !tools.IsFileID(id) {
		return chat.File{}, store.ErrNotFound
	}
	f, err := files.Find(id)
	if !errors.Is(err, store.ErrNotFound) {
		return f, err
	}
	if err := files.Adopt(from, id); err != nil {
		return f, err
	}
	return files.Find(id)
}

// ids returns the ids of the files that an answer names, by part.
func ids(q *tools.Question, a *tools.Answer) map[int]string {
	ids := map[int]string{}
	for i := range q.Parts {
		var id string
		if of := q.AnswerTo(a, i); q.Parts[i].InputType == tools.File && of != nil && json.Unmarshal(of.Value, &id) == nil && tools.IsFileID(id) {
			ids[i] = id
		}
	}
	return ids
}

// Answering returns the files that answered a question.
func Answering(c *chat.Clarification) (list []chat.SentFile) {
	named := ids(&c.Question, c.Answer)
	for _, i := range slices.Sorted(maps.Keys(named)) {
		if f := c.Question.AnswerTo(c.Answer, i).File; f != nil {
			list = append(list, chat.SentFile{ID: named[i], Attachment: *f})
		}
	}
	return list
}

// Answers holds the clarifications whose answers name a file, by file, within one update.
type Answers map[string]string

// Known returns an answer with what is known of the files that it names. They must be of the chat, or
// uploaded by the question's answer link, and must not answer another question. The error is a
// *chat.Error if the chat has no room for those of the link.
func (k *Answers) Known(files store.FileTx, limits *config.Files, c *chat.Clarification, a tools.Answer) (tools.Answer, error) {
	named := ids(&c.Question, &a)
	if len(named) == 0 {
		return a, nil
	}
	a.Answers = slices.Clone(a.Answers)
	var faults []tools.FieldError
	linked, size := 0, int64(0)
	for i, id := range named {
		f, err := files.Find(id)
		if errors.Is(err, store.ErrNotFound) {
			if f, err = files.FindAt(c.Linked(c.ID), id); err == nil {
				linked, size = linked+1, size+f.Size
			}
		}
		switch {
		case err == nil && (f.UsedBy == "" || f.UsedBy == c.ID) && k.claims(id, c.ID):
			c.Question.AnswerTo(&a, i).File = &f.Attachment
		case err == nil, errors.Is(err, store.ErrNotFound):
			faults = append(faults, tools.FieldError{Question: i, Field: "value", Code: tools.FaultFile})
		default:
			return a, err
		}
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b tools.FieldError) int { return a.Question - b.Question })
		return a, &tools.AnswerError{Fields: faults}
	}
	if linked > 0 {
		n, bytes, err := files.Held()
		if err == nil && (n+linked > limits.PerChat || bytes+size > limits.PerChatBytes) {
			err = filesFull(limits)
		}
		return a, err
	}
	return a, nil
}

// claims reports whether no answer that came with this one names the file for another question.
func (k *Answers) claims(id, clarificationID string) bool {
	if *k == nil {
		*k = Answers{}
	}
	(*k)[id] = cmp.Or((*k)[id], clarificationID)
	return (*k)[id] == clarificationID
}

// Use marks the files of an answer as used: they stay as long as the chat.
func Use(files store.FileTx, c *chat.Clarification) error {
	for _, id := range ids(&c.Question, c.Answer) {
		f, err := adopted(files, c.Linked(c.ID), id)
		if err == nil && f.UsedBy == "" {
			f.UsedBy = c.ID
			err = files.Save(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
