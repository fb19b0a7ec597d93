package askuser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askgate/askgate/tools"
)

// Definition returns the English description that the model reads and the JSON Schema of the
// parameters, with the current limits. The schema uses only keywords that every provider
// accepts, and one type per field. So it cannot express that question and questions exclude
// each other (no anyOf, and nothing is required at the top), or that a bound may also be a
// number: Run accepts text and numbers alike.
func (t *Tool) Definition() (description string, parameters json.RawMessage) {
	return t.DefinitionIn("en")
}

// DefinitionIn is Definition with the admin's own words, those about keys, in a language.
func (t *Tool) DefinitionIn(language string) (description string, parameters json.RawMessage) {
	description = fmt.Sprintf(`Ask the user and wait for the answer, which is this call's result.
Ask rarely: only if the answer changes what you do next and you were not told it. Otherwise decide, and say what you assumed.
Ask all you need in one call: "question" for one question, or "questions" for up to %d, shown together. Never ask the same thing twice.
Prefer select with short options; put the best first and mark it recommended. %s%s
A validation.pattern must match the whole answer.
%s The user may skip, decline, or write something else; accept that.`, t.limits.MaxQuestions, t.otherRule(), t.skipRule(), t.secretsRule())

	part := t.partProperties(language)
	id := fmt.Sprintf(`"id": {"type": "string", "maxLength": %d`, tools.MaxPartID)
	schema := fmt.Sprintf(`{"type": "object", "properties": {%s},%s,
		"again": {"type": "boolean", "description": "Ask even if the user answered the same in this turn; otherwise you get that answer."},
		"expiresIn": {"type": "string", "description": "How long the question waits, such as \"30m\" or \"7d\". Set it only if a later answer is useless."},
		"questions": {"type": "array", "minItems": 1, "maxItems": %d,
			"description": "Several questions, shown together, instead of question and its fields.",
			"items": {"type": "object", "properties": {%s, "description": "A short, unique name."},%s,%s}, "required": ["question", "input_type"]}}}}`,
		id, part, t.limits.MaxQuestions, id, part, whenProperty)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(schema)); err != nil {
		return description, json.RawMessage(schema) // the tests keep the schema valid
	}
	return description, compact.Bytes()
}

const whenProperty = `"when": {"type": "object", "description": "Ask this only after certain answers to an earlier question in this list.",
			"properties": {"question": {"type": "string", "description": "Its id, or q1 for the first."}, "is": {"type": "array", "items": {"type": "string"}, "description": "The values; yes or no for a confirm."}},
			"required": ["question", "is"]}`

// secretsRule tells the model whether it may ask for secrets.
func (t *Tool) secretsRule() string {
	if t.limits.Secrets == SecretsWarn || t.limits.Secrets == SecretsAllow {
		return "Ask for a password or another secret only if you cannot go on without it."
	}
	return "Never ask for passwords, card numbers, one-time codes, keys or other secrets: such questions are refused."
}

// otherRule tells the model how the user can write something other than an option.
func (t *Tool) otherRule() string {
	const never = `Never list an option such as "Other"`
	if t.limits.AllowOther == AllowOtherAlways {
		return never + ": the user can always write something else."
	}
	return never + "; set allow_other if the user may want something else."
}

// skipRule tells the model when to let the user skip.
func (t *Tool) skipRule() string {
	if t.limits.AllowSkip == AllowSkipAlways {
		return " The user can always skip what you ask."
	}
	return " Set allow_skip if you can go on without an answer."
}

func (t *Tool) partProperties(language string) string {
	text := func(name string, limit int, description string) string {
		return fmt.Sprintf(`%q: {"type": "string", "maxLength": %d, "description": %s}`, name, limit, inJSON(description))
	}
	required := func(name string, limit int, description string) string {
		return fmt.Sprintf(`%q: {"type": "string", "minLength": 1, "maxLength": %d, "description": %q}`, name, limit, description)
	}
	flag := func(name, description string) string {
		return fmt.Sprintf(`%q: {"type": "boolean", "description": %q}`, name, description)
	}
	option := required("label", maxLabel, "What the user reads.") + "," +
		required("value", maxValue, "What you get back with the label; default: the label.") + "," +
		text("description", maxDescription, "A line to help choose.") + "," +
		flag("recommended", "Mark the option you would choose; at most one in a select.") + "," +
		text("preview", maxPreview, "Markdown preview of the option, such as a draft or a code block.")
	rules := text("pattern", maxPattern, fmt.Sprintf("For text only: a JavaScript regular expression without slashes. The whole answer must match it, as in ^(?:pattern)$. Avoid nested and overlapping quantifiers; set max. An answer has at most %d characters.", t.limits.MaxAnswer)) + `,
		"min": {"type": "string", "description": "Minimum: length of a text, number, choices of a multiselect, ISO date, or time: \"3\" or \"2026-12-31\"."},
		"max": {"type": "string", "description": "Maximum, likewise."},` +
		flag("integer", "For number: whole numbers only.") + "," +
		text("message", maxMessage, "What the user reads if the answer is not valid.")

	words, about := t.offered()
	file := ""
	if t.limits.MaxFile > 0 {
		file = fmt.Sprintf(`"accept": {"type": "array", "maxItems": %d, "items": {"type": "string"}, "description": "For file: media types such as \"image/*\" or extensions such as \".csv\"; default: any."},`, tools.MaxAccept) +
			fmt.Sprintf(`"maxBytes": {"type": "integer", "minimum": 1, "maximum": %d, "description": "For file: its maximum size."},`, t.limits.MaxFile)
	}
	other := ""
	if t.limits.AllowOther != AllowOtherAlways {
		other = flag("allow_other", "The user may write their own answer instead of an option.") + ","
	}
	return required("question", maxQuestion, "The question, short and clear, in the user's language.") + "," +
		text("header", maxHeader, "A title of one to three words.") + "," +
		`"input_type": {"type": "string", "enum": ["` + strings.Join(words, `", "`) + `"],
			"description": "` + strings.Join(about, "; ") + `."},` + file +
		`"scale": {"type": "object", "description": "For scale: names of its ends.", "properties": {` + text("low", maxScaleEnd, "Of 1.") + "," + text("high", maxScaleEnd, "Of validation.max.") + `}},` +
		fmt.Sprintf(`"options": {"type": "array", "maxItems": %d, "description": "For select, multiselect and rank: 1 to %d options.",
			"items": {"type": "object", "properties": {%s}, "required": ["label"]}},`, t.limits.MaxOptions, t.limits.MaxOptions, option) +
		other +
		flag("allow_skip", "The user may skip the question.") + "," +
		`"format": {"type": "string", "enum": ["email", "uri", "phone", "duration"], "description": "For text only; a duration is PT1H30M or 1h30m."},
		"default": {"type": "string", "description": "The expected answer, which the user can change. For an option its value; for several a list, [\"a\",\"b\"]."},` +
		text("placeholder", maxPlaceholder, "An example in the empty field.") + "," +
		fmt.Sprintf(`"validation": {"type": "object", "properties": {%s}},`, rules) +
		text("key", tools.MaxKey, "A short, stable name of what you ask, such as report_format. Use the same name each time, so that an earlier answer can be offered."+t.knownKeys(language)) + "," +
		text("context", maxContext, "Why you ask, or what the user needs to know to answer.")
}
