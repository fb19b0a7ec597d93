package askuser

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools"
)

// inputType is what the package knows of one input type: a row of types. Its functions may be
// nil: a type without rules has no ranges, for example.
type inputType struct {
	// words are the words of other systems for the type, in canonical spelling.
	words string
	// about tells the model how the type is answered.
	about string
	// other is the least value of Limits.AllowOther with which a text is always taken in place of a
	// value; "": only if the question says so.
	other string
	// rules reads the part's rules. use takes one of them, with its path.
	rules func(r *ruleReader, path string, use func(field string) (string, any), p tools.Part, v *tools.Validation)
	// wrong is the code of the fault of a value of another type; "": FaultType.
	wrong string
	// value checks the value of an answer and returns it normalized; ok is false for a value of
	// another type. Other faults are added to c.
	value func(c *checker, p tools.Part, v any) (normal json.RawMessage, ok bool)
	// values checks the values of an answer, for types that take several. Text in `other` is one
	// more choice.
	values func(c *checker, p tools.Part, values []string, other bool) []string
	// read returns the ways to read a message as an answer, the best first.
	read func(m message, p tools.Part) []tools.Answer
	// standard returns a default as an answer, which is then checked like one.
	standard func(r *reader, p tools.Part, v any) tools.Answer
	// awaited returns a value of a condition in the form of an answer, or a hint if no answer is
	// equal to it. nil: conditions cannot use the type.
	awaited func(p tools.Part, s string) (value, hint string)
}

