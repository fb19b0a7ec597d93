package httpconn_test

import (
	"bytes"
	"errors"
	"io"
	"net/http/httputil"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/askgate/askgate/gateway/model/httpconn"
)

// FuzzChunked compares the decoder with that of net/http, whatever the pieces in which the bytes come.
func FuzzChunked(f *testing.F) {
	for _, s := range []string{
		"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "0\r\n\r\n", "a;name=\"v\"\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", "A \t\r\n0123456789\r\n000\r\n\r\n",
		"3\r\nabc", "3\r\nabcd\r\n0\r\n\r\n", "3\nabc\n0\n\n", "\r\n", "3 ;x\r\nabc\r\n", "g\r\n", "11111111111111111\r\n", "3\r\r\nabc", "", "1",
		"1;" + strings.Repeat("x", 4080) + "\r\na\r\n", "1;" + strings.Repeat("x", 5000) + "\r\na\r\n", "0\r\n", "0\r\nTrailer", "0\r\n\n", "0\r\n\r\nmore",
		strings.Repeat("1;"+strings.Repeat("x", 40)+"\r\na\r\n", 600), strings.Repeat("1\r\na\r\n", 2000) + "0\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want, wantErr := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(b)))
		rest, whole := ending(b)
		for name, in := range map[string]io.Reader{
			"whole": bytes.NewReader(b), "bytes": iotest.OneByteReader(bytes.NewReader(b)), "halves": iotest.HalfReader(bytes.NewReader(b)), "with EOF": iotest.DataErrReader(bytes.NewReader(b)),
		} {
			got, dirty, err := httpconn.Decode(in)
			if wantErr != nil {
				if err == nil {
					t.Errorf("%s: decoded to %q, want %v", name, got, wantErr)
				}
				continue
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: decoded to %q, want %q", name, got, want)
			}
			if whole != (err == nil) || name == "whole" && whole && dirty != (rest > 0) {
				t.Errorf("%s: %v, more than the answer: %v; want its end: %v, more: %v", name, err, dirty, whole, rest > 0)
			}
		}
	})
}

// ending reports whether a body that net/http's decoder accepts has the end of its trailer, and how much
// comes after it.
func ending(b []byte) (rest int, ok bool) {
	source := bytes.NewReader(b)
	_, _ = io.Copy(io.Discard, httputil.NewChunkedReader(iotest.OneByteReader(source))) // reads no further than it must
	for tail := b[len(b)-source.Len():]; ; {
		if after, empty := bytes.CutPrefix(tail, []byte("\r\n")); empty {
			return len(after), true
		}
		line, after, whole := bytes.Cut(tail, []byte("\n"))
		if !whole || len(line) == 0 || line[0] == '\r' {
			return 0, false
		}
		tail = after
	}
}

func TestChunkedErrors(t *testing.T) {
	broken := errors.New("broken")
	_, _, err := httpconn.Decode(io.MultiReader(strings.NewReader("5\r\nabc"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the connection's own error", err)
	}
}
