package front

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/tools"
)

// Part is a part of a person's message other than text, as a client sent it.
type Part struct {
	Place   string // in the request: "messages[2].content[1]"
	Name    string // of the file; "" if the client gives none
	Type    string // its media type, likewise
	Address string // a data: address holds the file; any other is refused
	Base64  string // the file's bytes; a part with neither these nor Address is refused
}

// Lifted begins the text that replaces a file's data that were lifted out of a body (ReadBody). A
// client that writes it itself gets no file for it.
const Lifted = "askgate-lifted:"

// NewFile reads a part. most is how many bytes a file may have. A larger file is too_large; a
// part that does not contain its file is unsupported_part. NewFile fetches no address.
func NewFile(p Part, most int64) (host.File, error) {
	f := host.File{Part: p.Place, Name: p.Name}
	media, data := p.Type, p.Base64
	if data == "" || p.Address != "" {
		of, held, ok := readData(p.Address)
		if !ok {
			return f, Unsupported(p.Place)
		}
		data = held
		if media == "" {
			media = of
		}
	} else if of, held, ok := readData(data); ok { // some clients write an address there, too
		media, data = of, held
	}
	data = strings.TrimSuffix(strings.TrimSuffix(data, "="), "=")
	f.Open = func() io.Reader { return base64.NewDecoder(base64.RawStdEncoding, strings.NewReader(data)) }
	if f.Name == "" {
		f.Name = tools.NameFor(media)
	}
	if int64(base64.RawStdEncoding.DecodedLen(len(data))) > most {
		return f, &chat.Error{Code: chat.CodeTooLarge, Detail: "file_size", Params: map[string]any{"Limit": tools.Size(most), "Field": p.Place}}
	}
	sum := sha256.New()
	var err error
	if f.Size, err = io.Copy(sum, f.Open()); err != nil {
		return f, Unsupported(p.Place)
	}
	f.Sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// Unsupported refuses a part that cannot be made into a file.
func Unsupported(place string) error {
	return &chat.Error{Code: chat.CodeUnsupportedPart, Detail: "unsupported_part", Params: map[string]any{"Field": place}}
}

// maxDataHead bounds, in bytes, the part of a data: address before its comma.
const maxDataHead = 256

// readData reads a data: address whose data are base64 (RFC 2397).
func readData(address string) (media, data string, ok bool) {
	const scheme, coded = "data:", ";base64"
	if len(address) < len(scheme) || !strings.EqualFold(address[:len(scheme)], scheme) {
		return "", "", false
	}
	address = address[len(scheme):]
	comma := strings.IndexByte(address[:min(len(address), maxDataHead)], ',')
	if comma < len(coded) || !strings.EqualFold(address[comma-len(coded):comma], coded) {
		return "", "", false
	}
	media, _, _ = strings.Cut(address[:comma-len(coded)], ";")
	return strings.ToLower(strings.TrimSpace(media)), address[comma+1:], true
}

// SameFiles reports whether a message with the files of came with exactly files. A file with an
// unknown sum is compared by name and size.
func SameFiles(of []chat.SentFile, files []host.File) bool {
	return slices.EqualFunc(of, files, func(kept chat.SentFile, f host.File) bool {
		if kept.Sum != "" {
			return kept.Sum == f.Sum
		}
		return kept.Size == f.Size && kept.Name == tools.FileName(f.Name)
	})
}

// Saying identifies what a message says, for the keys by which it is recognized: its text and its
// files.
func Saying(text string, files []host.File) string {
	var b strings.Builder
	b.WriteString(text)
	for i := range files {
		b.WriteString("\x00" + files[i].Sum)
	}
	return b.String()
}
