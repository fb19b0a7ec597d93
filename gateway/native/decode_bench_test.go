package native

import (
	"strings"
	"testing"
)

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct{ name, body string }{
		{"message", `{"message":"What is the capital of France?","idempotencyKey":"0d1f3c55-5b5e-4f3c-9a55-1f6c0a2b7c11","locale":"de-AT"}`},
		{"long message", `{"message":"` + strings.Repeat("a line with a quote \\\" and an ä\\n", 900) + `"}`},
		{"form", `{"answer":{"toolCallId":"call_1","clarificationId":"clr_1","note":"n","answers":[{"value":"fr"},{"values":["a","b"],"other":"c"},{"value":1.5},{"skipped":true},{"value":true,"note":"n"}]}}`},
		{"result", `{"answer":{"toolCallId":"call_1","result":[` + strings.Repeat(`{"id":12345,"name":"a name","tags":["a","b"],"open":true},`, 400) + `null]}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := []byte(c.body)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decode(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