// types has a row for each input type.
var types = map[tools.InputType]inputType{
	tools.Text: {
		words: "string str freetext freeform freeformtext plaintext open openended openquestion textarea textinput textfield textbox " +
			"longtext shorttext singlelinetext multilinetext shortanswer longanswer paragraph singleline multiline input " + formatTypes,
		about: "a free answer",
		wrong: FaultTypeText,
		rules: (*ruleReader).textRules,
		value: (*checker).textValue,
		read:  message.text,
		standard: func(_ *reader, _ tools.Part, v any) tools.Answer {
			s, isText := v.(string)
			if !isText {
				return tools.Answer{}
			}
			return tools.Answer{Value: quote(tools.Clean(s))}
		},
		awaited: func(_ tools.Part, s string) (string, string) { return s, "" },
	},
	// "multiple choice" means multiselect, like multi_choice: the user can still choose only one.
	tools.Select: {
		words: "singleselect singlechoice single choice choose radio radiobutton radiobuttons radiogroup dropdown " +
			"combobox list listbox option options enum pick pickone selectone oneof",
		about:    "one of the options",
		other:    AllowOtherChoices,
		value:    (*checker).choice,
		read:     message.option,
		standard: chosenDefault,
		awaited:  optionAwaited,
	},
	tools.Multiselect: {
		words: "multichoice multiplechoice multipleselect multipleselection multiselection multiple multi array " +
			"checkbox checkboxes checkboxgroup checklist selectmultiple selectmany selectall pickmany anyof",
		about:    "one or more of them",
		other:    AllowOtherChoices,
		rules:    (*ruleReader).choiceRules,
		values:   (*checker).values,
		read:     message.options,
		standard: listedDefault,
		awaited:  optionAwaited,
	},
	tools.Confirm: {
		words: "confirmation yesno yesorno boolean bool toggle switch binary truefalse",
		about: "yes or no",
		other: AllowOtherAlways,
		wrong: FaultTypeConfirm,
		value: func(_ *checker, _ tools.Part, v any) (json.RawMessage, bool) {
			switch v {
			case true, valueYes:
				return quote(valueYes), true
			case false, valueNo:
				return quote(valueNo), true
			}
			return nil, false
		},
		read:     message.confirm,
		standard: chosenDefault,
		awaited:  optionAwaited,
	},
	tools.Number: {
		words: "numeric num float double decimal " + integerWords,
		about: "a number",
		other: AllowOtherAlways,
		wrong: FaultTypeNumber,
		rules: func(r *ruleReader, _ string, use func(string) (string, any), _ tools.Part, v *tools.Validation) {
			r.numberRange(use, v)
		},
		value: func(c *checker, p tools.Part, v any) (json.RawMessage, bool) {
			literal, n, ok := numeral(scalar(v))
			if _, isBool := v.(bool); !ok || isBool {
				return nil, false
			}
			c.bounds(p.Validation, literal, n)
			return json.RawMessage(literal), true
		},
		read:     message.number,
		standard: writtenDefault,
		awaited: func(_ tools.Part, s string) (string, string) {
			literal, _, ok := numeral(s)
			if !ok {
				return s, "send a number"
			}
			return literal, ""
		},
	},
	tools.Date: {
		words: "datepicker dateinput calendar day",
		about: "a day as YYYY-MM-DD",
		other: AllowOtherAlways,
		wrong: FaultTypeDate,
		rules: func(r *ruleReader, _ string, use func(string) (string, any), _ tools.Part, v *tools.Validation) {
			r.timeRange(use, v, calendarDate)
		},
		value: func(c *checker, p tools.Part, v any) (json.RawMessage, bool) {
			s, isText := v.(string)
			if !isText || !isDate(s) {
				return nil, false
			}
			c.times(p.Validation, s, calendarDate)
			return quote(s), true
		},
		read:     message.date,
		standard: writtenDefault,
		awaited: func(_ tools.Part, s string) (string, string) {
			if !isDate(s) {
				return s, "send a date such as 2026-12-31"
			}
			return s, ""
		},
	},
	tools.Datetime: {
		words: "datetimelocal datetimepicker datetimeinput dateandtime timestamp instant appointment",
		about: "a time with its offset, as 2026-12-31T14:00:00+01:00",
		other: AllowOtherAlways,
		wrong: FaultTypeDatetime,
		rules: func(r *ruleReader, _ string, use func(string) (string, any), _ tools.Part, v *tools.Validation) {
			r.timeRange(use, v, instant)
		},
		value: func(c *checker, p tools.Part, v any) (json.RawMessage, bool) {
			s, isText := v.(string)
			s, ok := instant.read(s)
			if !isText || !ok {
				return nil, false
			}
			c.times(p.Validation, s, instant)
			return quote(s), true
		},
		read:     message.datetime,
		standard: writtenDefault,
	},
	tools.Scale: {
		words:    "rating ratingscale likert likertscale linearscale opinionscale stars nps",
		about:    "a whole number from 1 to validation.max (2 to 10, default 5)",
		rules:    (*ruleReader).scaleRules,
		value:    (*checker).scale,
		read:     message.number,
		standard: scaleDefault,
		awaited:  scaleAwaited,
	},
	tools.Rank: {
		words:    "ranking ranked rankorder order ordering sort sortable prioritize prioritise priorities",
		about:    "all options in order, the best first",
		rules:    nil,
		values:   (*checker).rank,
		read:     message.rank,
		standard: listedDefault,
	},
	tools.File: {
		words: "upload fileupload fileinput attachment attach document",
		about: "the user uploads one",
		wrong: FaultTypeFile,
		value: func(_ *checker, _ tools.Part, v any) (json.RawMessage, bool) {
			s, isText := v.(string)
			if !isText || !tools.IsFileID(s) {
				return nil, false
			}
			return quote(s), true
		},
	},
}

var typeWords = names(typeAliases())

func typeAliases() map[string]string {
	words := map[string]string{}
	for t, row := range types {
		words[string(t)] = row.words
	}
	return words
}

// textRules reads the rules of a text.
func (r *ruleReader) textRules(path string, use func(string) (string, any), _ tools.Part, v *tools.Validation) {
	r.countRange(path, use, v, "characters", r.limits.MaxAnswer)
	if v.Max != nil && v.Max.Number > float64(r.limits.MaxAnswer) {
		v.Max.Number = float64(r.limits.MaxAnswer)
		r.repaired(RepairMaxLowered)
	}
	where, source := use("pattern")
	r.pattern(where, source, v)
}

