package adapt

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/model/upstream"
	"github.com/askgate/askgate/tools"
)

// maxText is how many bytes of a server's text are read.
const maxText = 4 << 10

// reading is a refusal and the request that it is about.
type reading struct {
	failure *upstream.Failure
	sent    Sent
	raw     string // the server's text
	quoted  []bool // which bytes of raw were said in the request
	clean   string // raw without those bytes
	codes   string
	paths   []path // of refused fields, as the server names them
	tried   func(fix) bool
}

// read reads a failure. It returns nil if no change of the request can help.
func read(f *upstream.Failure, sent Sent) *reading {
	if f == nil || f.Err == nil || f.Err.Kind == model.KindTooLong {
		return nil
	}
	r := &reading{failure: f, sent: sent}
	w := upstream.ErrorIn(f.Refusal())
	switch f.Err.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity:
	case http.StatusInternalServerError: // llama.cpp, whose body repeats the status
		if w == nil || w.Status() != http.StatusInternalServerError {
			return nil
		}
	default:
		return nil
	}
	if w == nil {
		w = &upstream.ServerError{Message: string(f.Refusal())}
	}
	for at := w; at != nil; at = at.Inner {
		code, _ := at.Code.(string)
		r.codes += code + " " + at.Type + " "
		if at.Param != "" {
			r.paths = append(r.paths, pathIn(at.Param))
		}
		for _, field := range at.Fields {
			r.paths = append(r.paths, pathIn(field))
		}
	}
	r.raw = strings.ToValidUTF8(tools.Clip(w.Text(), maxText), "\ufffd")
	r.quoted = upstream.Quoted(r.raw, sent.Said)
	r.clean = upstream.Without(r.raw, r.quoted)
	return r
}

// owns reports whether a stretch of the text is the server's own, and not a quotation.
func (r *reading) owns(from, to int) bool {
	for from < to && strings.IndexByte(edges, r.raw[from]) >= 0 {
		from++
	}
	for to > from && strings.IndexByte(edges, r.raw[to-1]) >= 0 {
		to--
	}
	return !slices.Contains(r.quoted[from:to], true)
}

const edges = " '\"`[]:"

// says reports whether a pattern matches the server's own words. Names in quotes may also appear in
// the conversation; the words around them must not.
func (r *reading) says(pattern func() *regexp.Regexp) bool {
	for _, m := range pattern().FindAllStringIndex(r.raw, 8) {
		own, inside, from := true, false, m[0]
		for i := m[0]; i <= m[1]; i++ {
			if i == m[1] || strings.IndexByte("'\"`", r.raw[i]) >= 0 {
				own = own && (inside || r.owns(from, i))
				inside, from = !inside, i
			}
		}
		if own {
			return true
		}
	}
	return false
}

var (
	// missing matches demands for state: DeepSeek, Kimi, Gemini, Anthropic (see modeltest/strict).
	missing = tools.Late(`must be passed back|is missing in assistant|missing a thought_signature|Expected .thinking. or .redacted_thinking.`)
	// foreign matches refusals of state that the server did not make, or not in this form: OpenAI (A2),
	// Anthropic (A4), Gemini (A6).
	foreign = tools.Late("(?i)invalid_encrypted_content|encrypted content .{0,80}could not be|invalid .?signature.? in|bound to a different conversation" +
		"|(?:invalid|corrupted) thought[_ ]signature|thought[_ ]signature is not valid|item (?:with id )?['\"]?[a-z]{2,4}_.{0,90}not found|without its required .?(?:reasoning|following)" +
		"|blocks in the latest assistant message cannot be modified|thinking\\.signature: field required")
	// refuses matches the words next to the name of a refused field (see modeltest/strict).
	refuses = tools.Late(`(?i)unsupported|not support|not permitted|only\b.{0,60}(?:allowed|supported)|not allowed|deprecated|unknown|unrecognized|unexpected|cannot find field` +
		`|invalid|not (?:a )?valid|extra inputs|not accept|incompatible|cannot both|too (?:large|high|big)|out of range|range of|supported range|should match|maximum|at most|must be (?:one of|less|greater|at|between|in)` +
		`|should be|[0-9] ?> ?[0-9]|may only be|below minimum|use ['"` + "`" + `]?max_(?:completion_)?tokens`)
	// refusing matches codes that mean a refused field.
	refusing = tools.Late(`unsupported_parameter|unsupported_value|invalid_request_body|extra_forbidden|unknown_parameter`)
	// otherName matches demands for the other name of max_tokens.
	otherName = tools.Late(`(?i)unsupported param|use ['"` + "`" + `]?max_`)
	// schema matches the words in refusals of one tool.
	schema = tools.Late(`(?i)schema|parameters|declaration|definition|properties`)
	// ofModel matches errors about what the model did, not about the request.
	ofModel = tools.Late(`tool_use_failed|failed_generation|not in request\.tools`)

	unknownName = tools.Late(`Unknown name "(\w+)"`)

	inQuotes = tools.Late("['\"`]([A-Za-z_][A-Za-z0-9_.\\[\\]-]{1,200})['\"`]")
	leading  = tools.Late(`^\s*([a-z_]+(?:[.\[][A-Za-z0-9_.\[\]]+)?): `)
	toolAt   = tools.Late(`\btools(?:\.\d+|\[\d+\])[A-Za-z0-9_.\[\]]*`)
	sentence = tools.Late(`\.\s|\n|;\s`)
)

