package askuser

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/pattern"
	"github.com/askgate/askgate/tools/strictjson"
)

// The codes of faults in an answer (tools.FieldError.Code), with their Params.
// Each has a text "answer.<code>" in the locales. A fault against a rule of the
// question also carries the asker's validation.message.
const (
	FaultRequired    = "required"          // no answer
	FaultBlank       = "blank"             // no visible characters
	FaultType        = "type"              // not a value of this input type, or a text that cannot be stored
	FaultTypeText    = "type_text"         // not a text
	FaultTypeNumber  = "type_number"       // not a finite decimal number
	FaultTypeDate    = "type_date"         // not a calendar date as YYYY-MM-DD
	FaultTypeConfirm = "type_confirm"      // not true, false, "yes" or "no"
	FaultOption      = "option"            // not the value of an option
	FaultNoOther     = "other_not_allowed" // allow_other is not set
	FaultNoSkip      = "skip_not_allowed"  // allow_skip is not set
	FaultNotExpected = "not_expected"      // a field that this question does not take, or not with the other fields
	FaultTooLong     = "too_long"          // text or other: Count, the limit in code points
	FaultNoteTooLong = "note_too_long"     // Count, the limit in code points
	FaultTooShort    = "too_short"         // text: Count, the limit in code points
	FaultPattern     = "pattern"           // the whole text does not match
	// FaultPatternLimit: matching the text takes more steps than allowed.
	FaultPatternLimit = "pattern_limit"
	FaultMin          = "min"      // number: Min
	FaultMax          = "max"      // number: Max
	FaultInteger      = "integer"  // number: not whole
	FaultDateMin      = "date_min" // date: Min
	FaultDateMax      = "date_max" // date: Max
	FaultTooFew       = "too_few"  // choices: Count, the limit
	FaultTooMany      = "too_many" // choices: Count, the limit
	FaultCount        = "count"    // answers: not one per question: Count, the number of questions
	// FaultNotAsked: an answer to a question whose condition is not met.
	FaultNotAsked = "not_asked"

	// A text that is not in the required format.
	FaultFormatEmail    = faultFormat + tools.FormatEmail
	FaultFormatURI      = faultFormat + tools.FormatURI
	FaultFormatPhone    = faultFormat + tools.FormatPhone
	FaultFormatDuration = faultFormat + tools.FormatDuration

	faultFormat = "format_"
)

// Check implements tools.Resumer. It is pure, and idempotent: checking its result returns
// the same result.
func (t *Tool) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	return t.check(q, a, &pattern.Matcher{})
}

func (t *Tool) check(q tools.Question, a tools.Answer, matcher *pattern.Matcher) (tools.Answer, error) {
	c := checker{maxAnswer: q.MaxAnswer, matcher: matcher, matches: q.Matches}
	if c.maxAnswer <= 0 {
		c.maxAnswer = t.limits.MaxAnswer
	}
	if a.Result != nil {
		c.fault(fieldResult, FaultNotExpected, nil) // an answer to another kind of clarification
	}
	if a.Error != "" {
		c.fault(fieldError, FaultNotExpected, nil)
	}
	if a.Arguments != nil {
		c.fault(fieldArgs, FaultNotExpected, nil)
	}
	var checked tools.Answer
	if len(c.faults) > 0 {
		return checked, &tools.AnswerError{Fields: c.faults}
	}
	if len(q.Parts) == 1 {
		checked = c.part(q.Parts[0], only(a))
	} else {
		checked = c.form(q.Parts, a)
	}
	if len(c.faults) > 0 {
		return tools.Answer{}, &tools.AnswerError{Fields: c.faults}
	}
	checked.DontAskAgain = a.DontAskAgain || len(q.Parts) == 1 && only(a).DontAskAgain
	for i := range checked.Answers {
		checked.Answers[i].DontAskAgain = i < len(a.Answers) && a.Answers[i].DontAskAgain
	}
	return checked, nil
}

// hasContent reports whether a has an answer in its own fields.
func hasContent(a tools.Answer) bool {
	return given(a.Value) || len(a.Values) > 0 || !tools.Blank(a.Other)
}

// closing checks an answer that skips or declines the question; ok is false if a does
// neither. Only a note is allowed with it.
func (c *checker) closing(a tools.Answer) (out tools.Answer, ok bool) {
	out.Note = c.note(a.Note)
	if !a.Declined && !a.Skipped {
		return out, false
	}
	if a.Declined && a.Skipped {
		c.fault(fieldSkipped, FaultNotExpected, nil)
	}
	c.unexpected(a)
	out.Declined, out.Skipped = a.Declined, a.Skipped && !a.Declined
	return out, true
}

