package extract

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// A frame is a byte that says what it is, the length of its content (4 bytes, big-endian), and the
// content.
const (
	frameReady = 'r' // the child is about to read the file
	frameText  = 't' // the content is a Text in JSON
	frameNone  = 'n' // the content is a Refused

	// maxFrame is the most bytes of a frame from a child: JSON takes up to six bytes for one of a text.
	maxFrame = 6*MaxText + maxParts*100
	maxParts = 200_000
)

var errFrame = errors.New("extract: the child process broke the protocol")

func writeFrame(w io.Writer, kind byte, content []byte) error {
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(content))) // at most MaxFile or maxFrame
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

// readFrame reads a frame of at most max bytes. It allocates no more than what arrives.
func readFrame(r io.Reader, most int) (kind byte, content []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := int64(binary.BigEndian.Uint32(head[1:]))
	if n > int64(most) {
		return 0, nil, errFrame
	}
	content, err = io.ReadAll(io.LimitReader(r, n))
	if err == nil && int64(len(content)) < n {
		err = io.ErrUnexpectedEOF
	}
	return head[0], content, err
}

// decode returns what a child found. It does not trust the child.
func decode(kind byte, content []byte) (t Text, err error) {
	switch kind {
	case frameNone:
		if len(content) != 1 || reasons[Refused(content[0])] == "" {
			return t, errFrame
		}
		return t, Refused(content[0])
	case frameText:
		if t, err = decodeText(content); err != nil {
			return Text{}, errFrame
		}
		for _, p := range t.Parts {
			if p.Page < 0 || p.Page > MaxPages || p.Level < 0 || p.Level > maxLevel || !utf8.ValidString(p.Heading+p.Text) {
				return Text{}, errFrame
			}
		}
		if len(t.Parts) == 0 || len(t.Parts) > maxParts || t.size() > MaxText || !utf8.ValidString(t.Title) {
			return Text{}, errFrame
		}
		return t, nil
	}
	return t, errFrame
}

// decodeText decodes a text with at most one part too many: a part takes more memory than a child needs
// to claim one.
func decodeText(content []byte) (t Text, err error) {
	var of struct {
		Title string          `json:"title"`
		Parts json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(content, &of); err != nil {
		return t, err
	}
	t.Title = of.Title
	d := json.NewDecoder(bytes.NewReader(of.Parts))
	if _, err := d.Token(); err != nil { // [
		return t, err
	}
	for d.More() && len(t.Parts) <= maxParts {
		var p Part
		if err := d.Decode(&p); err != nil {
			return t, err
		}
		t.Parts = append(t.Parts, p)
	}
	return t, nil
}