// slots are sentences in which servers name what they refuse, each with a group for the name. The
// name may also appear in the conversation; the sentence around it must not. OpenAI (9router#560,
// #846), LiteLLM (docs.litellm.ai drop_params), Kimi (kodus-ai#1120), Anthropic, xAI
// (LinguaGacha#771), Gemini (ComfyUI-NewBie#3), old OpenAI.
var slots = []func() *regexp.Regexp{
	tools.Late(`(?:Unsupported|Unknown) (?:parameter|value): '([\w.\[\]]+)'`),
	tools.Late(`does not support parameters: \['(\w+)'`),
	tools.Late(`invalid (\w+): only [\d.]+ is allowed for this model`),
	tools.Late("`(\\w+)` is (?:deprecated|not supported) for this model"),
	tools.Late(`does not support parameter (\w+)`),
	tools.Late(`Argument not supported on this model: (\w+)`),
	tools.Late(`Invalid JSON payload received\. Unknown name "(\w+)"`),
	tools.Late(`Unrecognized request argument supplied: (\w+)`),
}

// fix returns the change that the refusal asks for, or false if there is none that may be made. tried
// reports whether a fix has been tried before.
func (r *reading) fix(tried func(fix) bool) (fix, bool) {
	r.tried = tried
	switch {
	case r.says(missing):
		return r.demanded()
	case r.says(foreign) || strings.Contains(r.codes, "invalid_encrypted_content"):
		return fix{kind: forget}, true
	case strings.Contains(r.clean, "/v1/responses"):
		return r.otherAPI()
	}
	within := "" // the part of the request that the server names
	for _, p := range r.paths {
		m, is, done := r.at(p)
		if done || is && !r.tried(m) {
			return m, is
		}
		if within = p.in(); within == "" && len(p) > 0 && p[0] != "body" {
			within = elsewhere
		}
	}
	return r.inText(within)
}

// demanded returns the fix that adds the state which the server demands.
func (r *reading) demanded() (fix, bool) {
	for _, s := range []struct{ word, field string }{
		{"thought_signature", "extra_content"}, {"redacted_thinking", thinking}, {"[].thinking", thinking}, {reasoningState, reasoningState}, {"reasoning", "reasoning"},
	} {
		if strings.Contains(r.raw, s.word) {
			return fix{kind: fillIn, field: s.field}, true
		}
	}
	return fix{}, false
}

// otherAPI returns the fix for tools together with reasoning, which OpenAI's newer models only accept
// at its other API, or else without reasoning (openai-openapi#541, litellm#34569, genkit#6303, 2026).
func (r *reading) otherAPI() (fix, bool) {
	if slices.Contains(r.sent.Fields, api) {
		return fix{kind: leaveOut, field: api}, true
	}
	r.say(`if the server has the Responses API, set "api" of the model to "responses"`)
	switch {
	case r.refusesOwned(path{effort}):
		return fix{}, false
	case offersNone().MatchString(r.clean):
		return fix{kind: replace, field: effort, value: []byte(`"none"`)}, true
	case slices.Contains(r.sent.Fields, effort):
		return fix{kind: leaveOut, field: effort}, true
	}
	return fix{}, false
}

// at returns the fix for a path that the server refuses. done means that nothing else may be tried.
func (r *reading) at(p path) (m fix, is, done bool) {
	if p.in() == "" && r.refusesOwned(p) {
		return fix{}, false, true
	}
	if f := p.field(); f != nil && slices.Contains(r.sent.Fields, f.name) {
		return r.change(f.name), true, false
	}
	if name, ok := r.alternative(p); ok {
		return r.change(name), true, false
	}
	if n, is := p.tool(); is && n < len(r.sent.Tools) {
		return r.without(r.sent.Tools[n])
	}
	return fix{}, false, false
}

// alternative returns the field that a path means if the request has none with that name: the effort
// for the object reasoning of Responses, or a part of a message.
func (r *reading) alternative(p path) (string, bool) {
	name := ""
	switch {
	case p.in() == "" && len(p) == 1 && p[0] == "reasoning":
		name = effort
	case p.in() == "tools":
		if m := unknownName().FindStringSubmatch(r.raw); m != nil {
			if f := byPath[plain(m[1])]; f != nil && f.part {
				name = f.name
			}
		}
	case p.in() == "messages" && slices.Contains(p, "content") && strings.Contains(r.clean, "thinking"):
		name = contentThinking
	}
	return name, name != "" && slices.Contains(r.sent.Fields, name)
}

