package askuser

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	const question = `{"question":"What format would you like the report in?","header":"Format","input_type":"select","options":[{"label":"PDF","value":"pdf","description":"For print","recommended":true},{"label":"Word Document","value":"docx"}],"allow_other":true,"validation":{"min":1,"max":2.5}}`
	long := strings.Replace(question, "For print", strings.Repeat("wörter \\u00e4 ", 60), 1)
	for _, c := range []struct{ name, arguments string }{
		{"question", question},
		{"form", fmt.Sprintf(`{"questions":[%s]}`, strings.TrimSuffix(strings.Repeat(long+",", 5), ","))},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.arguments)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parse(c.arguments); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
