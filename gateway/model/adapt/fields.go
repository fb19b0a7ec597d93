package adapt

import (
	"encoding/json"
	"strings"
)

// Names of fields that the code refers to.
const (
	api             = "api"
	tool            = "tool"
	maxTokens       = "max_tokens"
	effort          = "reasoning_effort"
	thinking        = "thinking"
	contentThinking = "content_thinking"
	reasoningState  = "reasoning_content"
)

// field is a field that may change, with the names that servers use for it: paths in a request, or
// names in a text.
type field struct {
	name  string
	names []string // in addition to name
	// word is set if the name is an ordinary word. In a text it only counts in quotes.
	word bool
	// state is set if only messages have the field.
	state bool
	// part is set if messages and tools also have the field.
	part bool
}

// fields lists all fields that may change. Messages, tools as a whole, the model and store never do.
var fields = []field{
	{name: "temperature"},
	{name: "top_p", names: []string{"topP"}},
	{name: effort, names: []string{
		"reasoningEffort", "reasoning.effort", "output_config.effort", "output_config", "thinking_level", "thinkingLevel", "thinkingConfig.thinkingLevel",
		"effort parameter", "Thinking level", "thinking level",
	}},
	{name: maxTokens, names: []string{"max_completion_tokens", "max_output_tokens", "maxOutputTokens", "maxTokens"}},
	{name: "stream_options", names: []string{"streamOptions", "include_usage", "stream_options.include_usage"}},
	{name: "parallel_tool_calls", names: []string{"parallelToolCalls"}},
	{name: "prompt_cache_key", names: []string{"promptCacheKey"}},
	{name: "include", word: true},
	{name: "strict", word: true, part: true},
	{name: "cache_control", names: []string{"cacheControl"}, part: true},
	{name: "thinking_display", names: []string{"thinking.display", "thinking.adaptive.display", "thinking.enabled.display"}},
	{name: thinking, names: []string{
		"thinking.type", "thinking.type.enabled", "thinking.type.adaptive", "thinking.type.disabled", "budget_tokens", "thinking.budget_tokens",
		"thinkingConfig", "thinking_config", "thinkingBudget", "thinking_budget", "includeThoughts", "include_thoughts", "adaptive thinking",
	}, word: true},
	{name: "reasoning_split"},
	{name: "reasoning_summary", names: []string{"reasoning.summary", "reasoning.generate_summary"}},
	{name: reasoningState, state: true},
	{name: "reasoning", word: true, state: true},
	{name: "reasoning_details", state: true},
	{name: "thinking_blocks", state: true},
	{name: "provider_specific_fields", state: true},
	{name: "extra_content", state: true},
	{name: contentThinking, state: true, word: true},
	{name: "phase", word: true, state: true},
}

// byPath has the fields by the plain forms of their names.
var byPath = func() map[string]*field {
	table := map[string]*field{}
	for i := range fields {
		f := &fields[i]
		table[plain(f.name)] = f
		for _, n := range f.names {
			table[plain(n)] = f
		}
	}
	return table
}()

// plain removes from a name what differs between servers: thinkingLevel, thinking_level.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", ".", "").Replace(name))
}

// path is a place in a request as a server names it: messages[1].reasoning, tools.0.custom.strict.
type path []string

// pathIn parses a path. Indexes are steps of their own.
func pathIn(s string) path {
	if len(s) > maxPath {
		return nil
	}
	p := path(strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '[' || r == ']' || r == '/' || r == '$' }))
	if len(p) > 1 && p[0] == "body" {
		p = p[1:]
	}
	return p
}

const maxPath = 512 // bytes

// in returns the part of the request that a path is in.
func (p path) in() string {
	if len(p) == 0 {
		return ""
	}
	switch p[0] {
	case "messages", "input", "contents":
		return "messages"
	case "tools":
		return "tools"
	}
	return ""
}

// names returns a path without its indexes.
func (p path) names() path {
	var names path
	for _, step := range p {
		if _, is := index(step); !is {
			names = append(names, step)
		}
	}
	return names
}

func index(step string) (int, bool) {
	if step == "" || len(step) > 6 {
		return 0, false
	}
	n := 0
	for _, c := range step {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// field returns the field that a path leads to or through, or nil.
func (p path) field() *field {
	names, in := p.names(), p.in()
	fits := func(f *field) bool {
		switch {
		case f == nil:
			return false
		case in == "messages":
			return f.state || f.part && f.name != "strict"
		case in == "tools":
			return f.part
		}
		return true
	}
	if in == "" {
		for n := len(names); n > 0; n-- { // thinking.type.enabled before thinking
			if f := byPath[plain(strings.Join(names[:n], "."))]; fits(f) {
				return f
			}
		}
	}
	for i := range names { // generation_config.thinking_config.thinking_level
		if f := byPath[plain(strings.Join(names[i:], "."))]; fits(f) {
			return f
		}
	}
	if in == "messages" {
		for _, name := range names[1:] {
			if f := byPath[plain(name)]; fits(f) {
				return f
			}
		}
	}
	return nil
}

// tool returns the index of the tool that a path leads into, or false. Gemini lists its functions
// within one tool.
func (p path) tool() (int, bool) {
	if len(p) < 2 || p[0] != "tools" {
		return 0, false
	}
	n, is := index(p[1])
	if len(p) > 3 && plain(p[2]) == "functiondeclarations" {
		n, is = index(p[3])
	}
	return n, is
}

// owned returns the member of the admin's body that a path leads into, or "".
func owned(body map[string]json.RawMessage, p path) string {
	names := p.names()
	for key, value := range body {
		for n := len(names); n > 0; n-- {
			if has(value, plain(key), plain(strings.Join(names[:n], ".")), n == len(names), 0) {
				return key
			}
		}
	}
	return ""
}

// has reports whether a member of a body, or one within it, has the name want. If want is only the
// beginning of a path, an object does not count, because the rest of the path is not in it.
func has(value json.RawMessage, at, want string, whole bool, depth int) bool {
	var object map[string]json.RawMessage
	isObject := json.Unmarshal(value, &object) == nil && object != nil
	if (at == want || at == "generationconfig"+want) && (whole || !isObject) {
		return true
	}
	if depth > 4 {
		return false
	}
	for key, v := range object {
		if has(v, at+plain(key), want, whole, depth+1) {
			return true
		}
	}
	return false
}