// unexpected refuses all fields of a that contain an answer.
func (c *checker) unexpected(a tools.Answer) {
	for _, f := range []struct {
		name  string
		there bool
	}{{fieldValue, given(a.Value)}, {fieldValues, len(a.Values) > 0}, {fieldOther, !tools.Blank(a.Other)}, {fieldAnswers, len(a.Answers) > 0}} {
		if f.there {
			c.fault(f.name, FaultNotExpected, nil)
		}
	}
}

func (c *checker) form(parts []tools.Part, a tools.Answer) tools.Answer {
	out, closed := c.closing(a)
	switch {
	case closed && !out.Skipped:
	case closed:
		for i, p := range parts {
			// A question whose condition refers to a skipped one is not asked.
			if c.question = i; !p.AllowSkip && tools.Before(parts, i) < 0 {
				c.fault(fieldSkipped, FaultNoSkip, nil)
			}
		}
	case len(a.Answers) != len(parts) || len(parts) == 0:
		c.fault(fieldAnswers, FaultCount, map[string]any{"Count": len(parts)})
	default:
		c.unexpected(tools.Answer{Value: a.Value, Values: a.Values, Other: a.Other})
		out.Answers = c.parts(parts, a.Answers)
	}
	return out
}

// part checks the answer to one question.
func (c *checker) part(p tools.Part, a tools.Answer) tools.Answer {
	if len(a.Options) > 0 { // options that their source has confirmed
		p.Options = slices.Concat(p.Options, a.Options)
	}
	out := c.plainPart(p, a)
	for _, o := range a.Options {
		if slices.ContainsFunc(chosen(p, out), func(c tools.Option) bool { return c.Value == o.Value }) {
			out.Options = append(out.Options, o)
		}
	}
	return out
}

func (c *checker) plainPart(p tools.Part, a tools.Answer) tools.Answer {
	c.own = ""
	if p.Validation != nil {
		c.own = p.Validation.Message
	}
	out, closed := c.closing(a)
	switch {
	case closed:
		if out.Skipped && !p.AllowSkip {
			c.fault(fieldSkipped, FaultNoSkip, nil)
		}
		return out
	case len(a.Answers) > 0:
		c.fault(fieldAnswers, FaultCount, map[string]any{"Count": 1})
		return out
	}
	out.Other = c.other(p, a.Other)
	if check := types[p.InputType].values; check != nil {
		if given(a.Value) {
			c.fault(fieldValue, FaultNotExpected, nil)
		} else {
			out.Values = check(c, p, a.Values, out.Other != "")
		}
		return out
	}
	if len(a.Values) > 0 {
		c.fault(fieldValues, FaultNotExpected, nil)
	}
	switch {
	case given(a.Value):
		out.Value = c.value(p, a.Value)
		if p.InputType == tools.File && out.Value != nil {
			out.File = c.file(p, a.File)
		}
	case tools.Blank(a.Other) && len(a.Values) == 0:
		c.fault(fieldValue, FaultRequired, nil)
	}
	return out
}

// note and other check the free text that can come with an answer. Blank text counts as none.
func (c *checker) note(s string) string { return c.freeText(fieldNote, s, FaultNoteTooLong, maxNote) }

func (c *checker) other(p tools.Part, s string) string {
	if s = c.freeText(fieldOther, s, FaultTooLong, maxOther); s != "" && !p.AllowOther {
		c.fault(fieldOther, FaultNoOther, nil)
	}
	return s
}

func (c *checker) freeText(field, s, tooLong string, limit int) string {
	switch {
	case tools.Blank(s):
		return ""
	case count(s) > limit:
		c.fault(field, tooLong, map[string]any{"Count": limit})
	case strings.IndexByte(s, 0) >= 0:
		c.fault(field, FaultType, nil) // no store and no model takes U+0000
	}
	return s
}

