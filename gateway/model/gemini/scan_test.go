package gemini

import (
	"fmt"
	"strings"
	"testing"
)

// White-box: the two decoders are not exported, and must agree.

const tail = `,"usageMetadata": {"promptTokenCount": 7,"candidatesTokenCount": 2,"totalTokenCount": 103,"cachedContentTokenCount": 3,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 7}],"thoughtsTokenCount": 94,"serviceTier": "standard"},"modelVersion": "gemini-3.7-flash","responseId": "WQ-uq_avG5"}`

// ordinary are chunks that the scanner accepts, odd those that it leaves to encoding/json.
var (
	ordinary = []string{
		`{"candidates": [{"content": {"parts": [{"text": "twenty bytes of text"}],"role": "model"},"index": 0}]` + tail,
		`{"candidates":[{"content":{"parts":[{"text":" \"world\"\n\u00fc"}],"role":"model"},"index":0}]` + tail,
		`{"candidates": [{"content": {"parts": [{"text": "hm","thought": true}],"role": "model"},"index": 0}]` + tail,
		`{ "candidates" : [ { "content" : { "parts" : [ { "text" : "" } ] } } ] }`,
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"bad \xff utf \\ud83d\"}]}}]}",
	}
	odd = []string{
		`{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"finishReason":"STOP"}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","thoughtSignature":"s"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","thought":false}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishRe\u0061son":"STOP"}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}],"parts":[]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"error":{"code":500}}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"promptFeedback":{"blockReason":"SAFETY"}}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]}}]`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"responseId":"x`,
		`{"candidates":[{"content":{"parts":[{"text":5}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"\q"}]}}]}`,
		`{"candidates":[]}`, `{}`, ``, `"x"`,
	}
)

// both returns the result of each of the decoders for a chunk; whole is "" if it is not JSON.
func both(raw string) (fast, whole string, taken bool) {
	var s scanner
	piece, thought, ok := s.chunk([]byte(raw))
	text, thinking := piece, []byte(nil)
	if thought {
		text, thinking = nil, piece
	}
	e, err := parse([]byte(raw))
	if err != nil {
		return fmt.Sprintf("%q %q", text, thinking), "", ok
	}
	var c content
	var t, th []byte
	if len(e.Candidates) > 0 {
		for _, p := range e.Candidates[0].Content.Parts {
			a, b, _ := c.part(p)
			t, th = append(t, a...), append(th, b...)
		}
	}
	return fmt.Sprintf("%q %q", text, thinking), fmt.Sprintf("%q %q", t, th), ok
}

func TestTheScannerTakesOrdinaryChunksAlone(t *testing.T) {
	for _, raw := range ordinary {
		if fast, whole, taken := both(raw); !taken || fast != whole {
			t.Errorf("%s: scanned %v, %s, by encoding/json %s", raw, taken, fast, whole)
		}
	}
	for _, raw := range odd {
		if _, _, taken := both(raw); taken {
			t.Errorf("taken: %s", raw)
		}
	}
}

func TestAnOrdinaryChunkAllocatesNothing(t *testing.T) {
	s := scanner{buf: make([]byte, 0, 64)}
	for _, raw := range ordinary[:3] {
		b := []byte(raw)
		if n := testing.AllocsPerRun(100, func() { s.chunk(b) }); n > 0 {
			t.Errorf("%v allocations for %s", n, raw)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, raw := range append(ordinary, odd...) {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if fast, whole, taken := both(raw); taken && whole != "" && fast != whole && !again(raw) {
			t.Errorf("%q: %s, by encoding/json %s", raw, fast, whole)
		}
	})
}

// again reports whether a member is repeated in letters that encoding/json treats as the same.
func again(raw string) bool {
	rest := strings.ToLower(raw[strings.Index(raw, `"parts"`)+len(`"parts"`):])
	for _, name := range []string{"parts", "content", "candidate"} {
		if strings.Contains(strings.NewReplacer("\u017f", "s").Replace(rest), `"`+name) {
			return true
		}
	}
	return false
}

func BenchmarkChunk(b *testing.B) {
	var s scanner
	raw := []byte(ordinary[0])
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		s.chunk(raw)
	}
}

func BenchmarkChunkByJSON(b *testing.B) {
	raw := []byte(ordinary[0])
	b.ReportAllocs()
	for b.Loop() {
		_, _ = parse(raw)
	}
}
