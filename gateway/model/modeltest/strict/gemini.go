package strict

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model"
)

// The servers of Gemini's own API: one that requires signatures, and one that does not.
var (
	Gemini3  = gemini(Kind{Name: "gemini 3.5", Model: "gemini-3.5-pro", Efforts: []string{"low", "medium", "high"}}, true)
	Gemini25 = gemini(Kind{Name: "gemini 2.5", Model: "gemini-2.5-flash"}, false)
)

// missingSignature is the sentence of docs.apiyi.com faq (15 October 2026) and gptel#1146.
const missingSignature = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s` , position %d. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details."

// googleError is the format of Google's APIs.
func googleError(status int, message, _, _ string) string {
	word := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}[status]
	return canon(node{"error": node{"code": status, "message": message, "status": word}})
}

const gsdk, gsdkDate = "comments of genai v1.77.0", "2026-10-29"

// unknownGoogle refuses a member that Google's proto does not have.
func unknownGoogle(a *asked, k, at string) *refusal {
	if at != "" {
		at = " at '" + at + "'"
	}
	return a.refuse(http.StatusBadRequest, "", "", `Invalid JSON payload received. Unknown name "%s"%s: Cannot find field.`, k, at)
}

func gemini(k Kind, signs bool) *Kind {
	k.Provider, k.BaseURL, k.Images, k.PDF, k.State = "gemini", "https://generativelanguage.googleapis.com/v1beta", true, true, true
	k.fail, k.flaws = googleError, flawsGemini
	k.plays = func(a *asked, answer Answer) stream { return playGemini(a, answer, signs) }
	bad := http.StatusBadRequest
	k.rules = []Rule{
		{"address", "ai.google.dev reference", "2026-11", func(a *asked) *refusal {
			if a.r.Method != http.MethodPost || a.r.URL.Path != "/v1beta/models/"+a.s.Model+":streamGenerateContent" || a.r.URL.Query().Get("alt") != "sse" {
				name, _, _ := strings.Cut(path.Base(a.r.URL.Path), ":")
				return a.refuse(http.StatusNotFound, "", "", "models/%s is not found for API version v1beta, or is not supported for generateContent.", name)
			}
			return nil
		}},
		keyIn("X-Goog-Api-Key", ""),
		{"fields", gsdk, gsdkDate, func(a *asked) *refusal {
			if k := unknown(a.body, "contents systemInstruction system_instruction tools toolConfig tool_config generationConfig generation_config safetySettings safety_settings cachedContent cached_content serviceTier service_tier"); k != "" {
				return unknownGoogle(a, k, "")
			}
			if k := unknown(config(a), "candidateCount maxOutputTokens temperature topP topK seed stopSequences presencePenalty frequencyPenalty responseMimeType responseSchema responseJsonSchema responseModalities thinkingConfig mediaResolution speechConfig imageConfig responseLogprobs logprobs"); k != "" {
				return unknownGoogle(a, k, "generation_config")
			}
			for i, t := range objs(a.body["tools"]) {
				for j, f := range objs(either(t, "functionDeclarations", "function_declarations")) {
					if k := unknown(f, "name description parameters parametersJsonSchema response responseJsonSchema behavior"); k != "" {
						return unknownGoogle(a, k, fmt.Sprintf("tools[%d].function_declarations[%d]", i, j))
					}
					if f["parameters"] != nil && f["parametersJsonSchema"] != nil {
						return a.refuse(bad, "", "", "* GenerateContentRequest.tools[%d].function_declarations[%d]: only one of parameters and parameters_json_schema may be set.\n", i, j)
					}
				}
			}
			return nil
		}},
		{"thinking", "catwalk v0.52.86; " + gsdk, gsdkDate, func(a *asked) *refusal {
			t := obj(config(a)["thinkingConfig"])
			switch level := strings.ToLower(str(t["thinkingLevel"])); {
			case unknown(t, "includeThoughts thinkingBudget thinkingLevel") != "":
				return unknownGoogle(a, unknown(t, "includeThoughts thinkingBudget thinkingLevel"), "generation_config.thinking_config")
			case level != "" && !signs:
				return a.refuse(bad, "", "", "Thinking level is not supported for this model.")
			case level != "" && t["thinkingBudget"] != nil:
				return a.refuse(bad, "", "", "You can only set only one of thinking budget and thinking level.")
			case level != "" && !slices.Contains(a.s.Efforts, level):
				return a.refuse(bad, "", "", "Thinking level %s is not supported for this model. Please retry with other thinking level.", strings.ToUpper(level))
			}
			return nil
		}},
		{"tool names", gsdk, gsdkDate, func(a *asked) *refusal {
			seen := map[string]bool{}
			for i, t := range a.tools {
				if !nameGoogle.MatchString(t.name) {
					return a.refuse(bad, "", "", "* GenerateContentRequest.tools[0].function_declarations[%d].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n", i)
				}
				if seen[t.name] {
					return a.refuse(bad, "", "", "Duplicate function declaration found: %s", t.name)
				}
				seen[t.name] = true
			}
			return nil
		}},
		schemaGoogle,
		{"parts", gsdk, gsdkDate, partForms},
		{"order", "gemini-cli#16543, vscode#299295", "2026-03-04", geminiOrder},
		{"signatures", "docs.apiyi.com faq; opencode-antigravity#368; socrates-pen 0.23.1", "2026-10-15", func(a *asked) *refusal {
			return geminiSignatures(a, signs)
		}},
	}
	return &k
}

func config(a *asked) node { return obj(either(a.body, "generationConfig", "generation_config")) }

// partForms checks contents and their parts.
func partForms(a *asked) *refusal {
	bad := func(format string, args ...any) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", format, args...)
	}
	if len(a.messages) == 0 {
		return bad("* GenerateContentRequest.contents: contents is not specified\n")
	}
	for i, c := range a.messages {
		if k := unknown(c, "role parts"); k != "" {
			return unknownGoogle(a, k, fmt.Sprintf("contents[%d]", i))
		}
		if c["role"] != "user" && c["role"] != "model" {
			return bad("Please use a valid role: user, model.")
		}
		if len(list(c["parts"])) == 0 {
			return bad("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.\n", i)
		}
		for j, p := range objs(c["parts"]) {
			at := fmt.Sprintf("contents[%d].parts[%d]", i, j)
			if k := unknown(p, "text thought thoughtSignature functionCall functionResponse inlineData fileData partMetadata mediaResolution videoMetadata"); k != "" {
				return unknownGoogle(a, k, at)
			}
			n := 0
			for _, k := range []string{"text", "functionCall", "functionResponse", "inlineData", "fileData"} {
				if p[k] != nil {
					n++
				}
			}
			response, object := obj(p["functionResponse"])["response"].(node)
			_, arguments := obj(p["functionCall"])["args"].(node)
			blob := obj(p["inlineData"])
			switch {
			case n != 1:
				return bad("* GenerateContentRequest.%s.data: required oneof field 'data' must have one initialized field\n", at)
			case p["functionResponse"] != nil && (!object || response == nil):
				return bad("Invalid value at '%s.function_response.response' (type.googleapis.com/google.protobuf.Struct), %s", at, canon(obj(p["functionResponse"])["response"]))
			case p["functionResponse"] != nil && str(obj(p["functionResponse"])["name"]) == "":
				return bad("* GenerateContentRequest.%s.function_response.name: Name cannot be empty.\n", at)
			case p["functionCall"] != nil && (!arguments && obj(p["functionCall"])["args"] != nil || str(obj(p["functionCall"])["name"]) == ""):
				return bad("Invalid value at '%s.function_call.args' (type.googleapis.com/google.protobuf.Struct)", at)
			case p["inlineData"] != nil && !dataURL("data:"+str(blob["mimeType"])+";base64,"+str(blob["data"]), ""):
				return bad("Invalid value at '%s.inline_data.data' (TYPE_BYTES), Base64 decoding failed", at)
			}
		}
	}
	return nil
}

// kindsOf counts the calls and the responses of a content.
func kindsOf(c node) (called, answered []node) {
	for _, p := range objs(c["parts"]) {
		if p["functionCall"] != nil {
			called = append(called, obj(p["functionCall"]))
		}
		if p["functionResponse"] != nil {
			answered = append(answered, obj(p["functionResponse"]))
		}
	}
	return called, answered
}

func geminiOrder(a *asked) *refusal {
	bad := func(message string) *refusal { return a.refuse(http.StatusBadRequest, "", "", "%s", message) }
	const parts = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
	if a.messages[0]["role"] != "user" {
		return bad("Please ensure that multiturn requests alternate between user and model. The first content must be of role user.")
	}
	var open []node
	for i, c := range a.messages {
		called, answered := kindsOf(c)
		if len(answered) != len(open) {
			return bad(parts)
		}
		for _, f := range answered { // by id where there is one, otherwise by name
			at := slices.IndexFunc(open, func(o node) bool { return o["id"] == f["id"] && o["name"] == f["name"] })
			if at < 0 {
				return bad(parts)
			}
			open = slices.Delete(open, at, at+1)
		}
		if len(called) > 0 && (i == 0 || a.messages[i-1]["role"] != "user" || c["role"] != "model") {
			return bad("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		}
		open = called
	}
	if len(open) > 0 {
		return bad(parts)
	}
	if a.messages[len(a.messages)-1]["role"] != "user" {
		return bad("Please ensure that the last content is of role user.")
	}
	return nil
}

// geminiSignatures: each is one of the server's own, or the documented sentinel where there is
// none; in the current turn, the first call of each content has one.
func geminiSignatures(a *asked, signs bool) *refusal {
	bad := func(format string, args ...any) *refusal {
		return a.refuse(http.StatusBadRequest, "", "", format, args...)
	}
	turn := 0
	for i, c := range a.messages {
		if _, answered := kindsOf(c); c["role"] == "user" && len(answered) == 0 {
			turn = i
		}
	}
	for i, c := range a.messages {
		first := true
		for j, p := range objs(c["parts"]) {
			s := str(p["thoughtSignature"])
			call := obj(p["functionCall"])
			switch {
			case s == skipValidator && call != nil:
			case s != "" && !dataURL("data:x;base64,"+s, "x"):
				return bad("Invalid value at 'contents[%d].parts[%d].thought_signature' (TYPE_BYTES), Base64 decoding failed for \"%s\"", i, j, s[:min(len(s), 8)])
			case s != "" && signedPart(a.s, s) == nil:
				return bad("Thought signature is not valid.")
			case s == "" && signs && first && call != nil && i > turn:
				return bad(missingSignature, str(call["name"]), i+1)
			}
			if call != nil {
				first = false
			}
		}
	}
	return nil
}

// signedPart returns the part that a signature was handed out with.
func signedPart(s *Server, signature string) node {
	for _, h := range s.handed {
		for _, p := range objs(obj(h.echo)["parts"]) {
			if p["thoughtSignature"] == signature {
				return p
			}
		}
	}
	return nil
}

func flawsGemini(a *asked) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	raw := compact(a)
	for i, c := range a.messages {
		if c["role"] != "model" {
			continue
		}
		parts := objs(c["parts"])
		own := ownParts(a.s, parts)
		if own == nil {
			called, _ := kindsOf(c)
			for j, f := range called {
				if f["id"] != nil && !nine.MatchString(str(f["id"])) {
					add("content %d of another maker: the id of call %d is %v", i, j, f["id"])
				}
			}
			continue
		}
		if !same(joined(parts), joined(own)) {
			add("content %d is %s, and was %s", i, canon(joined(parts)), canon(joined(own)))
		}
		called, _ := kindsOf(c)
		for _, f := range called {
			if in := rawInput(a.s, str(f["id"])); !strings.Contains(raw, squeeze(in)) {
				add("content %d: the arguments differ from those that were written: %s", i, in)
			}
		}
	}
	return found
}

// joined returns parts with adjacent plain texts merged: a stream cuts them anywhere. Thoughts that
// were shown may be left out.
func joined(parts []node) []any {
	var all []node
	for _, p := range parts {
		if p["thought"] == true {
			continue
		}
		n := len(all)
		if n > 0 && str(p["text"]) != "" && all[n-1]["text"] != nil && all[n-1]["thoughtSignature"] == nil {
			merged := node{"text": str(all[n-1]["text"]) + str(p["text"])}
			if s := p["thoughtSignature"]; s != nil {
				merged["thoughtSignature"] = s
			}
			all[n-1] = merged
			continue
		}
		all = append(all, p)
	}
	var out []any
	for _, p := range all {
		out = append(out, p)
	}
	return out
}

// ownParts finds the content of the server's that contained these parts.
func ownParts(s *Server, parts []node) []node {
	called, _ := kindsOf(node{"parts": anys(parts)})
	for _, h := range s.handed {
		made := objs(obj(h.echo)["parts"])
		theirs, _ := kindsOf(obj(h.echo))
		for _, f := range called {
			for _, w := range theirs {
				if f["id"] == w["id"] {
					return made
				}
			}
		}
		if len(called)+len(theirs) == 0 && plain(textOf(parts)) == plain(textOf(made)) {
			return made
		}
	}
	return nil
}

func anys(parts []node) []any {
	var out []any
	for _, p := range parts {
		out = append(out, p)
	}
	return out
}

func textOf(parts []node) string {
	var b strings.Builder
	for _, p := range parts {
		if p["thought"] != true {
			b.WriteString(str(p["text"]))
		}
	}
	return b.String()
}

// playGemini writes an answer in the chunks of Gemini.
func playGemini(a *asked, answer Answer, signs bool) stream {
	e := &events{}
	u := a.count(answer)
	id := random(22)
	h := &handed{}
	var parts []any
	shown := obj(config(a)["thinkingConfig"])["includeThoughts"] == true
	chunk := func(candidate node, usage model.Usage) {
		c := node{"modelVersion": a.s.Model, "responseId": id, "usageMetadata": node{
			"promptTokenCount": usage.InputTokens, "cachedContentTokenCount": usage.CachedInputTokens, "candidatesTokenCount": usage.OutputTokens - usage.ReasoningTokens,
			"thoughtsTokenCount": usage.ReasoningTokens, "totalTokenCount": usage.InputTokens + usage.OutputTokens,
		}}
		if candidate != nil {
			c["candidates"] = []any{candidate}
		}
		e.pieces = append(e.pieces, "data: "+canon(c)+"\r\n\r\n")
	}
	part := func(p node) {
		partial := u
		partial.OutputTokens, partial.ReasoningTokens = int64(len(e.pieces)), 0
		chunk(node{"content": node{"role": "model", "parts": []any{p}}, "index": 0}, partial)
	}
	called := slices.ContainsFunc(answer.Parts, func(p Part) bool { return p.Call != nil })
	for _, p := range answer.Parts {
		switch {
		case p.Reasoning != "" && shown:
			for _, piece := range split(p.Reasoning) {
				part(node{"text": piece, "thought": true})
			}
		case p.Text != "":
			for _, piece := range split(p.Text) {
				part(node{"text": piece})
				parts = append(parts, node{"text": piece})
			}
		case p.Call != nil:
			call := node{"functionCall": node{"id": random(8), "name": p.Call.Name, "args": parse(p.Call.Arguments)}}
			h.ids, h.inputs = append(h.ids, str(obj(call["functionCall"])["id"])), append(h.inputs, canon(parse(p.Call.Arguments))) // as it appears in the stream
			if signs && len(h.ids) == 1 {                                                                                           // of parallel calls, the first alone
				call["thoughtSignature"] = opaque(48)
				call["partMetadata"] = node{"origin": random(6)} // a member that clients may not know
			}
			part(call)
			parts = append(parts, call)
		}
	}
	e.whole = len(e.pieces)
	finish := answer.Finish
	if finish == "" {
		finish = "STOP"
	}
	last := node{"text": ""}
	if !called { // the signature of a text is on an empty part at its end
		last["thoughtSignature"] = opaque(48)
		parts = append(parts, last)
	}
	if strings.HasPrefix(finish, "block:") {
		e.pieces = e.pieces[:0]
		e.whole = 0
		e.pieces = append(e.pieces, "data: "+canon(node{"promptFeedback": node{"blockReason": finish[6:]}, "usageMetadata": node{"promptTokenCount": u.InputTokens, "totalTokenCount": u.InputTokens}, "modelVersion": a.s.Model})+"\r\n\r\n")
		u.OutputTokens, u.ReasoningTokens, u.CachedInputTokens = 0, 0, 0
	} else {
		chunk(node{"content": node{"role": "model", "parts": []any{last}}, "finishReason": finish, "index": 0}, u)
	}
	h.echo = node{"role": "model", "parts": parts}
	e.made, e.out = h, u
	return e.stream
}
