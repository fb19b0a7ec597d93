package askuser

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askgate/askgate/tools"
)

// The kinds of silent repairs (contract 6.2), the values of Outcome.Repairs.
const (
	RepairNestedJSON     = "nested_json"      // JSON, or a list or dict of Python, inside a JSON string
	RepairKeyName        = "key_name"         // another spelling or name of a field
	RepairTypeWord       = "type_word"        // another word for an input type
	RepairTypeMissing    = "type_missing"     // no input type: by the options
	RepairTypeOptions    = "type_options"     // options beside text, number, date or confirm: a choice
	RepairQuestionsShape = "questions_shape"  // questions as one object, as texts, or beside a question
	RepairOptionShape    = "option_shape"     // options as texts, one object, a map, or values beside labels
	RepairOptionValue    = "option_value"     // a number or boolean as an option's value
	RepairBoolean        = "boolean"          // a text or number for a boolean
	RepairNumber         = "number"           // a text for a number
	RepairText           = "text"             // a number or boolean for a cosmetic text
	RepairWhiteSpace     = "white_space"      // around a text
	RepairCut            = "cut"              // a cosmetic text over its limit
	RepairCharacters     = "characters"       // control characters, overrides of direction
	RepairValidation     = "validation_place" // min, max or pattern beside validation
	RepairMaxLowered     = "max_lowered"      // a text's max above the answer limit
	RepairDropped        = "dropped"          // a field that does not apply to this input type
	RepairOtherOption    = "other_option"     // an option "Other" beside allow_other
	RepairKey            = "key"              // no text, too long, or of other characters
	RepairID             = "id"               // no text, too long, unprintable, or that of another question
	RepairFormat         = "format"           // another word for a format
	RepairCondition      = "condition"        // a condition in another shape, or a label for a value
)

// canonical is a key or type word without case and separators: snake_case,
// camelCase and kebab-case are one name. Keys of more than 40 bytes match no field.
func canonical(name string) string {
	if len(name) > 40 {
		return ""
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '_' || r == '-' || r == ' ' || r == '.' || r == '/':
			return -1
		}
		return r
	}, name)
}

// The fields of the contract, and what other systems call them, in canonical spelling.
// "multiple" and "required" are not fields of the contract; they stand for input_type
// multiselect and for the opposite of allow_skip.
var (
	partAliases = map[string]string{
		fieldID:      "questionid",
		fieldKey:     "questionkey",
		fieldAgain:   "askagain askanew",
		"question":   "questiontext prompt",
		"header":     "heading title",
		"input_type": "type questiontype answertype responsetype inputkind kind",
		fieldOptions: "choices enum alternatives followup suggestions suggestedanswers suggestedresponses answeroptions possibleanswers quickreplies " +
			"oneof anyof",
		"allow_other": "other hasother isother custom allowcustom allowcustominput freeform allowfreetext allowfreeform allowfreeforminput",
		"allow_skip":  "skip skippable canskip optional allowskipping",
		"placeholder": "hint",
		"validation":  "validations validate constraints rules",
		"context":     "background explanation description",
		"questions":   "",
		fieldExpiry:   "expires expiry",
		"accept":      "accepts acceptedtypes filetypes mimetypes mediatypes extensions fileextensions",
		"maxBytes":    "maxsize maxfilesize filesizelimit",
		"multiple":    "multiselect allowmultiple multi",
		"required":    "isrequired mandatory",
		fieldFormat:   "stringformat textformat",
		fieldDefault:  "defaultvalue initial initialvalue prefill",
		fieldWhen:     "showif showwhen onlyif onlywhen visibleif askif dependson condition",
	}
	validationFields = map[string]string{
		"pattern": "regex regexp",
		"min":     "minimum minlength minvalue minitems minselections mindate",
		"max":     "maximum maxlength maxvalue maxitems maxselections maxdate",
		"integer": "isinteger integeronly wholenumber",
		"message": "errormessage",
	}
	optionAliases = map[string]string{
		"label":       "name text title displayname suggest suggestion",
		"value":       "id key code const",
		"description": "desc detail details",
		"recommended": "isrecommended preferred suggested",
		"preview":     "",
	}

	partNames       = names(partAliases, validationFields)
	validationNames = names(validationFields)
	optionNames     = names(optionAliases)
)

