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

// held is the workload whose streams send a few chunks, and then nothing until the
// client leaves.
const held = "held"

const chunkSize = 24 // bytes of content; a token or two, with room for a time

// path is where the upstream and the floor serve the turns of a workload.
func (w workload) path() string { return "/" + w.name }

func serveUpstream(listen string) error {
	mux := http.NewServeMux()
	for _, w := range workloads {
		var h http.Handler = modeltest.Generator{Chunks: w.chunks, Rate: w.rate, Size: chunkSize, Stamp: w.rate > 0}
		if w.name == held {
			h = modeltest.Handler(func(int, modeltest.Request) modeltest.Response {
				return modeltest.Response{{Text: "a "}, {Text: "b "}, {Text: "c "}, {Stall: true}}
			})
		}
		mux.Handle(w.path()+"/chat/completions", h)
	}
	return http.ListenAndServe(listen, mux) //nolint:gosec // a benchmark on loopback
}

// floorChunk is the part of a chunk that the floor reads.
type floorChunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
}

// serveFloor is the floor: what one writes by hand in an hour. The path chooses the
// upstream's workload.
func serveFloor(listen, upstream string) error {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000}}
	http.HandleFunc("POST /{workload}", func(w http.ResponseWriter, r *http.Request) {
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
		req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, upstream+"/"+r.PathValue("workload")+"/chat/completions", bytes.NewReader(body))
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
