package arguments_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askgate/askgate/tools/arguments"
)

// spoiled has arguments as servers sent them, each with a report. Names and values are shortened;
// the error is unchanged.
var spoiled = []struct {
	source, sent, repaired, kinds string
}{
	// An empty object before or after the real one.
	{"litellm#4537, 4 July 2024 (Claude); openai-agents-js#712, 1 December 2025 (Bedrock)",
		`{}{"city":"Paris"}`, `{"city":"Paris"}`, "empty_object"},
	{"the same, the other way round", `{"city":"Paris"} {}`, `{"city":"Paris"}`, "empty_object"},
	{"the same, with white space", "{ }\n{\"city\": \"Paris\"}\n", `{"city":"Paris"}`, "empty_object"},

	// The same object several times.
	{"async-openai#329, 4 February 2025 (Mistral)", `{ "city": "Berlin" }{ "city": "Berlin" }`, `{"city":"Berlin"}`, "repeated_object"},
	{"simonw/llm#1130, 29 May 2025", `{"x": 3, "y": 2}{"x": 3, "y": 2}`, `{"x":3,"y":2}`, "repeated_object"},
	{"codex-lb#284, 31 March 2026: three times",
		`{"city":"Zurich","unit":"C"}{"city":"Zurich","unit":"C"}{"city":"Zurich","unit":"C"}`, `{"city":"Zurich","unit":"C"}`, "repeated_object"},
	{"elizaOS#16973, 23 July 2026: the second time written otherwise",
		`{"command": "ls", "n": 1.0}{"n":1,"command":"\u006cs"}`, `{"command":"ls","n":1.0}`, "repeated_object"},
	{"the same, of a call without arguments", `{}{}`, `{}`, "repeated_object"},

	// Special tokens at the end.
	{"livekit/agents#5840, 25 May 2026", `{"city":"Paris"}<|im_end|>`, `{"city":"Paris"}`, "special_token"},
	{"sglang#10576, 20 September 2025 (gpt-oss)", `{"city":"Paris"}<|return|>`, `{"city":"Paris"}`, "special_token"},
	{"TensorRT-LLM#9256, 26 November 2025 (gpt-oss)", "{\n  \"path\": \"/\"\n}<|end|>", `{"path":"/"}`, "special_token"},
	{"adk-python#5654, 10 May 2026 (DeepSeek)", "{\"dir\":\"x\"}\n<｜tool▁call▁end｜><｜tool▁calls▁end｜>", `{"dir":"x"}`, "special_token"},
	{"vllm#28543 (Kimi K2)", `{"city":"Paris"} <|tool_call_end|> <|tool_calls_section_end|>`, `{"city":"Paris"}`, "special_token"},
	{"vllm#54964, 2 September 2026 (Hermes)", "{\"city\":\"Paris\"}\n</tool_call><|im_end|>", `{"city":"Paris"}`, "special_token"},
	{"a token in a text stays", `{"end":"<|im_end|>"}</s>`, `{"end":"<|im_end|>"}`, "special_token"},

	// Line breaks and tabs in texts.
	{"rhesis#2488, 14 August 2026 (Gemini)", "{\"text\":\"one\ntwo\tthree\"}", `{"text":"one\ntwo\tthree"}`, "raw_control"},
	{"ai-sdk-tool-call-middleware#300, 16 April 2026", "{\"text\":\"one\r\ntwo\",\n\t\"n\":1}", `{"text":"one\r\ntwo","n":1}`, "raw_control"},
	{"omlx#1672, 5 June 2026 (Qwen3)", "{\"old\":\"\t\t// a\\n\\t\\tif\"}", `{"old":"\t\t// a\n\t\tif"}`, "raw_control"},

	// Escapes that JSON does not know.
	{"hermes-agent#110436, 14 September 2026", `{"pattern":"\d+\.\d*"}`, `{"pattern":"\\d+\\.\\d*"}`, "unknown_escape"},
	{"mistral-vibe#216, 28 December 2025 (vLLM)", `{"path":"C:\Users\Public"}`, `{"path":"C:\\Users\\Public"}`, "unknown_escape"},
	{"claude-code#87251, 17 August 2026", `{"files":["E:\Angels sword\Claude.md"],"q":"\"a\/b\" \u0041\\"}`,
		`{"files":["E:\\Angels sword\\Claude.md"],"q":"\"a\/b\" \u0041\\"}`, "unknown_escape"},

	// The object in a JSON string.
	{"OpenManus#989, 31 March 2025 (Qwen2.5)", `"{\"shop\": \"A店\"}"`, `{"shop":"A店"}`, "nested_json"},
	{"vllm#54964, 2 September 2026 (Granite 4)", `"{\n  \"param\": \"max_connections\"\n}"`, `{"param":"max_connections"}`, "nested_json"},
	{"the same, twice", strconv.Quote(`"{\"n\": 2}"`), `{"n":2}`, "nested_json"},

	// Several errors at once.
	{"all of it", "{}{\"a\":\"x\n\\d\"}{\"a\":\"x\\u000a\\\\d\"}</s>", `{"a":"x\n\\d"}`,
		"empty_object raw_control repeated_object special_token unknown_escape"},
	{"within a string", `"{}{\"a\":\"x\ny\"}<|im_end|>"`, `{"a":"x\ny"}`, "empty_object nested_json raw_control special_token"},
}