// names turns tables of aliases into one from canonical key to field.
func names(tables ...map[string]string) map[string]string {
	m := map[string]string{}
	for _, table := range tables {
		for field, aliases := range table {
			m[canonical(field)] = field
			for alias := range strings.FieldsSeq(aliases) {
				m[alias] = field
			}
		}
	}
	return m
}

// typeAliases are the words of other systems for the input types. "multiple choice" is a
// multiselect, like multi_choice: a person can still choose only one.
var typeAliases = map[string]string{
	string(tools.Text): "string str freetext freeform freeformtext plaintext open openended openquestion textarea textinput textfield textbox " +
		"longtext shorttext singlelinetext multilinetext shortanswer longanswer paragraph singleline multiline input " + formatTypes,
	string(tools.Select): "singleselect singlechoice single choice choose radio radiobutton radiobuttons radiogroup dropdown " +
		"combobox list listbox option options enum pick pickone selectone oneof",
	string(tools.Multiselect): "multichoice multiplechoice multipleselect multipleselection multiselection multiple multi array " +
		"checkbox checkboxes checkboxgroup checklist selectmultiple selectmany selectall pickmany anyof",
	string(tools.Confirm): "confirmation yesno yesorno boolean bool toggle switch binary truefalse",
	string(tools.Number):  "numeric num float double decimal " + integerWords,
	string(tools.Date):    "datepicker dateinput calendar day",
	string(tools.File):    "upload fileupload fileinput attachment attach document",
}

var typeWords = names(typeAliases)

const integerWords = "integer int wholenumber"

// reader turns parsed arguments into parts, noting repairs and faults.
type reader struct {
	limits    Limits
	words     Words
	language  string
	templates []Template
	listed    bool // a tool lists the options
	admins    bool // the words are an admin's: a template's
	exact     bool // a program or an admin asks: an input type stays what it is
	listing   bool // the arguments are a list of questions
	index     int  // of the part at hand
	ids       map[string]bool
	repairs   []string
	faults    []*fault
	spelled   map[string]string // what the caller called a field, by its path
	stood     map[string]string // where a field really stood, by where it belongs
	sources   []tools.OptionSource
	values    []string      // what templates were filled with, see tools.Question
	again     bool          // the question is asked though it has an answer
	expires   time.Duration // 0: nothing says so
	whens     map[int]any   // conditions by part, not read yet
}

func (r *reader) repaired(kind string) {
	if !slices.Contains(r.repairs, kind) {
		r.repairs = append(r.repairs, kind)
	}
}

// refuse notes a fault of a field; its text goes on behind the field's path.
func (r *reader) refuse(reason, path, format string, args ...any) {
	r.faults = append(r.faults, &fault{
		reason: reason, path: path, part: r.index, params: params(args), text: "`" + path + "`" + fmt.Sprintf(format, args...),
	})
}

// fields sorts an object's members by the contract's names. A field under its own
// name wins over aliases, the first alias over later ones; null is not given;
// unknown keys are ignored.
func (r *reader) fields(o *object, known map[string]string) map[string]any {
	out := make(map[string]any, len(o.keys))
	aliases := false
	for _, key := range o.keys {
		switch {
		case o.values[key] == nil:
		case known[canonical(key)] == key:
			out[key] = o.values[key]
		default:
			aliases = true
		}
	}
	if !aliases {
		return out
	}
	called := map[string]string{}
	for _, key := range o.keys {
		field, ok := known[canonical(key)]
		if _, taken := out[field]; ok && !taken && o.values[key] != nil {
			out[field], called[field] = o.values[key], key
			r.repaired(RepairKeyName)
		}
	}
	if len(called) > 0 {
		out[spelling] = called
	}
	return out
}

