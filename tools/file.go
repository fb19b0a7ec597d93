package tools

import (
	"cmp"
	"path"
	"strconv"
	"strings"
)

// Attachment describes a file that answers a part of a question.
type Attachment struct {
	Name string `json:"name"` // as on the person's device, without a folder
	Type string `json:"type"` // media type without parameters, determined from the content
	Size int64  `json:"size"` // bytes
}

// Limits of questions for files.
const (
	MaxAccept      = 20  // entries of Part.Accept
	MaxAcceptEntry = 100 // bytes of one
	MaxFileName    = 200 // code points of Attachment.Name
)

// FilePrefix is the prefix of file ids.
const FilePrefix = "fil"

// FaultFile is the code (FieldError.Code) of an answer with an id that is not a file of the
// chat, or that is the answer to another question. Check does not know the files, so the code
// that stores them returns it.
const FaultFile = "file"

// IsFileID reports whether a text has the form of a file id.
func IsFileID(s string) bool {
	rest, ok := strings.CutPrefix(s, FilePrefix+"_")
	return ok && len(rest) == 26 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// fileType is the media type of an extension. Their bytes may only show the type of the
// container, within, such as a text or a zip archive.
type fileType struct{ media, within string }

const (
	plainText = "text/plain"
	zipped    = "application/zip"
	office    = "application/vnd.openxmlformats-officedocument."
	document  = "application/vnd.oasis.opendocument."
	compound  = "application/x-ole-storage"
)

// fileTypes has the types of common extensions. It does not use the system's table, which
// differs between machines.
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

// FileType returns the type of a file by the extension of its name if the content agrees,
// otherwise the type of the content. seen are the types determined from the content: its type
// and those of its containers, the narrowest first.
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

// IsText reports whether files of a type should contain text. The actual content may differ.
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

// IsAccept reports whether a text is valid in Part.Accept: a media type, one with * after the
// slash, or an extension with its dot.
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

// Accepts reports whether one of the entries accepts a file of this name and type. No entries
// accept any file. An extension with a known type only accepts content of that type.
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

// FileName returns the name of a file in a form that can be stored and shown: its last path
// element, cleaned (see Clean), with at most MaxFileName code points, or "file" if nothing is
// left.
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

// NameFor returns a name for a file without one, by its media type: "image.png".
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

// Size formats a number of bytes for people, rounded down: "812 bytes", "1.5 MB".
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