func TestWhatServersSpoilIsRepaired(t *testing.T) {
	for _, c := range spoiled {
		got, kinds, err := arguments.Repair(c.sent)
		if err != nil || got != c.repaired || strings.Join(kinds, " ") != c.kinds {
			t.Errorf("%s: %q became %q, %v, %v; want %q, %s", c.source, c.sent, got, kinds, err, c.repaired, c.kinds)
		}
		if again, kinds, err := arguments.Repair(got); again != got || len(kinds) > 0 || err != nil {
			t.Errorf("%s: repaired once more: %q, %v, %v", c.source, again, kinds, err)
		}
	}
}

// unclear has arguments with two readings or none, with the error that the model reads.
var unclear = map[string]struct{ sent, fault string }{
	"two objects (hermes-agent#26053, 15 May 2026)": {`{"target":"Y","by":"works_at"}{"target":"Y","by":"ceo_of"}`, "not valid JSON"},
	"one object is part of the other":               {`{"a":1}{"a":1,"b":2}`, "not valid JSON"},
	"numbers that only a double takes for the same": {`{"a":9007199254740993}{"a":9007199254740992}`, "not valid JSON"},
	"lists in another order":                        {`{"a":[1,2]}{"a":[2,1]}`, "not valid JSON"},
	"a text and a number":                           {`{"a":1}{"a":"1"}`, "not valid JSON"},
	"empty, then cut off":                           {`{}{"path":"/tm`, "not valid JSON"},
	"whole, then cut off":                           {`{"path":"/tmp"}{"path":"/tmp"`, "not valid JSON"},
	"cut off in a text (vllm#48922, 17 July 2026)":  {`{"cmd": "ls`, "not valid JSON"},
	"cut off before the end":                        {`{"cmd":"ls"`, "not valid JSON"},
	"cut off in a string":                           {`"{\"cmd\":\"ls\"`, "not valid JSON"},
	"a whole string with half an object":            {`"{\"cmd\":\"ls\""`, "one JSON object"},
	"a token in place of the end":                   {`{"cmd":"ls<|im_end|>`, "not valid JSON"},
	"a token alone":                                 {`<|im_end|>`, "not valid JSON"},
	"a token before":                                {`<|im_start|>{"a":1}`, "not valid JSON"},
	"a token between":                               {`{"a":1}</s>{"a":1}`, "not valid JSON"},
	"a token of no list":                            {`{"a":1}<|im_start|>`, "not valid JSON"},
	"words behind (vllm#48975, 17 July 2026)":       {`{"city":"San Francisco"}Estimating the weather...`, "not valid JSON"},
	"words before (tt-inference-server#3683)":       {"json\n{\"city\":\"Paris\"}", "not valid JSON"},
	"a path that may have a tab in it":              {`{"path":"C:\temp\data"}`, "not valid JSON"},
	"the two escapes in two texts":                  {`{"from":"C:\temp\x","to":"C:\data"}`, "not valid JSON"},
	"a regular expression with a line end":          {`{"pattern":"\d+\n"}`, "not valid JSON"},
	"the two escapes at two levels":                 {`"{\"a\":\"C:\temp\\data\"}"`, "one JSON object"},
	"the two escapes within a string":               {`"{\"path\":\"C:\\temp\\data\"}"`, "one JSON object"},
	"half of an escape (claude-code#79339)":         {`{"text":"\로"}`, "not valid JSON"},
	"\\u without digits (ninfer#101)":               {`{"path":"C:\users"}`, "not valid JSON"},
	"\\u with an unknown escape":                    {`{"path":"C:\data\users"}`, "not valid JSON"},
	"a backslash at the end of a line":              {"{\"a\":\"x\\\ny\"}", "not valid JSON"},
	"a quote behind a backslash":                    {`{"path":"C:\dir\"}`, "not valid JSON"},
	"another control character":                     {"{\"a\":\"x\x01y\"}", "not valid JSON"},
	"a line end in an escape's place (#2488)":       {`{"range": \n[1, 2]}`, "not valid JSON"},
	"numbers with a space between":                  {"{\"a\":1 2,\"b\":\"x\ny\"}", "not valid JSON"},
	"a name twice":                                  {`{"a":1,"a":1}`, `the name "a" more than once`},
	"a name twice, behind an empty object":          {`{}{"a":1,"a":1}`, "not valid JSON"},
	"a number beyond a double":                      {`{"a":1e999}`, "beyond the range of a double"},
	"half a surrogate pair":                         {`{"a":"\ud83d"}`, "half of a surrogate pair"},
	"not UTF-8":                                     {"{}{\"a\":\"\xff\"}", "UTF-8"},
	"a fence":                                       {"```json\n{\"a\":1}\n```", "not valid JSON"},
	"a comma too many":                              {`{"a":1,}`, "not valid JSON"},
	"apostrophes for quotes":                        {`{'a':1}`, "not valid JSON"},
	"a comma between":                               {`{"a":1},{"a":1}`, "not valid JSON"},
	"a brace too many (Qwen-Agent#734)":             {`{}}`, "not valid JSON"},
	"a list":                                        {`[{"a":1}]`, "one JSON object"},
	"a list twice":                                  {`[][]`, "not valid JSON"},
	"a text":                                        {`"Paris"`, "one JSON object"},
	"an empty text":                                 {`""`, "one JSON object"},
	"null":                                          {`null`, "one JSON object"},
	"an object and a string":                        {`{}"{\"a\":1}"`, "not valid JSON"},
	"too many objects":                              {strings.Repeat(`{}`, 9), "not valid JSON"},
	"strings in strings in strings":                 {strconv.Quote(strconv.Quote(strconv.Quote(`"{}"`))), "one JSON object"},
	"too deep":                                      {`{}` + strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), "not valid JSON"},
	"too large":                                     {`{}{"a":"` + strings.Repeat("x", 256<<10) + `"}`, "the limit is 262144"},
	"too large once it is repaired":                 {`{"a":"` + strings.Repeat("\n", 200<<10) + `"}`, "not valid JSON"},
}

