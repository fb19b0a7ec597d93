package anthropic

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/model/adapt"
)

// kind describes the parameters of a model, as far as its name shows them.
type kind struct {
	claude bool // false: another vendor's model, or one with a name that the operator chose
	budget bool // thinks within a budget of tokens; other models decide for themselves
	effort bool // accepts output_config.effort
}

// names matches Claude's names: family and version in either order, as the API, Bedrock, Vertex and
// OpenRouter write them. A date does not match as a version, because it has more than two digits.
var names = regexp.MustCompile(`claude-(?:(opus|sonnet|haiku)-)?(\d)(?:-(\d{1,2}))?(?:$|\D)`)

// kindOf reads the name of a model. Opus 4.5, Sonnet 4.5, Haiku 4.5 and older need a budget, and of
// these only Opus 4.5 accepts an effort (platform.claude.com/docs effort and adaptive-thinking;
// Oaklight/llm-rosetta#289, 18 June 2026). A server's refusal takes precedence.
func kindOf(model string) kind {
	name := strings.ReplaceAll(strings.ToLower(model), ".", "-")
	k := kind{claude: strings.Contains(name, "claude"), effort: true}
	if m := names.FindStringSubmatch(name); m != nil {
		major, _ := strconv.Atoi(m[2])
		minor, _ := strconv.Atoi(m[3])
		k.budget = major < 4 || major == 4 && minor <= 5
		k.effort = !k.budget || m[1] == "opus" && major == 4 && minor == 5
	}
	return k
}

// The API's kinds of thinking. If none is sent, the model's default applies.
const (
	adaptive = "adaptive"
	enabled  = "enabled"
	disabled = "disabled"
)

type (
	wireThinking struct {
		Type         string `json:"type"`
		BudgetTokens int    `json:"budget_tokens,omitempty"`
		Display      string `json:"display,omitempty"`
	}
	wireOutput struct {
		Effort string `json:"effort"`
	}
)

// on reports whether the request asks the model to think.
func (t *wireThinking) on() bool { return t != nil && t.Type != disabled }

// minBudget is the API's smallest budget, in tokens.
const minBudget = 1024

// budgets has the share of the answer's tokens, in eighths, for each effort. At least half is left for
// the text.
var budgets = map[string]int{"low": 1, "medium": 2, "high": 3, "xhigh": 4, "max": 4}

// thinking returns the request's thinking parameter, for answers of at most limit tokens, or nil to send
// none.
func (c *Client) thinking(set *adapt.Set, limit int) *wireThinking {
	if c.o.Effort == "" || set.Without("thinking") {
		return nil
	}
	t := &wireThinking{Type: adaptive}
	switch {
	case c.o.Effort == "none" && c.kind.budget:
		return nil // none is the default
	case c.o.Effort == "none":
		t.Type = disabled
	case c.kind.budget:
		t.Type = enabled
	}
	if v, ok := set.Value("thinking"); ok {
		t.Type = typeIn(v)
	}
	switch {
	case t.Type == "":
		return nil
	case t.Type == enabled:
		if t.BudgetTokens = max(limit*budgets[c.o.Effort]/8, minBudget); t.BudgetTokens > limit/2 {
			return nil
		}
	case t.Type == adaptive && c.o.Show && !set.Without("thinking_display"):
		t.Display = "summarized" // by default, models since Opus 4.7 show nothing (anthropics/claude-code#49268, 16 April 2026)
	}
	return t
}

// typeIn returns the type in a thinking parameter, which may also be just a word.
func typeIn(v json.RawMessage) string {
	var word string
	if json.Unmarshal(v, &word) == nil {
		return word
	}
	var t wireThinking
	_ = json.Unmarshal(v, &t) // a missing type is ""
	return t.Type
}

// effort returns output_config, or nil to send none.
func (c *Client) effort(set *adapt.Set) *wireOutput {
	word := c.o.Effort
	if !c.kind.effort || set.Without("reasoning_effort") {
		return nil
	}
	if v, ok := set.Value("reasoning_effort"); ok {
		_ = json.Unmarshal(v, &word)
	}
	switch word {
	case "", "none":
		return nil
	case "minimal":
		word = "low" // the API's lowest
	}
	return &wireOutput{word}
}

// lacksThinking reports whether a model with a budget would refuse to think in this turn. It demands
// the thinking with which the turn began, and refuses steps of another model without any ("Expected
// `thinking` or `redacted_thinking`, but found `tool_use`", anomalyco/opencode#3077). It thinks once in
// a turn, so its own later steps have none. If all is set, every step needs thinking.
func lacksThinking(history []wireMessage, all bool) bool {
	from := len(history)
	for from > 0 && (history[from-1].assistant() || history[from-1].has("tool_result")) {
		from--
	}
	first := true
	for i := range history[from:] {
		m := &history[from+i]
		if !m.assistant() || !m.has("tool_use") {
			continue
		}
		if !thinks(m.Content[0].Type) && (first || all || m.foreign) {
			return true
		}
		first = false
	}
	return false
}

// thinks reports whether a block of this type contains thinking.
func thinks(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }
