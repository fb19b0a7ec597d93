package askuser

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
	"github.com/askgate/askgate/tools/askuser/pattern"
	"github.com/askgate/askgate/tools/strictjson"
)

// The codes of faults in an answer, tools.FieldError.Code, with their Params.
// Each has a text "answer.<code>" in the locales. The asker's own
// validation.message goes with what the rules of the question refuse.
const (
	FaultRequired    = "required"          // no answer
	FaultBlank       = "blank"             // nothing that can be seen
	FaultType        = "type"              // not a value of this input type, or no text that can be kept
	FaultTypeText    = "type_text"         // no text
	FaultTypeNumber  = "type_number"       // no finite decimal number
	FaultTypeDate    = "type_date"         // no day of the calendar as YYYY-MM-DD
	FaultTypeConfirm = "type_confirm"      // no true, false, "yes" or "no"
	FaultOption      = "option"            // not one of the values
	FaultNoOther     = "other_not_allowed" // the question has no allow_other
	FaultNoSkip      = "skip_not_allowed"  // the question has no allow_skip
	FaultNotExpected = "not_expected"      // a field that does not go with this question or with the others
	FaultTooLong     = "too_long"          // text or other: Count, the limit in code points
	FaultNoteTooLong = "note_too_long"     // Count, the limit in code points
	FaultTooShort    = "too_short"         // text: Count, the limit in code points
	FaultPattern     = "pattern"           // the text does not match as a whole
	// FaultPatternLimit is of a text that takes more steps to match than one may.
	FaultPatternLimit = "pattern_limit"
	FaultMin          = "min"      // number: Min
	FaultMax          = "max"      // number: Max
	FaultInteger      = "integer"  // number: not whole
	FaultDateMin      = "date_min" // date: Min
	FaultDateMax      = "date_max" // date: Max
	FaultTooFew       = "too_few"  // choices: Count, the limit
	FaultTooMany      = "too_many" // choices: Count, the limit
	FaultCount        = "count"    // answers: not one per question: Count, the questions
	// FaultNotAsked is of an answer to a question whose condition is not met.
	FaultNotAsked = "not_asked"

	// A text that has not the format that it must have.
	FaultFormatEmail    = faultFormat + tools.FormatEmail
	FaultFormatURI      = faultFormat + tools.FormatURI
	FaultFormatPhone    = faultFormat + tools.FormatPhone
	FaultFormatDuration = faultFormat + tools.FormatDuration

	faultFormat = "format_"
)

// Check implements tools.Resumer. It is pure; checking what it
// returned gives the same again.
func (t *Tool) Check(q tools.Question, a tools.Answer) (tools.Answer, error) {
	return t.check(q, a, &pattern.Matcher{})
}

func (t *Tool) check(q tools.Question, a tools.Answer, matcher *pattern.Matcher) (tools.Answer, error) {
	c := checker{maxAnswer: q.MaxAnswer, matcher: matcher, matches: q.Matches}
	if c.maxAnswer <= 0 {
		c.maxAnswer = t.limits.MaxAnswer
	}
	if a.Result != nil {
		c.fault(fieldResult, FaultNotExpected, nil) // it answers another kind of clarification
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

// hasContent says whether a holds an answer in its own fields.
func hasContent(a tools.Answer) bool {
	return given(a.Value) || len(a.Values) > 0 || !tools.Blank(a.Other)
}

// closing checks what closes a question without an answer; ok says that a does.
// Nothing but a note goes with it.
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

// unexpected refuses every field that holds an answer.
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
			// What hangs on a skipped question is not asked.
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
	if len(a.Options) > 0 { // which their source knows
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
	if p.InputType == tools.Multiselect {
		if given(a.Value) {
			c.fault(fieldValue, FaultNotExpected, nil)
		} else {
			out.Values = c.values(p, a.Values, out.Other != "")
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

// note and other are free texts beside an answer; a blank one is none.
func (c *checker) note(s string) string { return c.beside(fieldNote, s, FaultNoteTooLong, maxNote) }

func (c *checker) other(p tools.Part, s string) string {
	if s = c.beside(fieldOther, s, FaultTooLong, maxOther); s != "" && !p.AllowOther {
		c.fault(fieldOther, FaultNoOther, nil)
	}
	return s
}

func (c *checker) beside(field, s, tooLong string, limit int) string {
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

// typeFaults are the codes of what is no value of an input type.
var typeFaults = map[tools.InputType]string{
	tools.Text: FaultTypeText, tools.Number: FaultTypeNumber, tools.Date: FaultTypeDate, tools.Confirm: FaultTypeConfirm,
	tools.File: FaultTypeFile,
}

// value checks a value of all types but multiselect and returns it normalised.
func (c *checker) value(p tools.Part, raw json.RawMessage) json.RawMessage {
	wrongType := typeFaults[p.InputType]
	if wrongType == "" {
		wrongType = FaultType
	}
	d, err := strictjson.Open(raw, strictjson.Rules{MaxDepth: maxDepth, AllowDuplicates: true, AllowHuge: true})
	switch {
	case errors.Is(err, strictjson.ErrEncoding):
		c.fault(fieldValue, FaultType, nil)
		return nil
	case err != nil:
		c.fault(fieldValue, wrongType, nil)
		return nil
	}
	v := tree(d)
	s, isText := v.(string)
	if isText && tools.Blank(s) {
		c.fault(fieldValue, FaultBlank, nil)
		return nil
	}
	switch p.InputType {
	case tools.Text:
		if isText {
			if p.Format != "" {
				s = trimmed(s)
			}
			c.text(p, s)
			return quote(s)
		}
	case tools.Number:
		literal, n, ok := numeral(scalar(v))
		if _, isBool := v.(bool); ok && !isBool {
			c.bounds(p.Validation, literal, n)
			return json.RawMessage(literal)
		}
	case tools.Date:
		if isText && isDate(s) {
			c.dates(p.Validation, s)
			return quote(s)
		}
	case tools.Select:
		// Option values are texts; a client that sends the number of an option
		// that the model wrote as a number means that text.
		if s = scalar(v); isValue(p, s) {
			return quote(s)
		}
		wrongType = FaultOption
	case tools.File:
		if isText && tools.IsFileID(s) {
			return quote(s)
		}
	case tools.Confirm:
		switch v {
		case true, valueYes:
			return quote(valueYes)
		case false, valueNo:
			return quote(valueNo)
		}
	}
	c.fault(fieldValue, wrongType, nil)
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

// text checks a text answer: the answer limit, its own range, its format, its pattern.
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
		// After the lengths: the pattern was accepted for answers of this length.
		switch code := c.match(v, s); code {
		case FaultPatternLimit:
			c.fault(fieldValue, code, nil) // the form is not what is wrong
		case FaultPattern:
			c.rule(fieldValue, code, nil)
		}
	}
}

// match compares a text with the pattern, if that is not known, and returns the code of the fault.
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

// bounds checks a number; literal tells a fraction that float64 cannot hold.
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

func (c *checker) dates(v *tools.Validation, day string) {
	switch {
	case v == nil:
	case v.Min != nil && day < v.Min.Date:
		c.rule(fieldValue, FaultDateMin, map[string]any{"Min": v.Min.Date})
	case v.Max != nil && day > v.Max.Date:
		c.rule(fieldValue, FaultDateMax, map[string]any{"Max": v.Max.Date})
	}
}

// values checks the choices of a multiselect and returns them once each, in the
// order of the options. Text in `other` is one choice more.
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
