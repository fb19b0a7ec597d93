package modeltest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The rules are those of types.go of google.golang.org/genai v1.77.0 (29 October 2026), and of
// Google's own errors as issues of 2025 and 2026 quote them: see the messages of the checks.

// GeminiBody is a decoded request of the Gemini API. It has the keys that a gateway sends; the API
// refuses those that it does not know.
type GeminiBody struct {
	Contents []GeminiContent `json:"contents"`
	System   *GeminiContent  `json:"systemInstruction"`
	Tools    []struct {
		Declarations []GeminiTool `json:"functionDeclarations"`
	} `json:"tools"`
	Config *GeminiConfig `json:"generationConfig"`
}

// GeminiConfig is what a request asks for beside its contents.
type GeminiConfig struct {
	Temperature *float64 `json:"temperature"`
	MaxTokens   *int     `json:"maxOutputTokens"`
	Thinking    *struct {
		Level  string `json:"thinkingLevel"`
		Budget *int   `json:"thinkingBudget"`
		Show   bool   `json:"includeThoughts"`
	} `json:"thinkingConfig"`
}

// GeminiContent is one content of a request.
type GeminiContent struct {
	Role  string       `json:"role"`
	Parts []GeminiPart `json:"parts"`
}

// GeminiPart is a part of a content; one of its pointers is set.
type GeminiPart struct {
	Text      *string         `json:"text"`
	Thought   bool            `json:"thought"`
	Signature string          `json:"thoughtSignature"`
	Data      *GeminiData     `json:"inlineData"`
	Call      *GeminiCall     `json:"functionCall"`
	Response  *GeminiResponse `json:"functionResponse"`
}

// GeminiData is a file in a part.
type GeminiData struct {
	Media string `json:"mimeType"`
	Data  []byte `json:"data"`
}

// GeminiCall is a call of a function.
type GeminiCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// GeminiResponse is the result of a call.
type GeminiResponse struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

// GeminiTool is one function of a request.
type GeminiTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

var (
	functionName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$`)
	parameterName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	schemaKeys    = strings.Fields("anyOf default description enum example format items maxItems minItems maxLength minLength maxProperties minProperties" +
		" maximum minimum nullable pattern properties propertyOrdering required title type")
	geminiMedia = strings.Fields("image/png image/jpeg image/webp image/heic image/heif application/pdf")
)

// CheckGemini is Check for the Gemini API, address and headers included.
func CheckGemini(address *url.URL, header http.Header, raw []byte) (GeminiBody, []string) {
	var b GeminiBody
	if !utf8.Valid(raw) {
		return b, []string{"the body is not UTF-8"}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return b, []string{"the body is not a request of the Gemini API: " + err.Error()}
	}
	c := geminiChecker{checker: checker{ids: map[string]bool{}}}
	if q := address.Query(); q.Get("alt") != "sse" || q.Has("key") {
		c.add("the address has not alt=sse alone: a key in it is logged on the way")
	}
	if header.Get("Authorization") != "" {
		c.add("an Authorization beside the API's own header of the key")
	}
	if len(b.Contents) == 0 {
		c.add("no contents")
	}
	name := address.Path[strings.LastIndexByte(address.Path, '/')+1:]
	c.signs = !strings.HasPrefix(name, "gemini-1") && !strings.HasPrefix(name, "gemini-2")
	turn := 0 // where the current turn begins
	for i, content := range b.Contents {
		if content.Role == "user" && slices.ContainsFunc(content.Parts, func(p GeminiPart) bool { return p.Text != nil }) {
			turn = i
		}
	}
	for i := range b.Contents {
		c.content(i, b.Contents, turn)
	}
	if n := len(b.Contents); n > 0 && b.Contents[n-1].Role != "user" {
		c.add("the last content is the model's: nothing to answer")
	}
	if b.System != nil && (b.System.Role != "" || len(b.System.Parts) != 1 || b.System.Parts[0].Text == nil || strings.TrimSpace(*b.System.Parts[0].Text) == "") {
		c.add("systemInstruction is not one text")
	}
	names := map[string]bool{}
	for _, t := range b.Tools {
		for _, f := range t.Declarations {
			if !functionName.MatchString(f.Name) || names[f.Name] {
				c.add("function %q: a name that is unsound or used twice", f.Name)
			}
			names[f.Name] = true
			c.function(f)
		}
	}
	return b, c.found
}

type geminiChecker struct {
	checker
	signs bool
}

func (c *geminiChecker) content(i int, all []GeminiContent, turn int) {
	content := all[i]
	switch {
	case content.Role != "user" && content.Role != "model":
		c.add("content %d: unknown role %q", i, content.Role)
	case i == 0 && content.Role != "user":
		c.add("the first content is not the user's")
	case i > 0 && content.Role == "model" && all[i-1].Role == "model":
		c.add("content %d: a turn of the model behind one of the model", i)
	}
	if len(content.Parts) == 0 {
		c.add("content %d: no parts", i)
	}
	var calls, answered []GeminiPart
	for _, p := range content.Parts {
		c.part(i, content.Role, p)
		if p.Call != nil {
			calls = append(calls, p)
		}
	}
	if len(calls) > 0 && c.signs && i > turn && calls[0].Signature == "" {
		c.add("content %d: Function call is missing a thought_signature in functionCall parts: %s", i, calls[0].Call.Name)
	}
	if i+1 < len(all) && len(calls) > 0 {
		for _, p := range all[i+1].Parts {
			if p.Response != nil {
				answered = append(answered, p)
			}
		}
		if len(answered) != len(all[i+1].Parts) {
			c.add("content %d: not only functionResponse parts behind calls", i+1)
		}
	}
	if len(calls) != len(answered) {
		c.add("content %d: Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.", i)
		return
	}
	for n, p := range calls {
		if r := answered[n].Response; r.Name != p.Call.Name || r.ID != p.Call.ID {
			c.add("content %d: the response %d is of %q %q, and the call of %q %q", i+1, n, r.Name, r.ID, p.Call.Name, p.Call.ID)
		}
	}
	if content.Role == "user" && (i == 0 || !slices.ContainsFunc(all[i-1].Parts, func(p GeminiPart) bool { return p.Call != nil })) &&
		slices.ContainsFunc(content.Parts, func(p GeminiPart) bool { return p.Response != nil }) {
		c.add("content %d: a function response turn that does not come directly behind a function call turn", i)
	}
}

func (c *geminiChecker) part(i int, role string, p GeminiPart) {
	set := 0
	for _, is := range []bool{p.Text != nil, p.Data != nil, p.Call != nil, p.Response != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		c.add("content %d: a part with %d kinds of data: required oneof field 'data' must have one initialized field", i, set)
		return
	}
	switch {
	case p.Text != nil && *p.Text == "" && p.Signature == "":
		c.add("content %d: an empty text", i)
	case (p.Call != nil || p.Thought || p.Signature != "") && role != "model":
		c.add("content %d: a call, thought or signature of the user's", i)
	case p.Response != nil && role != "user":
		c.add("content %d: a response of the model's", i)
	case p.Data != nil && (!slices.Contains(geminiMedia, p.Data.Media) || len(p.Data.Data) == 0):
		c.add("content %d: Unsupported MIME type: %s", i, p.Data.Media)
	case p.Response != nil && (p.Response.Name == "" || p.Response.Response == nil):
		c.add("content %d: a response without name or response", i)
	case p.Call != nil:
		args := map[string]any{}
		if p.Call.Args != nil && json.Unmarshal(p.Call.Args, &args) != nil || args == nil || !functionName.MatchString(p.Call.Name) {
			c.add("content %d: the call %q has no sound name, or args that are not an object", i, p.Call.Name)
		}
		if p.Call.ID != "" && c.ids[p.Call.ID] {
			c.add("content %d: the id %q is used twice", i, p.Call.ID)
		}
		c.ids[p.Call.ID] = true
	}
}

func (c *geminiChecker) function(f GeminiTool) {
	if f.Parameters == nil {
		return
	}
	var schema map[string]any
	if json.Unmarshal(f.Parameters, &schema) != nil || schema["type"] != "object" {
		c.add("function %q: parameters are not a schema of type object", f.Name)
		return
	}
	if properties, _ := schema["properties"].(map[string]any); len(properties) == 0 {
		c.add("function %q: parameters.properties: should be non-empty for OBJECT type", f.Name)
	}
	c.node(f.Name, "parameters", schema)
}

func (c *geminiChecker) node(function, at string, v any) {
	s, is := v.(map[string]any)
	if !is {
		c.add("function %q: %s is not a schema", function, at)
		return
	}
	kind, typed := s["type"].(string)
	branches, union := s["anyOf"].([]any)
	if typed == union || typed && !slices.Contains(strings.Fields("string number integer boolean object array"), kind) {
		c.add("function %q: %s has not one type or anyOf: Proto field is not repeating, cannot start list", function, at)
	}
	properties, _ := s["properties"].(map[string]any)
	for key, value := range s {
		switch {
		case !slices.Contains(schemaKeys, key):
			c.add("function %q: Invalid JSON payload received. Unknown name %q at %s: Cannot find field.", function, key, at)
		case key == "enum":
			list, _ := value.([]any)
			if kind != "string" || len(list) == 0 || slices.ContainsFunc(list, func(v any) bool { s, is := v.(string); return !is || s == "" }) {
				c.add("function %q: %s.enum: only allowed for STRING type, and not empty", function, at)
			}
		case key == "format" && kind == "string" && value != "date-time" && value != "enum":
			c.add("function %q: %s.format: only 'enum' and 'date-time' are supported for STRING type", function, at)
		case key == "required":
			list, _ := value.([]any)
			for _, name := range list {
				if name, _ := name.(string); properties[name] == nil {
					c.add("function %q: %s.required: property is not defined: %s", function, at, name)
				}
			}
		case key == "description" || key == "title":
			if _, is := value.(string); !is {
				c.add("function %q: %s.%s is not a plain string", function, at, key)
			}
		}
	}
	if kind == "array" && s["items"] == nil {
		c.add("function %q: %s.items: missing field.", function, at)
	}
	for name, p := range properties {
		if !parameterName.MatchString(name) {
			c.add("function %q: a parameter called %q", function, name)
		}
		c.node(function, at+"."+name, p)
	}
	for _, b := range branches {
		c.node(function, at+".anyOf", b)
	}
	if items := s["items"]; items != nil {
		c.node(function, at+".items", items)
	}
}
