package config

import (
	"strings"

	"github.com/askgate/askgate/tools"
)

// Attachments are the files that people may send with a message.
type Attachments struct {
	MaxFiles int      `json:"maxFiles"` // of one message; 0: none are taken
	MaxBytes int64    `json:"maxBytes"` // of one file
	Accept   []string `json:"accept"`   // see tools.Accepts; none: any
}

// How many files may come with one message.
const (
	defaultAttachments = 10
	maxAttachments     = 100
)

// attachmentsKey is the key of which files come with messages, none of more than most bytes; none
// do where no files are kept.
func attachmentsKey(dst *Attachments, most int64) Key {
	on := false
	a := Attachments{MaxFiles: defaultAttachments, MaxBytes: most}
	return Switch("attachments", &on, func() []Key { return a.keys(most) },
		"`true`: people may send [files with a message](#attachments), where files are kept; or an object that says which").Then(func(n Value) {
		switch {
		case !on:
		case most == 0:
			n.Warn("no files are kept here, so none are taken with messages; set files.store, and files.maxBytes above 0, in gateway.json")
		default:
			*dst = a
		}
	})
}

// keys are those of what is taken; most is how large a file may be here.
func (a *Attachments) keys(most int64) []Key {
	return []Key{
		Int("maxFiles", &a.MaxFiles, 1, maxAttachments, "how many with one message; `files.perChat` of the gateway counts those of the whole chat"),
		Int("maxBytes", &a.MaxBytes, 1, maxFile, "how large one may be").Unset("`files.maxBytes` of the gateway").Then(func(n Value) {
			if most > 0 && a.MaxBytes > most {
				n.Warn("files.maxBytes of gateway.json is %d: no file may be larger", most)
			}
			a.MaxBytes = min(a.MaxBytes, most)
		}),
		Words("accept", &a.Accept, tools.MaxAccept, isAccept, "media types such as `image/*` and extensions such as `.csv`; empty: any. The type is what the content shows"),
	}
}

func isAccept(n Value, entry string) bool {
	ok := entry == strings.ToLower(entry) && tools.IsAccept(entry)
	if !ok {
		n.Fault(`%s is no type of file; write a media type such as "application/pdf" or "image/*", or an extension such as ".csv", in small letters`, n.Raw())
	}
	return ok
}

// maxFile bounds what an admin may allow, in bytes.
const maxFile = 1_000_000_000