// without returns the fix that leaves out a tool. It is only made if the form of the request was
// refused.
func (r *reading) without(name string) (m fix, is, done bool) {
	status := r.failure.Err.Status
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity || ofModel().MatchString(r.codes+r.clean) {
		return fix{}, false, false
	}
	if name == r.sent.Keep {
		r.say("the server refuses the tool " + name + ", which is required")
		return fix{}, false, true
	}
	return fix{kind: leaveTool, tool: name}, true, false
}

// refusesOwned reports whether a path leads into the admin's body, and adds that to the error.
func (r *reading) refusesOwned(p path) bool {
	key := owned(r.sent.Body, p)
	if key == "" {
		return false
	}
	r.failure.Err.Fault = model.FaultParameter
	r.say(`change "` + key + `" in "body" of the model`)
	return true
}

func (r *reading) say(words string) {
	if !strings.Contains(r.failure.Err.Detail, words) {
		r.failure.Err.Detail += "; " + words
	}
}

// change returns the fix for a refused field.
func (r *reading) change(name string) fix {
	value := []byte(nil)
	switch name {
	case effort:
		value = r.nearest()
	case maxTokens:
		if !otherName().MatchString(r.clean) && !refusing().MatchString(r.codes) {
			value = r.limit()
		}
	case thinking:
		value = r.kindOfThinking()
	}
	m := fix{kind: replace, field: name, value: value}
	if value == nil || name == thinking && r.tried(m) { // the server accepts neither kind
		return fix{kind: leaveOut, field: name}
	}
	return m
}

// elsewhere stands for a part of the request that has none of the fields.
const elsewhere = "elsewhere"

// inText finds the fix in the server's text. within is the part of the request that the server names
// elsewhere in its answer, or "" for any.
func (r *reading) inText(within string) (fix, bool) {
	if within == elsewhere {
		return fix{}, false
	}
	if within == "" {
		for _, slot := range slots {
			for _, at := range slot().FindAllStringSubmatchIndex(r.raw, 8) {
				if !r.owns(at[0], at[2]) || !r.owns(at[3], at[1]) {
					continue
				}
				if m, is, done := r.at(pathIn(r.raw[at[2]:at[3]])); done || is && !r.tried(m) {
					return m, is
				}
			}
		}
	}
	for _, text := range sentence().Split(r.clean, -1) {
		if !refuses().MatchString(text) && !refusing().MatchString(r.codes) {
			continue
		}
		for _, p := range r.named(text) {
			if within != "" && p.in() != within && !r.carried(p, within) {
				continue
			}
			if m, is, done := r.at(p); done || is && !r.tried(m) {
				return m, is
			}
		}
		if within != "messages" {
			if m, is, done := r.toolNamed(text); is || done {
				return m, is
			}
		}
	}
	return fix{}, false
}

// carried reports whether a part of the request has the field that a path names.
func (r *reading) carried(p path, within string) bool {
	f := p.field()
	return f != nil && p.in() == "" && (within == "messages" && f.state || f.part)
}

// named returns the paths and names in a sentence, in their order: the one at its beginning, those in
// quotes, places of tools, and names that are not ordinary words.
func (r *reading) named(text string) []path {
	type place struct {
		at int
		p  path
	}
	var places []place
	if m := leading().FindStringSubmatchIndex(text); m != nil {
		places = append(places, place{m[2], pathIn(text[m[2]:m[3]])})
	}
	for _, m := range inQuotes().FindAllStringSubmatchIndex(text, 32) {
		places = append(places, place{m[2], pathIn(text[m[2]:m[3]])})
	}
	for _, m := range toolAt().FindAllStringIndex(text, 8) {
		places = append(places, place{m[0], pathIn(text[m[0]:m[1]])})
	}
	for i := range fields {
		f := &fields[i]
		for _, name := range append([]string{f.name}, f.names...) {
			if f.word && !strings.ContainsAny(name, "._ ") {
				continue
			}
			if at := word(text, name); at >= 0 {
				places = append(places, place{at, path{name}})
			}
		}
	}
	for key := range r.sent.Body {
		if at := word(text, key); at >= 0 && strings.Contains(key, "_") {
			places = append(places, place{at, path{key}})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.at - b.at })
	var paths []path
	for _, p := range places {
		paths = append(paths, p.p)
	}
	return paths
}

// toolNamed returns the fix for a tool that a sentence about schemas names.
func (r *reading) toolNamed(text string) (m fix, is, done bool) {
	if !schema().MatchString(text) {
		return fix{}, false, false
	}
	for _, name := range r.sent.Tools {
		if word(text, name) >= 0 {
			return r.without(name)
		}
	}
	return fix{}, false, false
}

// word returns the offset of a name that is not part of a longer one, or -1.
func word(text, name string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 || name == "" {
			return -1
		}
		at += from
		if end := at + len(name); (at == 0 || !part(text[at-1])) && (end == len(text) || !part(text[end])) {
			return at
		}
		from = at + 1
	}
}

func part(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
