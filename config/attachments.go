package config

import (
	"strings"

	"github.com/askgate/askgate/tools"
)

// How many files may come with one message.
const (
	defaultAttachments = 10
	maxAttachments     = 100
)

// attachments reads true, false, or what is taken. most is how large a file may be here; 0: none is kept.
func (n Node) attachments(dst *Attachments, most int64) {
	on := true
	a := Attachments{MaxFiles: defaultAttachments, MaxBytes: most}
	if n.kind() != "an object" {
		n.Boolean(&on)
	} else {
		n.Object(Keys{
			"maxFiles": func(n Node) { n.Integer(&a.MaxFiles, 1, maxAttachments) },
			"maxBytes": func(n Node) {
				bytes := int(most)
				n.Integer(&bytes, 1, maxFile)
				if a.MaxBytes = min(int64(bytes), most); most > 0 && int64(bytes) > most {
					n.Warn("files.maxBytes of gateway.json is %d: no file may be larger", most)
				}
			},
			"accept": func(n Node) {
				n.Words(&a.Accept, tools.MaxAccept, func(n Node, entry string) bool {
					if entry == strings.ToLower(entry) && tools.IsAccept(entry) {
						return true
					}
					n.Fault(`%s is no type of file; write a media type such as "application/pdf" or "image/*", or an extension such as ".csv", in small letters`, n.Raw())
					return false
				})
			},
		}, nil)
	}
	switch {
	case !on:
	case most == 0:
		n.Warn("no files are kept here, so none are taken with messages; set files.store, and files.maxBytes above 0, in gateway.json")
	default:
		*dst = a
	}
}
