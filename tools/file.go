package tools

import (
	"cmp"
	"path"
	"strconv"
	"strings"
)

// Attachment is what is known of a file that answers a part of a question.
type Attachment struct {
	Name string `json:"name"` // as the person's device calls it, without a folder
	Type string `json:"type"` // by its content: a media type without parameters
	Size int64  `json:"size"` // bytes
}

// Limits of what a question for a file says.
const (
	MaxAccept      = 20  // entries of Part.Accept
	MaxAcceptEntry = 100 // bytes of one
	MaxFileName    = 200 // code points of Attachment.Name
)

// FilePrefix begins the ids of files.
const FilePrefix = "fil"

// FaultFile is the code of an answer that names no file of the chat, or one that answers
// another question (FieldError.Code). Whoever knows the files finds that out.
const FaultFile = "file"

// IsFileID says whether a text has the form of a file's id.
func IsFileID(s string) bool {
	rest, ok := strings.CutPrefix(s, FilePrefix+"_")
	return ok && len(rest) == 26 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// fileType is what files with an extension are. What can be seen in their bytes may only be
// the kind of their container, such as a text or a zip archive.
type fileType struct{ media, within string }

const (
	plainText = "text/plain"
	zipped    = "application/zip"
	office    = "application/vnd.openxmlformats-officedocument."
	document  = "application/vnd.oasis.opendocument."
	compound  = "application/x-ole-storage"
)

// fileTypes are the types of common extensions. It is our own table, since that of the
// system differs from one machine to the next.
var fileTypes = map[string]fileType{
	".txt": {plainText, plainText}, ".log": {plainText, plainText}, ".md": {"text/markdown", plainText}, ".csv": {"text/csv", plainText},
	".tsv": {"text/tab-separated-values", plainText}, ".html": {"text/html", plainText}, ".htm": {"text/html", plainText},
	".css": {"text/css", plainText}, ".js": {"text/javascript", plainText}, ".xml": {"text/xml", plainText}, ".ics": {"text/calendar", plainText},
	".json": {"application/json", plainText}, ".yaml": {"application/yaml", plainText}, ".yml": {"application/yaml", plainText},
	".rtf": {"text/rtf", plainText}, ".svg": {"image/svg+xml", plainText}, ".eml": {"message/rfc822", plainText},
	".pdf": {media: "application/pdf"}, ".png": {media: "image/png"}, ".jpg": {media: "image/jpeg"}, ".jpeg": {media: "image/jpeg"},
	".gif": {media: "image/gif"}, ".webp": {media: "image/webp"}, ".avif": {media: "image/avif"}, ".heic": {media: "image/heic"},
	".tif": {media: "image/tiff"}, ".tiff": {media: "image/tiff"}, ".bmp": {media: "image/bmp"},
	".mp3": {media: "audio/mpeg"}, ".wav": {media: "audio/wav"}, ".mp4": {media: "video/mp4"}, ".webm": {media: "video/webm"},
	".zip": {media: zipped}, ".gz": {media: "application/gzip"},
	".docx": {office + "wordprocessingml.document", zipped}, ".xlsx": {office + "spreadsheetml.sheet", zipped}, ".pptx": {office + "presentationml.presentation", zipped},
	".odt": {document + "text", zipped}, ".ods": {document + "spreadsheet", zipped}, ".odp": {document + "presentation", zipped},
	".doc": {"application/msword", compound}, ".xls": {"application/vnd.ms-excel", compound}, ".ppt": {"application/vnd.ms-powerpoint", compound},
}

// FileType is the type of a file by its name, where what its bytes show, seen, does not
// speak against that: seen are its type and those of what contains it, the narrowest first.
func FileType(name string, seen []string) string {
	if len(seen) == 0 {
		seen = []string{"application/octet-stream"}
	}
	known, ok := fileTypes[strings.ToLower(path.Ext(name))]
	for _, media := range seen {
		if ok && media == known.within {
			return known.media
		}
	}
	return seen[0]
}

// IsText says whether files of a type hold text. What they hold may still be something else.
func IsText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") {
		return true
	}
	for _, known := range fileTypes {
		if known.media == media && known.within == plainText {
			return true
		}
	}
	return media == "application/xml" || media == "application/x-ndjson"
}

// IsAccept says whether a text may be an entry of Part.Accept: a media type, one with * behind
// the slash, or an extension with its dot.
func IsAccept(s string) bool {
	if len(s) < 2 || len(s) > MaxAcceptEntry || strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.+-_/*", r)
	}) {
		return false
	}
	if s[0] == '.' {
		return !strings.ContainsAny(s, "/*")
	}
	kind, sub, ok := strings.Cut(s, "/")
	return ok && kind != "" && sub != "" && !strings.Contains(kind, "*") && !strings.Contains(sub, "/") && (sub == "*" || !strings.Contains(sub, "*"))
}

// Accepts says whether one of the entries takes a file of this name and type; no entries take
// any. An extension that stands for a type takes only files whose content is of that type.
func Accepts(accept []string, name, media string) bool {
	if len(accept) == 0 {
		return true
	}
	ext := strings.ToLower(path.Ext(name))
	for _, entry := range accept {
		kind, any := strings.CutSuffix(entry, "/*")
		switch {
		case entry[0] == '.':
			if known, ok := fileTypes[entry]; entry == ext && (!ok || known.media == media) {
				return true
			}
		case entry == media, any && strings.HasPrefix(media, kind+"/"):
			return true
		}
	}
	return false
}

// FileName is a name of a file as it may be kept and shown: its last part, without what
// deceives, at most MaxFileName code points, "file" where nothing is left.
func FileName(s string) string {
	s = strings.ToValidUTF8(s, "")
	s = s[strings.LastIndexAny(s, `/\`)+1:]
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if runes := []rune(s); len(runes) > MaxFileName { // the extension stays
		ext := []rune(path.Ext(s))
		if len(ext) > maxExtension {
			ext = nil
		}
		s = string(runes[:MaxFileName-len(ext)]) + string(ext)
	}
	if s = strings.Trim(s, ". "); Blank(s) {
		return "file"
	}
	return s
}

const maxExtension = 20 // code points

// NameFor is a name for a file of a media type that came without one: "image.png".
func NameFor(media string) string {
	kind, _, _ := strings.Cut(media, "/")
	if kind != "image" && kind != "audio" && kind != "video" {
		kind = "file"
	}
	ext := ""
	for e, known := range fileTypes {
		if known.media == media && (ext == "" || len(e) < len(ext) || len(e) == len(ext) && e > ext) {
			ext = e
		}
	}
	return kind + ext
}

// Size is a number of bytes as people say it, rounded down: "812 bytes", "1.5 MB".
func Size(n int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if tenths := n / (unit.bytes / 10); tenths >= 10 {
			return strconv.FormatFloat(float64(tenths)/10, 'f', cmp.Compare(tenths%10, 0), 64) + " " + unit.name
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}
