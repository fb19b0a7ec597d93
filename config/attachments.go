package config

import (
	"strings"

	"github.com/askgate/askgate/tools"
)

// Attachments are the files that people may send with a message.
type Attachments struct {
	MaxFiles int      `json:"maxFiles"` // of one message; 0: files are refused
	MaxBytes int64    `json:"maxBytes"` // of one file
	Accept   []string `json:"accept"`   // see tools.Accepts; empty: any file
}

// Limits on the number of files with one message.
const (
	defaultAttachments = 10
	maxAttachments     = 100
)

// attachmentsKey says which files people may send with a message, each of at most most bytes. If most
// is 0, the gateway stores no files, and a warning reports that the key has no effect.
func attachmentsKey(dst *Attachments, most int64) Key {
	on := false
	a := Attachments{MaxFiles: defaultAttachments, MaxBytes: most}
	return Switch("attachments", &on, func() []Key { return a.keys(most) },
		"`true`: people may send [files with a message](files.md#attachments), if the gateway stores files; or an object that says which").Then(func(n Value) {
		switch {
		case !on:
		case most == 0:
			n.Warn("the gateway stores no files, so messages cannot have any; set files.store, and files.maxBytes above 0, in gateway.json")
		default:
			*dst = a
		}
	})
}

// keys returns the keys of the object form. most is the gateway's limit of a file, in bytes.
func (a *Attachments) keys(most int64) []Key {
	return []Key{
		Int("maxFiles", &a.MaxFiles, 1, maxAttachments, "how many files a message may have; the gateway's `files.perChat` limits the whole chat"),
		Int("maxBytes", &a.MaxBytes, 1, maxFile, "how many bytes a file may have").Unset("the gateway's `files.maxBytes`").Then(func(n Value) {
			if most > 0 && a.MaxBytes > most {
				n.Warn("files.maxBytes in gateway.json is %d, so larger files are refused; lower this, or raise that", most)
			}
			a.MaxBytes = min(a.MaxBytes, most)
		}),
		Words("accept", &a.Accept, tools.MaxAccept, isAccept, "media types such as `image/*` and extensions such as `.csv`; empty: any. The content decides the type, not the name"),
	}
}

func isAccept(n Value, entry string) bool {
	ok := entry == strings.ToLower(entry) && tools.IsAccept(entry)
	if !ok {
		n.Fault(`%s is not a file type; write a media type such as "application/pdf" or "image/*", or an extension such as ".csv", in lower case`, n.Raw())
	}
	return ok
}

// maxFile is the highest file size that an admin may allow, in bytes.
const maxFile = 1_000_000_000