// unnest parses a text that holds an array or object of JSON, or a list, tuple or dict of
// Python; other values, and texts that are neither, stay as they are.
func (r *reader) unnest(v any) any {
	for range maxNested {
		s, ok := v.(string)
		if !ok {
			break
		}
		s = strings.TrimSpace(s)
		if s == "" || !strings.ContainsRune("[{(\"", rune(s[0])) {
			break
		}
		inner, err := parse(s)
		if err != nil {
			if s[0] == '"' {
				break
			}
			if inner, ok = python(s); !ok {
				break
			}
		}
		r.repaired(RepairNestedJSON)
		v = inner
	}
	return v
}

// trim takes white space off the ends.
func (r *reader) trim(s string) string {
	t := strings.TrimSpace(s)
	if t != "" && len(t) < len(s) {
		r.repaired(RepairWhiteSpace)
	}
	return t
}

// shown makes a text fit to be read by a person.
func (r *reader) shown(s string) string {
	c := tools.Clean(s)
	if len(c) < len(s) {
		r.repaired(RepairCharacters)
	}
	return r.trim(c)
}

// cosmetic reads a text that helps but decides nothing: cut where it is too long,
// left out where it is blank.
func (r *reader) cosmetic(path string, v any, limit int) string {
	var s string
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		s = r.shown(v)
	case json.Number, bool:
		s = scalar(v)
		r.repaired(RepairText)
	default:
		r.refuse(ReasonWrongKind, path, " must be a text: send a JSON string or leave it out.")
		return ""
	}
	if tools.Blank(s) {
		return ""
	}
	if short := cut(s, limit); len(short) < len(s) {
		r.repaired(RepairCut)
		return strings.TrimSpace(short)
	}
	return s
}

// boolean reads true and false.
func (r *reader) boolean(path string, v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string, json.Number:
		switch strings.ToLower(strings.TrimSpace(scalar(v))) {
		case "true", "yes", "1":
			r.repaired(RepairBoolean)
			return true
		case "false", "no", "0", "":
			r.repaired(RepairBoolean)
			return false
		}
	}
	r.refuse(ReasonWrongKind, path, " must be true or false.")
	return false
}

// scalar is a string, number or boolean as text.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return ""
}

// inputType reads the type; ok is false where it is refused. Without one the
// options decide. multiple is the flag of systems that have no multiselect type.
func (r *reader) inputType(path string, v any, options, multiple bool) (kind tools.InputType, integer, ok bool) {
	if s, isText := v.(string); isText && tools.Blank(s) {
		v = nil
	}
	switch word := v.(type) {
	case nil:
		r.repaired(RepairTypeMissing)
		if kind = tools.Text; options {
			kind = tools.Select
		}
	case string:
		c := canonical(strings.TrimSpace(word))
		known, found := typeWords[c]
		if !found {
			r.refuse(ReasonUnknownType, path, " is %s, which is no input type: use text, select, multiselect, confirm, number or date.", quoted(word))
			return "", false, false
		}
		if kind = tools.InputType(known); kind == tools.File && r.limits.MaxFile <= 0 {
			r.refuse(ReasonNoFiles, path, " is %s, and files cannot be taken here: ask for a text with what matters of it.", quoted(word))
			return "", false, false
		}
		if known != word {
			r.repaired(RepairTypeWord)
		}
		integer = slices.Contains(strings.Fields(integerWords), c)
	default:
		r.refuse(ReasonWrongKind, path, " must be a text: one of text, select, multiselect, confirm, number or date.")
		return "", false, false
	}
	if multiple && kind == tools.Select {
		r.repaired(RepairTypeWord)
		kind = tools.Multiselect
	}
	return kind, integer, true
}
