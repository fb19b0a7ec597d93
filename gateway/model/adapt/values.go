package adapt

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/askgate/askgate/tools"
)

// efforts has the configuration's words, the lowest first.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

var (
	// effortWord finds efforts in a text, in upper or lower case: Gemini writes MINIMAL, LOW.
	effortWord = tools.Late(`(?i)\b(none|minimal|low|medium|high|xhigh|max)\b`)
	// listed matches the beginning of a list of accepted values.
	listed = tools.Late(`(?i)(?:supported|allowed|valid|accepted|permitted|possible|available) (?:values|options|efforts|levels)(?: are| is)?:?|must be one of:?|should be one of:?|expected one of:?|one of:|input should be`)
	// offersNone matches OpenAI's offer of none (litellm#34569, 24 July 2026).
	offersNone = tools.Late(`(?i)set reasoning[_.]effort to ['"` + "`" + `]none['"` + "`" + `]`)
)

// nearest returns the effort that is nearest to the refused one, of a list in the text, or nil if the
// text has no list. The list counts if the words before it are the server's own.
func (r *reading) nearest() json.RawMessage {
	at := listed().FindStringIndex(r.raw)
	if len(at) == 0 || !r.owns(at[0], at[1]) {
		return nil
	}
	list, _, _ := strings.Cut(r.raw[at[1]:], "\n")
	asked := slices.Index(efforts, r.sent.Effort)
	if m := effortWord().FindString(r.raw[:at[0]]); m != "" {
		asked = slices.Index(efforts, strings.ToLower(m))
	} else if m := got().FindStringSubmatch(list); m != nil {
		asked = slices.Index(efforts, strings.ToLower(m[1]))
	}
	refused := asked
	if asked < 0 {
		asked = len(efforts) / 2
	}
	list = got().ReplaceAllString(list, "")
	best, least := -1, 0
	for _, m := range effortWord().FindAllString(list, len(efforts)*2) {
		i := slices.Index(efforts, strings.ToLower(m))
		distance := 2 * max(asked-i, i-asked)
		if i == 0 && asked > 0 {
			distance++ // no reasoning at all differs more than one step
		}
		if i != refused && (best < 0 || distance < least || distance == least && i < best) {
			best, least = i, distance
		}
	}
	if best < 0 {
		return nil
	}
	raw, _ := json.Marshal(efforts[best])
	return raw
}

// got matches the refused value after a list (pydantic, zod).
var got = tools.Late(`(?i)(?:received|got|given|input):? ['"]?(none|minimal|low|medium|high|xhigh|max)\b.*`)

// limits matches statements of the most tokens of an answer: Anthropic, OpenAI, Groq, DeepSeek and
// DashScope, Gemini (exclusive), OpenAI's minimum. The number, plus add, is the value to send.
var limits = []struct {
	words func() *regexp.Regexp
	add   int
}{
	{tools.Late(`(?i)\b\d+ ?> ?(\d+)\b`), 0},
	{tools.Late(`(?i)at most (\d+)`), 0},
	{tools.Late(`(?i)(?:less than or equal to|<=|no (?:more|greater|larger) than|must not exceed|cannot exceed|exceeds? the (?:maximum|limit)(?: \w+){0,5}) ['"` + "`" + `]?(\d+)`), 0},
	{tools.Late(`\[ ?\d+ ?, ?(\d+) ?\]`), 0},
	{tools.Late(`(?i)to (\d+) \(exclusive\)`), -1},
	{tools.Late(`(?i)(?:less than|<) ['"` + "`" + `]?(\d+)`), -1},
	{tools.Late(`(?i)(?:a value >=|at least|greater than or equal to|>=) ['"` + "`" + `]?(\d+)`), 0},
	{tools.Late(`(?i)maximum\D{1,60}?(\d+)`), 0},
}

// limit returns the limit of an answer that the text states, or nil.
func (r *reading) limit() json.RawMessage {
	for _, l := range limits {
		if m := l.words().FindStringSubmatch(r.clean); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n+l.add > 0 {
				return json.RawMessage(strconv.Itoa(n + l.add))
			}
		}
	}
	return nil
}

// kindOfThinking returns the other kind of thinking of the Messages API if a model refuses one
// (platform.claude.com, opus-5-5 migration, November 2026), or nil if the text names neither.
func (r *reading) kindOfThinking() json.RawMessage {
	switch thinkingKind().FindString(r.raw) {
	case "thinking.type.enabled", "budget_tokens":
		return json.RawMessage(`{"type":"adaptive"}`)
	case "thinking.type.adaptive", "adaptive thinking", "'adaptive'":
		return json.RawMessage(`{"type":"enabled"}`)
	}
	return nil
}

// thinkingKind finds the kind that a text names first.
var thinkingKind = tools.Late(`thinking\.type\.(?:enabled|adaptive|disabled)|budget_tokens|adaptive thinking|'adaptive'`)