// value checks a value and returns it normalized.
func (c *checker) value(p tools.Part, raw json.RawMessage) json.RawMessage {
	row := types[p.InputType]
	d, err := strictjson.Open(raw, strictjson.Rules{MaxDepth: maxDepth, AllowDuplicates: true, AllowHuge: true})
	switch {
	case errors.Is(err, strictjson.ErrEncoding):
		c.fault(fieldValue, FaultType, nil)
		return nil
	case err != nil:
		c.fault(fieldValue, cmp.Or(row.wrong, FaultType), nil)
		return nil
	}
	v := tree(d)
	if s, isText := v.(string); isText && tools.Blank(s) {
		c.fault(fieldValue, FaultBlank, nil)
		return nil
	}
	if row.value != nil {
		if normal, ok := row.value(c, p, v); ok {
			return normal
		}
	}
	c.fault(fieldValue, cmp.Or(row.wrong, FaultType), nil) // FaultType also if only a newer build knows the type
	return nil
}

func isValue(p tools.Part, s string) bool {
	for _, o := range p.Options {
		if o.Value == s {
			return true
		}
	}
	return false
}

// text checks a text answer against the answer limit and the part's range, format and pattern.
func (c *checker) text(p tools.Part, s string) {
	v := p.Validation
	if v == nil {
		v = &tools.Validation{}
	}
	n := count(s)
	switch {
	case v.Min != nil && float64(n) < v.Min.Number:
		c.rule(fieldValue, FaultTooShort, map[string]any{"Count": int(v.Min.Number)})
	case v.Max != nil && float64(n) > v.Max.Number:
		c.rule(fieldValue, FaultTooLong, map[string]any{"Count": int(v.Max.Number)})
	case n > c.maxAnswer:
		c.fault(fieldValue, FaultTooLong, map[string]any{"Count": c.maxAnswer})
	case !hasFormat(p.Format, s):
		c.rule(fieldValue, faultFormat+p.Format, nil)
	case v.Pattern != "":
		// After the lengths: the pattern was only accepted for texts of this length.
		switch code := c.match(v, s); code {
		case FaultPatternLimit:
			c.fault(fieldValue, code, nil) // the text may be in the right form
		case FaultPattern:
			c.rule(fieldValue, code, nil)
		}
	}
}

// match returns the code of the fault if s does not match the pattern, from c.matches if it is known.
func (c *checker) match(v *tools.Validation, s string) string {
	compared := tools.Matched{Pattern: v.Pattern, Text: s}
	if v.Flags != nil {
		compared.Flags = *v.Flags
	}
	if code, known := c.matches[compared]; known {
		return code
	}
	code := ""
	switch err := c.matcher.Match(compared.Pattern, compared.Flags, s); {
	case errors.Is(err, pattern.ErrLimit):
		code = FaultPatternLimit
	case err != nil:
		code = FaultPattern
	}
	if c.matches != nil {
		c.matches[compared] = code
	}
	return code
}

// bounds checks a number. literal shows a fraction that float64 rounds away.
func (c *checker) bounds(v *tools.Validation, literal string, n float64) {
	fraction := n != math.Trunc(n) || strings.Contains(literal, ".") && !strings.Contains(literal, "e")
	switch {
	case v == nil:
	case v.Integer && fraction:
		c.rule(fieldValue, FaultInteger, nil)
	case v.Min != nil && n < v.Min.Number:
		c.rule(fieldValue, FaultMin, map[string]any{"Min": shortest(v.Min.Number)})
	case v.Max != nil && n > v.Max.Number:
		c.rule(fieldValue, FaultMax, map[string]any{"Max": shortest(v.Max.Number)})
	}
}

// values checks the choices of a multiselect and returns them without duplicates, in the
// order of the options. Text in `other` counts as one more choice.
func (c *checker) values(p tools.Part, values []string, other bool) []string {
	chosen := make(map[string]bool, len(values))
	for _, s := range values {
		if !isValue(p, s) {
			c.fault(fieldValues, FaultOption, nil)
			return nil
		}
		chosen[s] = true
	}
	var out []string
	for _, o := range p.Options {
		if chosen[o.Value] {
			out = append(out, o.Value)
		}
	}
	n := len(out)
	if other {
		n++
	}
	v := p.Validation
	switch {
	case n == 0:
		c.fault(fieldValues, FaultRequired, nil)
	case v == nil:
	case v.Min != nil && float64(n) < v.Min.Number:
		c.rule(fieldValues, FaultTooFew, map[string]any{"Count": int(v.Min.Number)})
	case v.Max != nil && float64(n) > v.Max.Number:
		c.rule(fieldValues, FaultTooMany, map[string]any{"Count": int(v.Max.Number)})
	}
	return out
}
