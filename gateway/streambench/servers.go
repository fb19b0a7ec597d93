package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// The kinds of streams that the upstream sends, each under its own path.
const (
	flat   = "flat"   // as fast as they are read
	steady = "steady" // 1,000 chunks/s
	short  = "short"  // one chunk
	held   = "held"   // a few chunks, then nothing until the client leaves
)

const (
	steadyRate    = 1000 // chunks per second and stream
	steadySeconds = 2
	chunkSize     = 24 // bytes of content; a token or two, with room for a time
)

func serveUpstream(listen string, o options) error {
	mux := http.NewServeMux()
	handle := func(kind string, h http.Handler) { mux.Handle("/"+kind+"/chat/completions", h) }
	handle(flat, modeltest.Generator{Chunks: o.chunks, Size: chunkSize})
	handle(steady, modeltest.Generator{Chunks: steadyRate * steadySeconds, Rate: steadyRate, Size: chunkSize, Stamp: true})
	handle(short, modeltest.Generator{Chunks: 1, Size: chunkSize})
	handle(held, modeltest.Handler(func(int, modeltest.Request) modeltest.Response {
		return modeltest.Response{{Text: "a "}, {Text: "b "}, {Text: "c "}, {Stall: true}}
	}))
	return http.ListenAndServe(listen, mux) //nolint:gosec // a benchmark on loopback
}

// floorChunk is what the floor reads of a chunk.
type floorChunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
}

// serveFloor is the reparse floor: what one writes by hand in an hour. The last
// element of the path chooses the upstream's kind.
func serveFloor(listen, upstream string) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	http.HandleFunc("POST /{kind}", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Message string `json:"message"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body, _ := json.Marshal(map[string]any{
			"model": "m", "stream": true, "messages": []map[string]string{{"role": "user", "content": in.Message}},
		})
		req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, upstream+"/"+r.PathValue("kind")+"/chat/completions", bytes.NewReader(body))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		w.Header().Set("Content-Type", "text/event-stream")
		flusher := w.(http.Flusher)
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			if data == "[DONE]" {
				fmt.Fprint(w, "event: done\ndata: {}\n\n")
				flusher.Flush()
				break
			}
			var c floorChunk
			if json.Unmarshal([]byte(data), &c) != nil || len(c.Choices) == 0 || c.Choices[0].Delta.Content == "" {
				continue
			}
			out, _ := json.Marshal(map[string]string{"content": c.Choices[0].Delta.Content})
			fmt.Fprintf(w, "event: chunk\ndata: %s\n\n", out)
			flusher.Flush()
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	})
	return http.ListenAndServe(listen, nil) //nolint:gosec // a benchmark on loopback
}
