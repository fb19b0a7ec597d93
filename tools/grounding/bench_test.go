package grounding_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/grounding"
)

// said40 returns a chat of 40 KB, and a call with ten values of which half were said.
func said40() (texts []grounding.Text, arguments string, schema json.RawMessage) {
	sentence := "We talked about the trip to %s with %d people on March %d at %d:30, for 1.%03d,50 Euro, and Anna asked whether the 2nd train is late. "
	places := strings.Fields("Hamburg Lyon Sevilla Oslo Leeds Graz")
	size := 0
	for i := 0; size < 40<<10; i++ {
		text := grounding.Text{Content: fmt.Sprintf(sentence, places[i%6], i%9+2, i%28+1, i%12+1, i%1000), At: at("2026-03-10")}
		size += len(text.Content)
		texts = append(texts, text)
	}
	arguments = `{"a":"Hamburg","b":"Buenos Aires","c":3,"d":4711,"e":"2026-03-12","f":"2026-09-30","g":"11:30","h":"22:45","i":"Anna","j":"Anna Katharina von der Heide"}`
	schema = json.RawMessage(`{"required":["a","b","c","d","e","f","g","h","i","j"]}`)
	return texts, arguments, schema
}

func BenchmarkFind(b *testing.B) {
	texts, arguments, schema := said40()
	said := grounding.Read(texts)
	now := at("2026-03-10")
	b.ReportAllocs()
	for b.Loop() {
		said.Find(arguments, schema, now)
	}
}

func BenchmarkRead(b *testing.B) {
	texts, _, _ := said40()
	b.SetBytes(40 << 10)
	b.ReportAllocs()
	for b.Loop() {
		grounding.Read(texts)
	}
}

// BenchmarkStep measures a step of a run with 40 KB already read: one more text, and ten values.
func BenchmarkStep(b *testing.B) {
	texts, arguments, schema := said40()
	said := grounding.Read(texts)
	now, n := at("2026-03-10"), len(texts)
	b.ReportAllocs()
	for b.Loop() {
		if len(texts) > 2*n { // do not grow without limit
			b.StopTimer()
			texts = texts[:n]
			said = grounding.Read(texts)
			b.StartTimer()
		}
		texts = append(texts, grounding.Text{Content: "And one more, for Anna.", At: now.AddDate(0, 0, len(texts))})
		said = said.With(texts)
		said.Find(arguments, schema, now)
	}
}
