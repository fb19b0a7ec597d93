package sse_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/askgate/askgate/gateway/sse"
)

// sink accepts everything and keeps nothing.
type sink struct{ header http.Header }

func (s sink) Header() http.Header              { return s.header }
func (sink) WriteHeader(int)                    {}
func (sink) Write(p []byte) (int, error)        { return len(p), nil }
func (sink) Flush()                             {}
func (sink) FlushError() error                  { return nil }
func (sink) SetWriteDeadline(_ time.Time) error { return nil }

func TestWriteDoesNotAllocate(t *testing.T) {
	s := sse.NewWriter(sink{http.Header{}}, sse.Options{})
	defer s.Close()
	data, buf := []byte(`{"chatId":"c1","content":"hello"}`), make([]byte, 0, 256)
	if n := testing.AllocsPerRun(1000, func() {
		buf = sse.AppendEvent(buf[:0], "42", "chunk", data)
		_ = s.Write(buf)
	}); n != 0 {
		t.Errorf("%v allocations per event", n)
	}
}

func BenchmarkWrite(b *testing.B) {
	gin.SetMode(gin.ReleaseMode)
	data := []byte(`{"chatId":"c1","content":"hello"}`)
	run := func(b *testing.B, w http.ResponseWriter) {
		s := sse.NewWriter(w, sse.Options{})
		defer s.Close()
		buf := make([]byte, 0, 256)
		b.ReportAllocs()
		for b.Loop() {
			buf = sse.AppendEvent(buf[:0], "42", "chunk", data)
			if err := s.Write(buf); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("alone", func(b *testing.B) { run(b, sink{http.Header{}}) })
	b.Run("gin", func(b *testing.B) {
		engine := gin.New()
		engine.GET("/", func(c *gin.Context) { run(b, c.Writer) })
		engine.ServeHTTP(sink{http.Header{}}, httptest.NewRequest(http.MethodGet, "/", nil))
	})
}

func BenchmarkRead(b *testing.B) {
	frame := sse.AppendEvent(nil, "42", "chunk", []byte(`{"chatId":"c1","content":"hello"}`))
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	n := 0
	for range sse.Read(&repeat{s: string(frame)}) {
		if n++; n >= b.N {
			break
		}
	}
}