func TestWhatHasTwoReadingsIsNotRepaired(t *testing.T) {
	for name, c := range unclear {
		got, kinds, err := arguments.Repair(c.sent)
		if err == nil || got != "" || kinds != nil {
			t.Errorf("%s: %.60q became %.60q, %v", name, c.sent, got, kinds)
			continue
		}
		if _, want := arguments.Canonical(c.sent); err.Error() != want.Error() || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want %v with %q", name, err, want, c.fault)
		}
	}
}

func TestWhatHasACanonicalFormIsNotRepaired(t *testing.T) {
	for given, want := range map[string]string{
		"":                                      `{}`,
		" {\"a\" : 1} ":                         `{"a":1}`,
		`{"a":"{}{} \\d </s>","b":"{\"c\":1}"}`: `{"a":"{}{} \\d </s>","b":"{\"c\":1}"}`,
	} {
		if got, kinds, err := arguments.Repair(given); got != want || kinds != nil || err != nil {
			t.Errorf("%q: %q, %v, %v", given, got, kinds, err)
		}
	}
}

// FuzzRepair: repaired arguments are canonical. If only texts were corrupted, they have the same
// characters. Each way to corrupt arguments is undone.
func FuzzRepair(f *testing.F) {
	for _, c := range spoiled {
		f.Add(c.sent)
	}
	for _, c := range unclear {
		if len(c.sent) < 1000 {
			f.Add(c.sent)
		}
	}
	f.Add(`{"a":["x\\y","\"",{"b":null}],"c":1.50}`)
	f.Fuzz(func(t *testing.T, sent string) {
		got, kinds, err := arguments.Repair(sent)
		canonical, fault := arguments.Canonical(sent)
		switch {
		case fault == nil:
			if got != canonical || kinds != nil || err != nil {
				t.Fatalf("%q is canonical, and became %q, %v, %v", sent, got, kinds, err)
			}
			spoil(t, canonical)
			return
		case err != nil:
			if err.Error() != fault.Error() || got != "" || kinds != nil {
				t.Fatalf("%q: %q, %v, %v; want %v", sent, got, kinds, err, fault)
			}
			return
		}
		if again, err := arguments.Canonical(got); again != got || err != nil {
			t.Fatalf("%q became %q, whose canonical form is %q, %v", sent, got, again, err)
		}
		if len(kinds) == 0 || !slices.IsSorted(kinds) {
			t.Fatalf("%q became %q by %v", sent, got, kinds)
		}
		onlyTexts := !slices.ContainsFunc(kinds, func(kind string) bool {
			return kind != arguments.RepairRawControl && kind != arguments.RepairUnknownEscape
		})
		if onlyTexts && bare(got) != bare(sent) {
			t.Fatalf("%q became %q", sent, got)
		}
	})
}

