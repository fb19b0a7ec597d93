package fronttest_test

import (
	"strings"
	"testing"
)

// No stream of any front contains a character that some clients take for a line break (Python's
// splitlines), neither in a text that comes in pieces, nor in arguments, questions and results.
func TestNoFrontStreamsLineEnds(t *testing.T) {
	g := does(t)
	odd := "a\u0085b\u2028c\u2029d"
	message := script(
		[][2]string{{"calculator", `{"expression":"` + odd + `"}`}},
		[][2]string{{"ask_user", `{"question":"Which?","context":"` + odd + `","input_type":"select","options":[{"label":"` + odd + `","value":"x"},{"label":"y","value":"y"}]}`}},
	)
	said := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(message)
	for path, body := range map[string]string{
		"/v1/apps/work/chats/lines/messages": `{"message":"` + said + `"}`,
		"/v1/apps/work/ai-sdk":               `{"id":"lines-ai","messages":[{"id":"m","role":"user","parts":[{"type":"text","text":"` + said + `"}]}],"trigger":"submit-message"}`,
		"/v1/apps/work/ag-ui":                `{"threadId":"lines-ag","runId":"r","messages":[{"id":"m","role":"user","content":"` + said + `"}],"tools":[{"name":"ask_user"}]}`,
		"/v1/chat/completions":               `{"model":"work","stream":true,"messages":[{"role":"user","content":"` + said + `"}]}`,
		"/v1/responses":                      `{"model":"work","stream":true,"input":"` + said + `"}`,
	} {
		got := send(t, g, "POST", path, body)
		if got.status != 200 || strings.ContainsAny(got.body, "\u0085\u2028\u2029") || !strings.Contains(got.body, `Which?`) {
			t.Errorf("%s: %d %q", path, got.status, got.body)
		}
	}
}
