package upstream_test

import (
	"encoding/json"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
)

// The shapes in which servers write errors (see modeltest/strict).
func TestEachShapeOfAnErrorIsRead(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"OpenAI":             {`{"error":{"message":"m","type":"t","param":"temperature","code":"c"}}`, "m|t|c|temperature"},
		"param null":         {`{"error":{"message":"m","type":"t","param":null,"code":null}}`, "m|t||"},
		"param is not text":  {`{"error":{"message":"m","param":["x"],"code":400}}`, "m||400|"},
		"Anthropic":          {`{"type":"error","error":{"type":"invalid_request_error","message":"m"},"request_id":"r"}`, "m|invalid_request_error||"},
		"Gemini":             {`[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[{"@type":"x","fieldViolations":[{"field":"tools[0].a","description":"d"},{"field":"b"}]}]}}]`, "m||400||tools[0].a,b"},
		"Mistral":            {`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","messages",31,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error","param":null}`, "body.messages.31.assistant.reasoning_content: Extra inputs are not permitted|invalid_request_error|extra_forbidden||body.messages.31.assistant.reasoning_content"},
		"Mistral, text":      {`{"object":"error","message":"m","type":"t","code":"3280"}`, "m|t|3280|"},
		"bare detail":        {`{"detail":[{"type":"missing","loc":["body","x"],"msg":"a"},{"loc":["y"],"msg":"b"}]}`, "body.x: a; y: b||missing||body.x,y"},
		"detail, text":       {`{"detail":"Not found"}`, "Not found|||"},
		"xAI":                {`{"code":"Client specified an invalid argument","error":"m"}`, "m||Client specified an invalid argument|"},
		"Ollama":             {`{"error":"m"}`, "m|||"},
		"Bedrock":            {`{"message":"m","__type":"ValidationException"}`, "m|ValidationException||"},
		"Bedrock, bare":      {`{"message":"m"}`, "m|||"},
		"DashScope":          {`{"code":"InvalidParameter","message":"m","request_id":"r"}`, "m||InvalidParameter|"},
		"MiniMax":            {`{"id":"x","choices":null,"base_resp":{"status_code":2013,"status_msg":"m"}}`, "m||2013|"},
		"vLLM":               {`{"object":"error","message":"m","type":"BadRequestError","param":null,"code":400}`, "m|BadRequestError|400|"},
		"LiteLLM":            {`{"error":{"message":"m","type":null,"param":null,"code":"400"}}`, "m||400|"},
		"OpenRouter":         {`{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"inner\",\"param\":\"top_p\"}}","provider_name":"x"}}}`, "Provider returned error: inner||400|"},
		"OpenRouter, text":   {`{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"inner"}}}`, "Provider returned error: inner||400|"},
		"OpenRouter, object": {`{"error":{"code":502,"message":"e","metadata":{"raw":{"error":{"message":"inner"}}}}}`, "e: inner||502|"},
		"an event":           {`{"type":"error","code":"c","message":"m","param":null,"sequence_number":1}`, "m|error|c|"},
	} {
		w := upstream.ErrorIn([]byte(c.body))
		if w == nil {
			t.Errorf("%s: none", name)
			continue
		}
		code, _ := json.Marshal(w.Code)
		got := strings.Join([]string{w.Text(), w.Type, strings.Trim(strings.ReplaceAll(string(code), "null", ""), `"`), w.Param}, "|")
		if len(w.Fields) > 0 {
			got += "|" + strings.Join(w.Fields, ",")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	for _, body := range []string{
		"", "null", "[]", "{}", `{"error":null}`, `{"choices":[],"base_resp":{"status_code":0,"status_msg":""}}`, `{"message":{"role":"assistant"}}`, `"x"`, `{"error":`,
		`{"object":"chat.completion.chunk","choices":[]}`, `{"type":"message_start","message":{"id":"x"}}`,
	} {
		if w := upstream.ErrorIn([]byte(body)); w != nil {
			t.Errorf("%s: %+v", body, w)
		}
	}
}

func reason(text string, secrets []string, said ...string) string {
	raw, _ := json.Marshal(map[string]any{"error": map[string]any{"message": text}})
	return upstream.Reason(raw, secrets, func() []string { return said })
}

// Operators see all of the server's own words in a reason, and none of other people's.
func TestTheReasonHasNothingThatWasSaid(t *testing.T) {
	const prompt = "My doctor says it's a \"mild\" fever.\nCall 555-0199; C:\\new\\file, München 東京タワーの近くにあるホテル 😀😀😀😀😀😀😀😀😀😀😀😀"
	escaped, _ := json.Marshal(prompt)
	ascii := strings.ReplaceAll(string(escaped), "ü", `\u00fc`)
	for name, c := range map[string]struct{ text, want string }{
		"nothing of it":       {"Unsupported parameter: 'top_p'", "Unsupported parameter: 'top_p'"},
		"as it stands":        {"Invalid prompt: " + prompt + " (policy)", "Invalid prompt: … (policy)"},
		"escaped":             {"Invalid prompt: " + string(escaped) + " (policy)", `Invalid prompt: "…" (policy)`},
		"escaped to ASCII":    {"Invalid prompt: " + ascii, `Invalid prompt: "…"`},
		"escaped twice":       {"Got " + quoted(string(escaped)), `Got "\"…\""`},
		"a part, 12":          {"bad=doctor says i!", "bad=…!"},
		"a part, 11":          {"bad=doctor says!", "bad=doctor says!"},
		"12 of wide ones":     {"bad=東京タワーの近くにあるホ!", "bad=…!"},
		"11 of wide ones":     {"bad=東京タワーの近くにある!", "bad=東京タワーの近くにある!"},
		"quoted, short":       {"Value 'fever' is wrong, and \"mild\", and `555`", "Value '…' is wrong, and \"…\", and `…`"},
		"quoted, one letter":  {"Value 'M' is wrong", "Value '…' is wrong"},
		"quoted, not of it":   {"Value 'cough' is wrong", "Value 'cough' is wrong"},
		"quoted, escaped":     {`Value \"mild\" is wrong`, `Value \"…\" is wrong`},
		"between apostrophes": {"The model's value 'fever' isn't right", "The model's value '…' isn't right"},
		"other marks":         {"Value “fever” «mild» ‘Call’", "Value “…” «…» ‘…’"},
		"twice":               {"doctor says it's/doctor says it's", "…/…"},
	} {
		if got := reason(c.text, nil, "Hello", prompt); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// A stretch of 12 characters is found wherever it occurs in the chat.
func TestAStretchIsFoundAtEachPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	said := make([]byte, 200)
	for i := range said {
		said[i] = byte('a' + random.IntN(26))
	}
	for at := 0; at+12 <= len(said); at++ {
		if got := reason("["+string(said[at:at+12])+"]", nil, string(said)); got != "[…]" {
			t.Errorf("at %d: %s", at, got)
		}
		if at+11 < len(said) {
			if got := reason("["+string(said[at:at+11])+"]", nil, string(said)); strings.Contains(got, "…") {
				t.Errorf("11 at %d: %s", at, got)
			}
		}
	}
}

// Text that was sent escaped, as arguments are, is found where a server quotes it unescaped.
func TestWhatWasSaidEscapedIsFoundPlain(t *testing.T) {
	if got := reason("bad: Müllerstraße 12 in Köln", nil, `{"address":"M\u00fcllerstra\u00dfe 12 in K\u00f6ln"}`); got != "bad: …" {
		t.Error(got)
	}
}

// TestWhatAFrontEscapesIsFound: proxies quote requests escaped as HTML or as an address.
func TestWhatAFrontEscapesIsFound(t *testing.T) {
	const said = `my doctor's name is "Müller" & he said 100% rest`
	for name, quoted := range map[string]string{
		"HTML": html.EscapeString(said), "an address": url.PathEscape(said), "both": url.PathEscape(html.EscapeString(said)),
	} {
		body, _ := json.Marshal(map[string]any{"error": map[string]string{"message": "Bad request near " + quoted + " in line 1"}})
		got := upstream.Reason(body, nil, func() []string { return []string{said} })
		if strings.Contains(got, "doctor") || strings.Contains(got, "ller") || !strings.Contains(got, "Bad request near ") || !strings.Contains(got, "line 1") {
			t.Errorf("%s: the reason is %q", name, got)
		}
	}
}

func TestTheReasonHasNoSecrets(t *testing.T) {
	secrets := []string{"sk-0123456789abcdef", "X-Team value/with space", "abc", "pass"}
	for text, want := range map[string]string{
		"key sk-0123456789abcdef is bad":  "key [key] is bad",
		"key SK-0123456789ABCDEF is bad":  "key [key] is bad",
		"key ...456789abcdef is bad":      "key [key] is bad",
		"header X-Team value/with space!": "header [key]!",
		"abc stays, pass does not":        "abc stays, [key] does not",
	} {
		if got := reason(text, secrets); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheReasonIsOneShortLine(t *testing.T) {
	if got := reason("a\r\n\tb\x1b[31m\u202e\u200bc\u2028d\x00", nil); got != "a b [31mc d" {
		t.Errorf("%q", got)
	}
	got := reason(strings.Repeat("ä", 600), nil)
	if n := utf8.RuneCountInString(got); n != 500 || !strings.HasSuffix(got, "…") {
		t.Error(n)
	}
	if got := reason("image iVBOR"+strings.Repeat("w0KGgo", 30)+" is broken", nil); got != "image … is broken" {
		t.Error(got)
	}
	for body, want := range map[string]string{
		"<html>no</html>": "", "": "", "upstream connect error": "upstream connect error", `{"foo":"bar"}`: "bar",
		`{"error":{"type":"overloaded_error","message":" "}}`: "type=overloaded_error", `{"error":{"message":"cut`: `{"error":{"message":"cut`,
	} {
		if got := upstream.Reason([]byte(body), nil, nil); got != want {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// Texts that are crafted to be slow to compare are withheld, not shown.
func TestHardTextsAreGivenUp(t *testing.T) {
	text := strings.Repeat("abcdefgh1", 450)
	if got := reason(text, nil, strings.Repeat("abcdefghZ", 1<<17)); got != "…" {
		t.Errorf("%.40s", got)
	}
}

// No stretch of 12 characters of the chat is left, however text and request are combined.
func TestNoStretchIsLeft(t *testing.T) {
	random := rand.New(rand.NewPCG(28, 12))
	alphabet := []rune("ab\n\"\\ü東")
	words := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	for range 2000 {
		said := []string{words(random.IntN(60)), words(60), words(14)}
		text := words(random.IntN(20))
		for range 3 {
			piece := []rune(said[random.IntN(3)])
			from := random.IntN(len(piece) + 1)
			to := from + random.IntN(len(piece)-from+1)
			p := string(piece[from:to])
			if random.IntN(2) == 0 {
				p = strings.Trim(quoted(p), `"`)
			}
			text += p + words(random.IntN(5))
		}
		left := []rune(upstream.Unsaid(text, said))
		for i := 0; i+12 <= len(left); i++ {
			stretch := string(left[i : i+12])
			if !strings.Contains(stretch, "…") && slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, stretch) }) {
				t.Fatalf("%q of %q is left; the chat: %q", stretch, text, said)
			}
		}
	}
}

func TestSaidInHasAllThatWasSaid(t *testing.T) {
	said := upstream.SaidIn(model.Request{System: "system of Ada", Personal: []string{"Ada", ""}, Messages: []model.Message{
		{Role: model.RoleUser, Content: "user", PDFs: []model.PDF{{Name: "file.pdf"}}},
		{Role: model.RoleAssistant, Content: "text", ToolCalls: []model.ToolCall{{ID: "id", Name: "tool", Arguments: `{"a":"b"}`}},
			Made: model.Made{State: json.RawMessage(`[{"type":"thinking","thinking":"thought","signature":"sig"},7,"loose"]`)}},
		{Role: model.RoleTool, Content: "result"},
		{Role: model.RoleAssistant, Made: model.Made{State: json.RawMessage(`broken`)}},
	}})
	slices.Sort(said)
	if got := strings.Join(said, "|"); got != `Ada|broken|file.pdf|loose|result|sig|text|thought|user|{"a":"b"}` {
		t.Error(got)
	}
}

func FuzzReason(f *testing.F) {
	f.Add(`{"error":{"message":"Invalid 'fever' \\u00fc"}}`, "my fever", "sk-0123456789")
	f.Add(`[{"error":"\\ud83d\\ude00\\\\"}]`, "😀", "")
	f.Fuzz(func(t *testing.T, body, said, secret string) {
		got := upstream.Reason([]byte(body), []string{secret}, func() []string { return []string{said} })
		if utf8.RuneCountInString(got) > 500 || strings.ContainsAny(got, "\n\r\x00\u202e") || !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
	})
}

// A refusal of a long chat: 10 MB of content.
func BenchmarkReason(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	dictionary := strings.Fields("the of temperature parameter is not supported with this model and a request value invalid user said that they would like to know whether it rains in Paris")
	for len(dictionary) < 3000 {
		word := make([]byte, 3+random.IntN(8))
		for i := range word {
			word[i] = "etaoinshrdlucmfwyp"[random.IntN(18)]
		}
		dictionary = append(dictionary, string(word))
	}
	var text strings.Builder
	for text.Len() < 10<<20 {
		text.WriteString(dictionary[random.IntN(len(dictionary))])
		text.WriteByte(' ')
	}
	said := []string{text.String()}
	body := []byte(`{"error":{"message":"Unsupported value: 'temperature' does not support 'rains' with this model. Only the 'default' (1) value is supported. ` + strings.Repeat("More is said of it here. ", 100) + `"}}`)
	for b.Loop() {
		upstream.Reason(body, nil, func() []string { return said })
	}
}