// choiceRules reads the rules of a multiselect.
func (r *ruleReader) choiceRules(path string, use func(string) (string, any), p tools.Part, v *tools.Validation) {
	choices := len(p.Options)
	if r.listed {
		choices = math.MaxInt32
	}
	if p.AllowOther {
		choices++
	}
	r.countRange(path, use, v, "choices", choices)
}

func (c *checker) textValue(p tools.Part, v any) (json.RawMessage, bool) {
	s, isText := v.(string)
	if !isText {
		return nil, false
	}
	if p.Format != "" {
		s = trimmed(s)
	}
	c.text(p, s)
	return quote(s), true
}

// choice checks the value of a select. Option values are texts. If the model wrote a value as a
// number, a client may send a number; it means that text.
func (c *checker) choice(p tools.Part, v any) (json.RawMessage, bool) {
	s := scalar(v)
	if !isValue(p, s) {
		c.fault(fieldValue, FaultOption, nil)
		return nil, false
	}
	return quote(s), true
}

// message is a plain message that may be an answer.
type message struct {
	raw      string // unchanged
	trimmed  string
	language string
	words    Words
	skip     bool // it is a word that skips the question
}

func one(raw json.RawMessage, ok bool) []tools.Answer {
	if !ok {
		return nil
	}
	return []tools.Answer{{Value: raw}}
}

func (m message) text(tools.Part) []tools.Answer {
	switch {
	case m.skip:
		return nil
	case m.trimmed != m.raw:
		// If white space breaks a pattern or length, it was not intended.
		return []tools.Answer{{Value: quote(m.raw)}, {Value: quote(m.trimmed)}}
	}
	return []tools.Answer{{Value: quote(m.raw)}}
}

func (m message) option(p tools.Part) []tools.Answer {
	v, ok := readOption(p.Options, m.trimmed)
	return one(quote(v), ok)
}

func (m message) options(p tools.Part) []tools.Answer {
	values, rest := readOptions(p.Options, m.trimmed)
	if len(values) == 0 || rest != "" && !p.AllowOther {
		return nil
	}
	return []tools.Answer{{Values: values, Other: rest}}
}

func (m message) confirm(p tools.Part) []tools.Answer {
	if v := m.words.yesOrNo(m.trimmed); v != "" {
		return one(quote(v), true)
	}
	return m.option(p)
}

func (m message) number(tools.Part) []tools.Answer {
	literal, ok := readNumber(m.trimmed, m.language)
	return one(json.RawMessage(literal), ok)
}

func (m message) date(tools.Part) []tools.Answer {
	day, ok := readDate(m.trimmed, m.language)
	return one(quote(day), ok)
}

// optionAwaited reads the value of an option in a condition.
func optionAwaited(p tools.Part, s string) (value, hint string) {
	if value, ok := optionNamed(p, s); ok {
		return value, ""
	}
	hint = "use one of " + valuesOf(p)
	if p.AllowOther {
		hint += "; a text of the user's own never matches"
	}
	return s, hint
}

func chosenDefault(r *reader, p tools.Part, v any) tools.Answer {
	return tools.Answer{Value: quote(r.preset(p, v))}
}

// listedDefault reads a list of options, in JSON or in a text: the definition asks for a text.
func listedDefault(r *reader, p tools.Part, v any) (a tools.Answer) {
	list, isList := (&findings{}).unnest(v).([]any)
	if !isList {
		list = []any{v}
	}
	for _, item := range list {
		a.Values = append(a.Values, r.preset(p, item))
	}
	return a
}

func writtenDefault(_ *reader, _ tools.Part, v any) tools.Answer {
	return tools.Answer{Value: quote(strings.TrimSpace(scalar(v)))}
}

// offered returns the words of the input types that a model may use, and what each is.
func (t *Tool) offered() (words, about []string) {
	words = tools.InputTypeWords()
	if t.limits.MaxFile > 0 {
		words = append(words, string(tools.File))
	}
	for _, w := range words {
		about = append(about, w+": "+types[tools.InputType(w)].about)
	}
	return words, about
}

// typeList lists the input types, for a message.
func typeList() string {
	words := slices.Clone(tools.InputTypeWords())
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
