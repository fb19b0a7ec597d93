package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// White-box: the two decoders are not exported, and must agree.

const (
	textDelta     = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"twenty bytes of text"}}`
	escapedDelta  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" \"world\"\n\u00fc"}          }`
	thinkingDelta = `{"type": "content_block_delta", "index": 12, "delta": {"type": "thinking_delta", "thinking": "hm"} }`
)

// ordinary are deltas that the scanner accepts, odd those that it leaves to encoding/json.
var (
	ordinary = []string{textDelta, escapedDelta, thinkingDelta,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}`,
		"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"bad \xff utf \\ud83d \xed\xa0\x80\"}}",
	}
	odd = []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","text":"b"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"delta":{}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}x`,
		`{"type":"content_block_delta","index":01,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":99999999999999999999,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":5}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\q"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","thinking":"a"}}`,
		`{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"},"index":0}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}}`,
		`{"type":"ping"}`, `{}`, ``, `"x"`,
	}
)

// compare checks the scanner's result for a payload against encoding/json.
func compare(t *testing.T, s *scanner, payload []byte) (quick bool) {
	t.Helper()
	before := bytes.Clone(payload)
	text, thinking, ok := s.delta(payload)
	if !bytes.Equal(before, payload) {
		t.Fatalf("the scanner changed %q", before)
	}
	if !ok {
		return false
	}
	var w struct {
		Type  string
		Index int
		Delta struct{ Type, Text, Thinking string }
	}
	if err := json.Unmarshal(payload, &w); err != nil {
		t.Fatalf("the scanner takes %q, encoding/json says %v", payload, err)
	}
	want, kind := w.Delta.Text, "text_delta"
	if thinking {
		want, kind = w.Delta.Thinking, "thinking_delta"
	}
	if w.Type != "content_block_delta" || w.Delta.Type != kind || string(text) != want {
		t.Fatalf("%q: the scanner reads %q, thinking %v", payload, text, thinking)
	}
	return true
}

func TestTheScannerTakesOrdinaryDeltasAndNoOthers(t *testing.T) {
	var s scanner
	for range 2 { // the second time with what the first one cached
		for _, c := range ordinary {
			for range 2 {
				if !compare(t, &s, []byte(c)) {
					t.Errorf("left: %s", c)
				}
			}
			for _, c := range odd {
				if compare(t, &s, []byte(c)) {
					t.Errorf("taken: %s", c)
				}
			}
		}
	}
}

func TestOrdinaryDeltasAreDecodedWithoutAllocating(t *testing.T) {
	var s scanner
	for _, c := range ordinary {
		payload := []byte(c)
		s.delta(payload)
		if n := testing.AllocsPerRun(100, func() { s.delta(payload); s.head = s.head[:0]; s.delta(payload) }); n != 0 {
			t.Errorf("%v allocations for %s", n, payload)
		}
	}
}

func FuzzDelta(f *testing.F) {
	for i, c := range append(ordinary, odd...) {
		f.Add([]byte(c), []byte(ordinary[i%len(ordinary)]))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var s scanner
		compare(t, &s, first)
		compare(t, &s, second)
		compare(t, &s, first)
	})
}

// FuzzText: any text is accepted, and arrives as encoding/json would decode it.
func FuzzText(f *testing.F) {
	f.Add("plain")
	f.Add("a\n\"\\ ü 😀 \x00 \xff\xe2\x82 <")
	f.Fuzz(func(t *testing.T, text string) {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var s scanner
		for range 2 {
			if !compare(t, &s, fmt.Appendf(nil, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%s}}`, quoted)) {
				t.Fatalf("not taken: %s", quoted)
			}
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	plain, escaped := []byte(textDelta), []byte(escapedDelta)
	b.Run("remembered", func(b *testing.B) {
		var s scanner
		b.ReportAllocs()
		for b.Loop() {
			s.delta(plain)
		}
	})
	b.Run("escaped", func(b *testing.B) {
		var s scanner
		b.ReportAllocs()
		for b.Loop() {
			s.delta(escaped)
		}
	})
	b.Run("scanned", func(b *testing.B) {
		var s scanner
		b.ReportAllocs()
		for b.Loop() {
			s.head = s.head[:0]
			s.delta(plain)
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := parse(plain, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
