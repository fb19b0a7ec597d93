package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// White-box: the two decoders are not exported, and must agree.

// Members in the order in which OpenAI sent them in December 2025 and in August 2026 (vercel/ai,
// fixtures openai-reasoning-encrypted-content and issue-19493-gpt-5.1-tool-call), and as GitHub's
// proxy sends them (github-copilot-id-rotation).
const (
	textDelta      = `{"type":"response.output_text.delta","content_index":0,"delta":"twenty bytes of text","item_id":"msg_0123456789abcdef0123456789abcdef0123456789abcdef","logprobs":[],"obfuscation":"x9Zq2","output_index":1,"sequence_number":4}`
	numbersFirst   = `{"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_01","output_index":0,"summary_index":2,"delta":"**Calcul","obfuscation":"2ajSAGID"}`
	typeLast       = `{"content_index":0,"delta":" are","item_id":"capture-id-12","logprobs":[],"output_index":1,"sequence_number":11,"type":"response.output_text.delta"}`
	argumentsDelta = `{"type":"response.function_call_arguments.delta","delta":"{\"","item_id":"fc_07","obfuscation":"H2d0mf8T42i5Ya","output_index":0,"sequence_number":3}`
	spacedRefusal  = "{ \"type\" : \"response.refusal.delta\",\t\"delta\": \" \\\"no\\\"\\n\\u00fc\" , \"output_index\":0 } "
)

// ordinary are deltas that the scanner accepts, odd those that it leaves to encoding/json.
var (
	ordinary = []string{textDelta, numbersFirst, typeLast, argumentsDelta, spacedRefusal,
		`{"type":"response.reasoning_text.delta","delta":""}`,
		"{\"type\":\"response.output_text.delta\",\"delta\":\"bad \xff utf \\ud83d \xed\xa0\x80\"}",
	}
	odd = []string{
		`{"type":"response.output_text.delta","delta":"a","delta":"b"}`,
		`{"type":"response.output_text.delta","delta":"a","type":"response.refusal.delta"}`,
		`{"type":"response.output_text.delta","delta":"a","output_index":1,"output_index":2}`,
		`{"type":"response.output_text.delta","delta":"a","content_index":1,"summary_index":2}`,
		`{"type":"response.output_text.delta","delta":"a","Delta":"b"}`,
		`{"type":"response.output_text.delta","delta":"a","d\u0065lta":"b"}`,
		`{"type":"response.output_text.delta","delta":"a"}x`,
		`{"type":"response.output_text.delta","delta":"a",}`,
		`{"type":"response.output_text.delta","delta":"a","output_index":01}`,
		`{"type":"response.output_text.delta","delta":"a","output_index":-1}`,
		`{"type":"response.output_text.delta","delta":"a","output_index":1e3}`,
		`{"type":"response.output_text.delta","delta":"a","output_index":99999999999999999999}`,
		`{"type":"response.output_text.delta","delta":"a","logprobs":[{}]}`,
		`{"type":"response.output_text.delta","delta":"a","item_id":"\q"}`,
		`{"type":"response.output_text.delta","delta":"\q"}`,
		`{"type":"response.output_text.delta","delta":5}`,
		`{"type":"response.output_text.delta","delta":"a`,
		`{"type":"response.output_text.delta"}`,
		`{"type":"response.output_text.done","delta":"a"}`,
		`{"delta":"a"}`, `{}`, `[]`, ``, `"x"`,
	}
)

// compare checks the scanner's result for a payload against encoding/json.
func compare(t *testing.T, s *scanner, payload []byte) (quick bool) {
	t.Helper()
	before := bytes.Clone(payload)
	d, ok := s.delta(payload)
	if !bytes.Equal(before, payload) {
		t.Fatalf("the scanner changed %q", before)
	}
	if !ok {
		return false
	}
	var e wireEvent
	if err := json.Unmarshal(payload, &e); err != nil {
		t.Fatalf("the scanner takes %q, encoding/json says %v", payload, err)
	}
	if d.kind != kindOf([]byte(e.Type)) || string(d.text) != e.Delta || d.item != e.OutputIndex || d.part != e.ContentIndex+e.SummaryIndex {
		t.Fatalf("%q: the scanner reads %+v", payload, d)
	}
	return true
}

func TestTheScannerTakesOrdinaryDeltasAndNoOthers(t *testing.T) {
	var s scanner
	for range 2 {
		for _, c := range ordinary {
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

func TestOrdinaryDeltasAreDecodedWithoutAllocating(t *testing.T) {
	var s scanner
	for _, c := range ordinary {
		payload := []byte(c)
		s.delta(payload)
		if n := testing.AllocsPerRun(100, func() { s.delta(payload) }); n != 0 {
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
		if !compare(t, &s, fmt.Appendf(nil, `{"type":"response.output_text.delta","delta":%s}`, quoted)) {
			t.Fatalf("not taken: %s", quoted)
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	for name, c := range map[string]string{"plain": textDelta, "escaped": spacedRefusal} {
		payload := []byte(c)
		b.Run(name, func(b *testing.B) {
			var s scanner
			b.ReportAllocs()
			for b.Loop() {
				s.delta(payload)
			}
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var e wireEvent
				if err := parse(payload, &e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
