package witness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
)

// others are members of Chat Completions that servers other than OpenAI's know, by location.
var others = []string{
	"reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "provider_specific_fields", "extra_content", "reasoning_split",
}

// body is a request of Gemini's own API, in the types of genai.
type body struct {
	Contents          []*genai.Content        `json:"contents"`
	SystemInstruction *genai.Content          `json:"systemInstruction"`
	Tools             []*genai.Tool           `json:"tools"`
	ToolConfig        *genai.ToolConfig       `json:"toolConfig"`
	SafetySettings    []*genai.SafetySetting  `json:"safetySettings"`
	GenerationConfig  *genai.GenerationConfig `json:"generationConfig"`
}

// lost reads a request into an SDK's type, writes it again, and lists the locations whose members
// the type does not have.
func lost(raw []byte, into any) []string {
	// The sentinel that Google documents is base64 in the other alphabet, which Go's type does not
	// read.
	raw = bytes.ReplaceAll(raw, []byte("skip_thought_signature_validator"), []byte("c2tpcA=="))
	if err := json.Unmarshal(raw, into); err != nil {
		return []string{err.Error()}
	}
	again, err := json.Marshal(into)
	if err != nil {
		return []string{err.Error()}
	}
	return missing(tree(raw), tree(again), "")
}

func tree(raw []byte) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	_ = d.Decode(&v) // missing members are reported then
	return v
}

// empty reports whether a value carries no information: SDKs leave it out.
func empty(v any) bool {
	m, object := v.(map[string]any)
	return v == nil || v == "" || object && len(m) == 0
}

// missing lists the parts of a that are not in b.
func missing(a, b any, at string) []string {
	var found []string
	switch a := a.(type) {
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: became %v", at, b)}
		}
		for _, k := range slices.Sorted(maps.Keys(a)) {
			v, there := m[k]
			if !there && empty(a[k]) {
				continue
			}
			if !there {
				found = append(found, at+"."+k)
				continue
			}
			found = append(found, missing(a[k], v, at+"."+k)...)
		}
	case []any:
		l, ok := b.([]any)
		if !ok || len(l) != len(a) {
			return []string{fmt.Sprintf("%s: became %v", at, b)}
		}
		for i := range a {
			found = append(found, missing(a[i], l[i], fmt.Sprintf("%s[%d]", at, i))...)
		}
	default:
		if l, ok := b.([]any); ok && len(l) == 1 { // a text, where the SDK writes a list of one
			if m, ok := l[0].(map[string]any); ok && m["text"] == a {
				return nil
			}
		}
		if fmt.Sprint(a) != fmt.Sprint(b) && !strings.EqualFold(fmt.Sprint(a), fmt.Sprint(b)) { // genai writes types in capitals
			found = append(found, fmt.Sprintf("%s: %v became %v", at, a, b))
		}
	}
	return found
}

// typeOf returns the SDK's type for a request.
func typeOf(e exchange) any {
	switch {
	case e.Provider == "anthropic":
		return &anthropic.MessageNewParams{}
	case e.Provider == "gemini":
		return &body{}
	case strings.HasSuffix(e.Path, "/responses"):
		return &responses.ResponseNewParams{}
	}
	return &openai.ChatCompletionNewParams{}
}

func TestTheSDKsKnowEachMemberOfEachRequest(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range suite(t) {
		key := e.Kind + string(e.Request)
		if seen[key] {
			continue
		}
		seen[key] = true
		for _, f := range lost(e.Request, typeOf(e)) {
			last := f[strings.LastIndex(f, ".")+1:]
			if f == ".stream" || f == ".temperature" && e.Provider == "anthropic" || !ofOpenAI(e) && e.Provider == "openai" && (slices.Contains(others, last) || strings.Contains(f, "content[")) {
				// SDKs stream by another method; anthropic-sdk-go v2 has no temperature, which
				// older models accept; the rest is the server's own.
				continue
			}
			kind := e.Kind + ": " + place.ReplaceAllString(f, "[]")
			if !seen[kind] { // each once
				seen[kind] = true
				t.Errorf("%s: %s\n%s", e.Kind, f, e.Request)
			}
		}
	}
	t.Logf("%d requests", len(seen))
}

var place = regexp.MustCompile(`\[\d+\]`)

func ofOpenAI(e exchange) bool {
	return strings.HasPrefix(e.Kind, "openai") || strings.HasPrefix(e.Kind, "azure") || strings.HasPrefix(e.Kind, "responses")
}

// A member that an SDK does not know is detected: otherwise the test above would prove nothing.
func TestAnUnknownMemberIsSeen(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		into any
		want string
	}{
		"chat":      {`{"model": "m", "messages": [{"role": "assistant", "content": "x", "reasoning_content": "y"}]}`, &openai.ChatCompletionNewParams{}, ".messages[0].reasoning_content"},
		"responses": {`{"model": "m", "input": [{"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}", "odd": 1}]}`, &responses.ResponseNewParams{}, ".input[0].odd"},
		"messages":  {`{"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": [{"type": "text", "text": "x", "odd": 1}]}]}`, &anthropic.MessageNewParams{}, ".messages[0].content[0].odd"},
		"gemini":    {`{"contents": [{"role": "user", "parts": [{"text": "x", "odd": 1}]}]}`, &body{}, ".contents[0].parts[0].odd"},
	} {
		if got := lost([]byte(c.raw), c.into); !slices.Contains(got, c.want) {
			t.Errorf("%s: lost %q, want %q among them", name, got, c.want)
		}
	}
}
