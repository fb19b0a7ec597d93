package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// White-box: the two decoders are not exported, and must agree.

// chunks are payloads as servers send them, and shapes that tempt the scanner.
var chunks = []string{
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}],"usage":null}`,
	`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" \"world\"\n"},"logprobs":null,"finish_reason":null}],"usage":null}`,
	`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]}`,
	`{"choices":[{"delta":{"content":"gr\u00fc\u00df \ud83d\ude00 \ud83d \ude00 \ud83dx \/ ü"}}]}`,
	"{\"choices\":[{\"delta\":{\"content\":\"bad \xff\xc3 utf\xed\xa0\x80 8\"}}]}",
	`{"choices":[{"delta":{"reasoning_content":"hm"}}]}`, `{"choices":[{"delta":{"reasoning":"hm","content":null}}]}`,
	`{"choices":[{"delta":{"reasoning":"a","reasoning_content":"b"}}]}`, `{"choices":[{"delta":{"content":"a","reasoning":"b\n"}}]}`,
	`{"choices":[{"delta":{"content":"a","reasoning":""},"finish_reason":""}]}`,
	`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, `{"choices":[{"delta":{"content":"a"}}],"error":{"code":429}}`,
	`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}`,
	`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`, `{"choices":[{"delta":{"content":"a","tool_calls":[]}}]}`,
	`{"choices":[{"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}`, `{"choices":[{"index":1,"delta":{"content":"b"}}]}`,
	`{"choices":[{"delta":{"content":"a","content":"b"}}]}`, `{"choices":[{"delta":{"content":"a"},"delta":{"reasoning":"b"}}]}`,
	`{"choices":[{"delta":{"Content":"A"}}]}`, `{"Choices":[{"delta":{"content":"A"}}]}`, `{"choice\u0073":[{"delta":{"content":"A"}}]}`,
	"{\"choice\u017f\":[{\"delta\":{\"content\":\"long s\"}}]}",
	`{"choices":[{"delta":{"content":["a"]}}]}`, `{"choices":[{"delta":{"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}}]}`,
	`{"choices":[{"delta":{"content":"a"}}]} x`, `{"choices":[{"delta":{"content":"a"}}],}`, `{"choices":[{"delta":{"content":"a` + "\x01" + `"}}]}`,
	`{"choices":[{"delta":{"content":"a\x"}}]}`, `{"choices":[{"delta":{"content":"\u12"}}]}`, `{"x":01,"choices":[{"delta":{"content":"a"}}]}`,
	`{"x":-1.5e+3,"y":[{"z":[true,false,null,{}]}],"choices":[{"delta":{"content":"a"}}]}`, `{"x":"\q","choices":[{"delta":{"content":"a"}}]}`,
	`{"x":[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]],"choices":[{"delta":{"content":"deep"}}]}`,
	`{"object":"error","message":"m","type":"t","code":500}`, `{"error":"text"}`, `{"error":null,"choices":null}`,
	`{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}`, `{"choices":[{"delta":null}]}`, `{"choices":[{"delta":{"content":5}}]}`,
	`null`, `{}`, `[]`, `"x"`, `1`, ``, ` {"choices" : [ { "delta" : { "content" : "spaced" } } ] } `,
	`{"choices":[{"delta":{"content":"a","reasoning_details":[],"thinking_blocks":null,"provider_specific_fields":{},"extra_content":null}}]}`,
	`{"choices":[{"delta":{"content":"a","reasoning_details":[{"text":"x"}]}}]}`, `{"choices":[{"delta":{"content":"a","Extra_Content":{"x":1}}}]}`,
	`{"choices":[{"delta":{"content":"a","thinking_blocks":[{}]}}]}`, `{"choices":[{"delta":{"content":"a","provider_specific_fields":{"x":1}}}]}`,
	`{"choices":[{"delta":{"content":"a"},"usage":{"prompt_tokens":1}}]}`, `{"choices":[{"delta":{"content":"a"}}],"x_groq":{"usage":{"prompt_tokens":1}}}`,
	`{"choices":[{"delta":{"content":"a"}}],"base_resp":{"status_code":1004}}`, `{"choices":[{"delta":{"reasoning":"","reasoning_content":null,"content":"a"}}]}`,
	`{"choices":[{"delta":{"refusal":"no"}}]}`, `{"choices":[{"delta":{"function_call":{"name":"f","arguments":"{"}}}]}`,
}

// compare checks the scanner's result for a payload against encoding/json.
func compare(t *testing.T, s *scanner, payload []byte) (quick bool) {
	t.Helper()
	before := bytes.Clone(payload)
	text, thinking, ok := s.chunk(payload)
	if !bytes.Equal(before, payload) {
		t.Fatalf("the scanner changed %q", before)
	}
	if !ok {
		return false
	}
	c, err := parse(payload)
	if err != nil {
		t.Fatalf("scanner takes %q, encoding/json says %v", payload, err)
	}
	if string(c.text) != string(text) || string(c.thinking) != string(thinking) {
		t.Fatalf("%q: scanner %q %q, encoding/json %q %q", payload, text, thinking, c.text, c.thinking)
	}
	if c.failure != nil || c.finish != "" || c.usage != nil || len(c.fragments) > 0 || c.refused || len(c.parts) > 0 {
		t.Fatalf("%q: the scanner overlooked %+v", payload, c)
	}
	var slow stream
	slow.keep(&c)
	if o := slow.made.others; o != nil && len(o.details.members)+len(o.blocks.members)+len(o.specific.members)+len(o.extra.members) > 0 {
		t.Fatalf("%q: the scanner overlooked state", payload)
	}
	for f, kept := range map[field][]byte{fieldReasoningContent: slow.made.reasoningContent, fieldReasoning: slow.made.reasoning} {
		if len(kept) > 0 && s.under != f || slow.made.has&^s.has != 0 {
			t.Fatalf("%q: the scanner mistakes the reasoning for another field's", payload)
		}
	}
	return true
}

