package askuser

import (
	"strings"
)

// The kinds of silent repairs (tools.Outcome.Repairs).
const (
	RepairNestedJSON     = "nested_json"      // JSON, or a Python list or dict, inside a JSON string
	RepairKeyName        = "key_name"         // another spelling or name of a field
	RepairTypeWord       = "type_word"        // another word for an input type
	RepairTypeMissing    = "type_missing"     // no input type: the options decide
	RepairTypeOptions    = "type_options"     // options with text, number, date or confirm: a choice
	RepairQuestionsShape = "questions_shape"  // questions as one object, as texts, or next to a question
	RepairOptionShape    = "option_shape"     // options as texts, one object, a map, or separate values and labels
	RepairOptionValue    = "option_value"     // a number or boolean as an option's value
	RepairBoolean        = "boolean"          // a text or number in place of a boolean
	RepairNumber         = "number"           // a text in place of a number
	RepairText           = "text"             // a number or boolean in place of a cosmetic text
	RepairWhiteSpace     = "white_space"      // around a text
	RepairCut            = "cut"              // a cosmetic text over its limit
	RepairCharacters     = "characters"       // control characters, overrides of direction
	RepairValidation     = "validation_place" // min, max or pattern outside validation
	RepairMaxLowered     = "max_lowered"      // a text's max above the answer limit
	RepairDropped        = "dropped"          // a field that does not apply to this input type
	RepairOtherOption    = "other_option"     // an option "Other" with allow_other
	RepairKey            = "key"              // not a text, too long, or invalid characters
	RepairID             = "id"               // not a text, too long, unprintable, or used by another question
	RepairFormat         = "format"           // another word for a format
	RepairCondition      = "condition"        // a condition in another shape, or a label in place of a value
)

// canonical returns a key or type word without case and separators, so that snake_case,
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

// The names of fields that several files use.
const (
	fieldID      = "id"
	fieldKey     = "key"
	fieldAgain   = "again"
	fieldWhen    = "when"
	fieldExpiry  = "expiresIn"
	fieldFormat  = "format"
	fieldOptions = "options"
	fieldDefault = "default"
	// fieldLists is the entry of a question's fields with all its lists of options, as
	// []optionsAt. No real field has this name.
	fieldLists = "lists of options"
	fieldScale = "scale"
)

// The fields of docs/protocol.md and their names in other systems, in canonical spelling.
// "multiple" and "required" are not in docs/protocol.md: they mean input_type multiselect
// and the opposite of allow_skip.
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
		fieldScale:    "scalelabels scaleends endlabels",
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

// templateFields are the fields of a call that names a template.
var templateFields = map[string]string{
	"template": "templatename templateid usetemplate",
	"values":   "templatevalues variables params parameters placeholders arguments args",
}

var templatedNames = names(partAliases, validationFields, templateFields)

// names turns tables of aliases into one map from canonical key to field.
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

const integerWords = "integer int wholenumber"