// bare returns JSON without white space and backslashes, and with n, r and t for unescaped control characters.
func bare(s string) string {
	for _, c := range []string{" ", "\\", "\n", "\r", "\t", "n", "r", "t"} {
		s = strings.ReplaceAll(s, c, "")
	}
	return s
}

// spoil corrupts canonical arguments in each way that can be undone.
func spoil(t *testing.T, canonical string) {
	if len(canonical) > 10_000 {
		return
	}
	quoted, err := json.Marshal(canonical)
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string]string{
		canonical + "<|im_end|>":             "special_token",
		canonical + "\n</tool_call>\n</s>":   "special_token",
		canonical + " " + canonical:          "repeated_object",
		canonical + arguments.Key(canonical): "repeated_object",
		string(quoted):                       "nested_json",
	}
	if raw := strings.ReplaceAll(canonical, `\n`, "\n"); raw != canonical && !strings.Contains(canonical, `\\`) {
		ways[raw] = "raw_control"
	}
	if single := strings.ReplaceAll(canonical, `\\d`, `\d`); single != canonical && strings.Count(canonical, `\`) == 2*strings.Count(canonical, `\\d`) {
		ways[single] = "unknown_escape"
	}
	if canonical != "{}" {
		ways["{}"+canonical], ways[canonical+"{}"] = "empty_object", "empty_object"
	}
	for sent, kind := range ways {
		got, kinds, err := arguments.Repair(sent)
		if err != nil || got != canonical || !slices.Equal(kinds, []string{kind}) {
			t.Fatalf("%q became %q, %v, %v; want %q, %s", sent, got, kinds, err, canonical, kind)
		}
	}
}
