package anthropic

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/model/adapt"
)

// kind is what a model's name says of the parameters that it takes.
type kind struct {
	claude bool // else another vendor's model, or one under a name of the operator's
	budget bool // thinks within a budget of tokens; the others decide how long they think
	effort bool // takes output_config.effort
}

// names are those of Claude: family and version in either order, as the API, Bedrock, Vertex and
// OpenRouter write them. A date is not taken for a version: it has more than two digits.
var names = regexp.MustCompile(`claude-(?:(opus|sonnet|haiku)-)?(\d)(?:-(\d{1,2}))?(?:$|\D)`)

// kindOf reads the name of a model. Opus 4.5, Sonnet 4.5, Haiku 4.5 and older want a budget, and of
// these Opus 4.5 alone takes an effort (platform.claude.com/docs effort and adaptive-thinking;
// Oaklight/llm-rosetta#289, 18 June 2026). Where a server says otherwise, its word counts.
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

// The kinds of thinking that the API knows. Where none is sent, the model's default holds.
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

// on says whether the model is told to think.
func (t *wireThinking) on() bool { return t != nil && t.Type != disabled }

// minBudget is the API's least budget, in tokens.
const minBudget = 1024

// budgets are shares of the answer's tokens, in eighths, by effort. Half is left for the answer.
var budgets = map[string]int{"low": 1, "medium": 2, "high": 3, "xhigh": 4, "max": 4}

// thinking is how the model is told to think, for answers of at most limit tokens; nil: not at all.
func (c *Client) thinking(set *adapt.Set, limit int) *wireThinking {
	if c.o.Effort == "" || set.Without("thinking") {
		return nil
	}
	t := &wireThinking{Type: adaptive}
	switch {
	case c.o.Effort == "none" && c.kind.budget:
		return nil // as by default
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

// typeIn is a kind of thinking, written as the API does or as a word alone.
func typeIn(v json.RawMessage) string {
	var word string
	if json.Unmarshal(v, &word) == nil {
		return word
	}
	var t wireThinking
	_ = json.Unmarshal(v, &t) // what is not there is ""
	return t.Type
}

// effort is output_config; nil for none.
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
		word = "low" // the API's least
	}
	return &wireOutput{word}
}

// lacksThinking says whether a model with a budget would refuse to think in this turn: it demands
// the thinking that the turn began with, and takes no step of another model's without any
// ("Expected `thinking` or `redacted_thinking`, but found `tool_use`", anomalyco/opencode#3077).
// It thinks once in a turn, so that its own later steps have none. all: no step may be without.
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

// thinks says whether a block of that type holds thinking.
func thinks(kind string) bool { return kind == "thinking" || kind == "redacted_thinking" }
