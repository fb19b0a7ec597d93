package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// gemini writes a response as the Gemini API does: each step is a chunk, except for a call, which
// that API sends as a whole, so that its fragments wait for the step after them. The stream has no
// end marker.
type gemini struct {
	usage Usage // of the whole response: sent with the finish reason
	call  *Fragment
}

func newGemini(response Response) *gemini {
	g := &gemini{}
	for _, s := range response {
		if s.Usage != nil {
			g.usage = *s.Usage
		}
	}
	return g
}

// finishReasons maps finish reasons of Chat Completions to the API's words; others are not changed.
var finishReasons = map[string]string{"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}

// piece returns the bytes that a step sends.
func (g *gemini) piece(s Step) string {
	if f := s.Call; f != nil {
		if g.call != nil && f.ID == "" && f.Name == "" {
			g.call.Arguments += f.Arguments
			return ""
		}
		before := g.end()
		g.call = &Fragment{ID: f.ID, Name: f.Name, Arguments: f.Arguments}
		return before
	}
	before := g.end()
	switch {
	case s.Raw != "":
		return before + s.Raw
	case s.Usage != nil || s.Done:
		return before
	case s.Finish != "":
		reason := s.Finish
		if own, ok := finishReasons[reason]; ok {
			reason = own
		}
		return before + "data: " + fmt.Sprintf(`{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":%s,"index":0}],`+
			`"usageMetadata":{"promptTokenCount":%d,"candidatesTokenCount":%d,"totalTokenCount":%d},"modelVersion":"scripted","responseId":"r1"}`,
			quote(reason), g.usage.Input, g.usage.Output, g.usage.Input+g.usage.Output) + "\r\n\r\n"
	case s.Reasoning != "":
		return before + g.chunk(`{"text":`+quote(s.Reasoning)+`,"thought":true}`)
	default:
		return before + g.chunk(`{"text":`+quote(s.Text)+`}`)
	}
}

// end sends the open call. This API cannot send arguments that are not JSON.
func (g *gemini) end() string {
	f := g.call
	if f == nil {
		return ""
	}
	g.call = nil
	args := f.Arguments
	if strings.TrimSpace(args) == "" || !json.Valid([]byte(args)) {
		args = "{}"
	}
	id := ""
	if f.ID != "" {
		id = `"id":` + quote(f.ID) + `,`
	}
	return g.chunk(`{"functionCall":{` + id + `"name":` + quote(f.Name) + `,"args":` + args + `}}`)
}

// chunk returns a chunk in the form in which Google sends it.
func (g *gemini) chunk(part string) string {
	return `data: {"candidates": [{"content": {"parts": [` + part + `],"role": "model"},"index": 0}],"usageMetadata": {"promptTokenCount": ` +
		fmt.Sprint(g.usage.Input) + `},"modelVersion": "scripted","responseId": "r1"}` + "\r\n\r\n"
}
