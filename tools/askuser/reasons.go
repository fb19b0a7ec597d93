package askuser

// The reasons of a refusal (tools.Error.Reason). A refused pattern has
// "pattern_" + the Reason of its pattern.Refusal.
const (
	ReasonTooLarge           = "too_large"           // bytes of arguments
	ReasonTooDeep            = "too_deep"            // nesting of arguments
	ReasonEncoding           = "encoding"            // UTF-8, U+0000, half a surrogate pair, control characters in a value
	ReasonDuplicateName      = "duplicate_name"      // in one object
	ReasonNotObject          = "not_object"          // not JSON, or not an object
	ReasonWrongKind          = "wrong_kind"          // a field of the wrong JSON type
	ReasonBlankQuestion      = "blank_question"      // or missing
	ReasonTooLong            = "too_long"            // question, label, value or pattern
	ReasonUnknownType        = "unknown_type"        // input_type
	ReasonNoOptions          = "no_options"          // select or multiselect
	ReasonTooManyOptions     = "too_many_options"    //
	ReasonTooManyQuestions   = "too_many_questions"  //
	ReasonBadLabel           = "bad_label"           // blank or not a text
	ReasonDuplicateOption    = "duplicate_option"    // label or value, or they look alike
	ReasonSeveralRecommended = "several_recommended" // in a select
	ReasonBadRange           = "bad_range"           // min, max
	ReasonSecret             = "secret"              // the question asks for one
	ReasonUnknownFormat      = "unknown_format"      // of a text
	ReasonBadDefault         = "bad_default"         // does not answer the question of a template or program
	ReasonBadCondition       = "bad_condition"       // when: not an earlier question, or not one of its values
	ReasonOptionLists        = "option_lists"        // two that differ, labels that do not match the values, or options outside any question
	ReasonOptionsType        = "options_type"        // options with an input type that has none, or with a rule that a choice cannot have
	ReasonNoFiles            = "no_files"            // files are not stored here
	ReasonAccept             = "accept"              // not a type of file, or too many
	ReasonUnknownTemplate    = "unknown_template"
	ReasonTemplateValue      = "template_value" // missing, or too long
	ReasonBadExpiry          = "bad_expiry"     // not a duration
	reasonPatternPrefix      = "pattern_"       // followed by a pattern.Reason
)
