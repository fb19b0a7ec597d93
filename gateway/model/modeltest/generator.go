package modeltest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Generator responds to every request with a long stream of equal chunks, for benchmarks. It checks
// and records nothing, so that it costs little.
type Generator struct {
	Chunks int  // content chunks per response
	Rate   int  // chunks per second; 0 or less: no limit
	Size   int  // bytes of content per chunk; below 1: 1
	Stamp  bool // each content starts with the time it was sent, Unix nanoseconds in 19 digits
}

// stampDigits is the width of a time in nanoseconds until the year 2286.
const stampDigits = 19

// flatOutWrite is the number of bytes that are written at once without a rate: as many as the socket
// buffer of a fast server collects.
const flatOutWrite = 16 << 10

// ServeHTTP streams the chunks, then finish, usage and [DONE].
func (g Generator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	out := generated{Generator: g, w: w, flush: http.NewResponseController(w)}
	out.head, out.tail, _ = strings.Cut(choice(`{"content":"@"}`, "null"), "@")
	out.content = strings.Repeat("x", max(g.Size, 1))
	w.Header().Set("Content-Type", "text/event-stream")
	start := time.Now()
	for sent := 0; sent < g.Chunks; {
		due := g.Chunks
		if g.Rate > 0 {
			at := start.Add(time.Duration(sent) * time.Second / time.Duration(g.Rate))
			time.Sleep(time.Until(at))
			// A sleep may end late: send at once what is due by now, and flush each chunk.
			due = min(g.Chunks, int(time.Since(start)*time.Duration(g.Rate)/time.Second)+1)
		}
		for ; sent < due; sent++ {
			out.chunk()
			if g.Rate > 0 && !out.send() {
				return
			}
			if len(out.buf) >= flatOutWrite && !out.send() {
				return
			}
		}
	}
	for _, s := range []Step{Finish("stop"), Tokens(10, int64(g.Chunks)), Done()} {
		out.buf = append(out.buf, s.chunk()...)
	}
	out.send()
}

// generated is one response.
type generated struct {
	Generator
	w                   http.ResponseWriter
	flush               *http.ResponseController
	head, tail, content string
	buf                 []byte
}

func (o *generated) chunk() {
	o.buf = append(o.buf, o.head...)
	content := o.content
	if o.Stamp {
		o.buf = strconv.AppendInt(o.buf, time.Now().UnixNano(), 10)
		content = content[min(stampDigits, len(content)):]
	}
	o.buf = append(o.buf, content...)
	o.buf = append(o.buf, o.tail...)
}

func (o *generated) send() bool {
	_, err := o.w.Write(o.buf)
	o.buf = o.buf[:0]
	return err == nil && o.flush.Flush() == nil
}

// Models answers GET /v1/models, which many clients request first.
func Models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": []map[string]string{{"id": "scripted", "object": "model"}}})
}