func TestTheScannerAgreesWithEncodingJSON(t *testing.T) {
	var s scanner
	for range 2 { // the second time with what the first one cached
		for _, c := range chunks {
			compare(t, &s, []byte(c))
			compare(t, &s, []byte(c))
		}
	}
	for i, want := range map[int]bool{0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: false, 8: true, 9: true, 10: false, 11: false, 12: false} {
		if got := compare(t, &s, []byte(chunks[i])); got != want {
			t.Errorf("accepted by the scanner: %v, want %v: %s", got, want, chunks[i])
		}
	}
}

func TestTheScannerRemembersOnlyWhatIsTheSame(t *testing.T) {
	var s scanner
	line := func(content, tail string) []byte {
		return []byte(`{"choices":[{"delta":{"content":` + content + `}` + tail)
	}
	if !compare(t, &s, line(`"a"`, `}]}`)) || !compare(t, &s, line(`"b\n\u00e4"`, `}]}`)) || !compare(t, &s, line(`""`, `}]}`)) {
		t.Error("an ordinary chunk is not accepted")
	}
	for _, c := range [][]byte{line(`"a`, `}]}`), line(`"\z"`, `}]}`), line(`"a"`, `}]`), line(`"a"`, `}]}x`), line(`"a"`, `,"finish_reason":"stop"}]}`), line(`5`, `}]}`)} {
		if compare(t, &s, c) {
			t.Errorf("taken: %s", c)
		}
		if !compare(t, &s, line(`"a"`, `}]}`)) {
			t.Error("an ordinary chunk is not accepted afterwards")
		}
	}
	compare(t, &s, []byte(`{"choices":[{"delta":{"content":"x","reasoning":""}}]}`))
	compare(t, &s, []byte(`{"choices":[{"delta":{"content":"y","reasoning":""}}]}`))
	compare(t, &s, []byte(`{"choices":[{"delta":{"reasoning":"r\n"}}]}`))
	compare(t, &s, []byte(`{"choices":[{"delta":{"reasoning":"s\t"}}]}`))
}

func TestOrdinaryChunksAreDecodedWithoutAllocating(t *testing.T) {
	var s scanner
	for i := range 2 {
		payload := []byte(chunks[i])
		s.chunk(payload)
		if n := testing.AllocsPerRun(100, func() { s.chunk(payload); s.head = s.head[:0]; s.chunk(payload) }); n != 0 {
			t.Errorf("%v allocations for %s", n, payload)
		}
	}
}

func FuzzChunk(f *testing.F) {
	for i, c := range chunks {
		f.Add([]byte(c), []byte(chunks[(i+1)%len(chunks)]))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var s scanner
		compare(t, &s, first)
		compare(t, &s, second)
		compare(t, &s, first)
	})
}

// FuzzContent: any text arrives as encoding/json would decode it.
func FuzzContent(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte(`a\ud83d\ude00\n\"` + "\xff\xe2\x82"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s scanner
		payload := fmt.Appendf(nil, `{"choices":[{"index":0,"delta":{"content":"%s"}}]}`, raw)
		compare(t, &s, payload)
		quoted, _ := json.Marshal(string(raw))
		payload = fmt.Appendf(nil, `{"choices":[{"index":0,"delta":{"content":%s}}]}`, quoted)
		for range 2 { // the second time with what the first one cached
			if !compare(t, &s, payload) {
				t.Fatalf("not taken: %s", payload)
			}
		}
	})
}

func BenchmarkChunk(b *testing.B) {
	plain, escaped := []byte(chunks[0]), []byte(chunks[1])
	other := bytes.Replace(plain, []byte("1700000000"), []byte("1700000001"), 1)
	b.Run("remembered", func(b *testing.B) {
		var s scanner
		b.ReportAllocs()
		for b.Loop() {
			s.chunk(plain)
		}
	})
	b.Run("escaped", func(b *testing.B) {
		var s scanner
		b.ReportAllocs()
		for b.Loop() {
			s.chunk(escaped)
		}
	})
	b.Run("scanned", func(b *testing.B) {
		var s scanner
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i%2 == 0 {
				s.chunk(plain)
			} else {
				s.chunk(other)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := parse(plain); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json-minimal", func(b *testing.B) { // what a simple gateway declares
		b.ReportAllocs()
		for b.Loop() {
			var w struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if err := json.Unmarshal(plain, &w); err != nil {
				b.Fatal(err)
			}
		}
	})
}
