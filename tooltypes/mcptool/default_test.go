package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tooltypes/mcptool"
)

// defaults has a field of each type, each with a default that counts as an answer.
const defaults = `{
	"text":{"type":"string","default":"<Lisbon> "},
	"mail":{"type":"string","format":"email","default":"a@example.org"},
	"day":{"type":"string","format":"date","default":"2026-12-01"},
	"seat":{"type":"string","enum":["w","a"],"default":"a"},
	"many":{"type":"array","items":{"type":"string","enum":["x","y","z"]},"default":["x","z"]},
	"bags":{"type":"integer","minimum":0,"maximum":3,"default":2},
	"rate":{"type":"number","default":0.50},
	"sure":{"type":"boolean","default":true},
	"none":{"type":"string"}}`

func TestDefaultsAreOfferedAsAnswersWouldSendThem(t *testing.T) {
	q := serving(t, one(form("Well?", defaults))).call(t, call).Question
	if q == nil {
		t.Fatal("nothing is asked")
	}
	for _, p := range q.Parts {
		want := map[string]string{
			"text": `"<Lisbon>"`, "mail": `"a@example.org"`, "day": `"2026-12-01"`, "seat": `"a"`, "many": `["x","z"]`, "bags": `2`, "rate": `0.50`, "sure": `true`,
		}[p.Question]
		var got, wanted any
		_, _ = json.Unmarshal(p.Default, &got), json.Unmarshal([]byte(want), &wanted)
		if fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("%s: %s", p.Question, p.Default)
		}
	}
}

// A default that does not answer the question is not offered: it could not be sent.
func TestDefaultsThatDoNotFitAreLeftOut(t *testing.T) {
	for _, property := range []string{
		`{"type":"string","enum":["x"],"default":"y"}`, `{"type":"integer","maximum":3,"default":4}`, `{"type":"integer","default":1.5}`, `{"type":"number","default":"3"}`,
		`{"type":"boolean","default":"yes"}`, `{"type":"string","default":7}`, `{"type":"string","format":"date","default":"2026-02-30"}`, `{"type":"string","maxLength":2,"default":"abc"}`,
		`{"type":"array","items":{"type":"string","enum":["x"]},"default":["y"]}`, `{"type":"array","items":{"type":"string","enum":["x"]},"default":[]}`,
		`{"type":"array","items":{"type":"string","enum":["x"]},"default":[1]}`, `{"type":"string","default":null}`, `{"type":"string","default":" "}`,
	} {
		q := serving(t, one(form("Well?", `{"a":`+property+`}`))).call(t, call).Question
		if q == nil || q.Parts[0].Default != nil {
			t.Errorf("%s: %+v", property, q)
		}
	}
}

// A field that a person skipped is absent, whatever default it has, in both protocols; a field that
// they sent is present.
func TestWhatIsSkippedIsNotAnsweredByTheDefault(t *testing.T) {
	skips := tools.Answer{Answers: make([]tools.Answer, 9)}
	for i := range skips.Answers {
		skips.Answers[i].Skipped = true
	}
	butOne := tools.Answer{Answers: slices.Clone(skips.Answers)}
	butOne.Answers[5] = value(`1`)
	for name, c := range map[string]struct {
		answer tools.Answer
		want   string
	}{
		"all":     {tools.Answer{Skipped: true}, `{"action":"accept"}`},
		"each":    {skips, `{"action":"accept"}`},
		"but one": {butOne, `{"action":"accept","content":{"bags":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			b := serving(t, one(form("Well?", defaults)))
			if out := b.answer(t, call, b.call(t, call).Question, c.answer); out.Result != `stäte {"q":`+c.want+`}` {
				t.Errorf("2026: %s%v", out.Result, out.Error)
			}
			// The SDK of the server adds the defaults itself, so the message is inspected before
			// that.
			came := make(chan string, 1)
			server := inside(form("Well?", defaults))
			server.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
					result, err := next(ctx, method, r)
					if method == "elicitation/create" {
						raw, _ := json.Marshal(result)
						came <- string(raw)
					}
					return result, err
				}
			})
			b = use(t, mcptool.Options{URL: serve(t, server, true), Park: time.Minute})
			b.answer(t, call, b.call(t, call).Question, c.answer)
			if got := <-came; got != c.want {
				t.Errorf("2025: %s", got)
			}
		})
	}
}
