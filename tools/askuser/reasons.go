package askuser

// The reasons of a refusal, tools.Error.Reason. Besides these there is
// "pattern_" + the reason of a pattern.Refusal.
const (
	ReasonTooLarge           = "too_large"           // bytes of arguments
	ReasonTooDeep            = "too_deep"            // nesting of arguments
	ReasonEncoding           = "encoding"            // UTF-8, U+0000, half a surrogate pair, control characters in a value
	ReasonDuplicateName      = "duplicate_name"      // in one object
	ReasonNotObject          = "not_object"          // no JSON, or no object
	ReasonWrongKind          = "wrong_kind"          // a field of the wrong JSON type
	ReasonBlankQuestion      = "blank_question"      // or none
	ReasonTooLong            = "too_long"            // question, label, value or pattern
	ReasonUnknownType        = "unknown_type"        // input_type
	ReasonNoOptions          = "no_options"          // select or multiselect
	ReasonTooManyOptions     = "too_many_options"    //
	ReasonTooManyQuestions   = "too_many_questions"  //
	ReasonBadLabel           = "bad_label"           // blank or no text
	ReasonDuplicateOption    = "duplicate_option"    // label or value, or they look alike
	ReasonSeveralRecommended = "several_recommended" // on a single choice
	ReasonBadRange           = "bad_range"           // min, max
	ReasonSecret             = "secret"              // asked for
	ReasonUnknownFormat      = "unknown_format"      // of a text
	ReasonBadDefault         = "bad_default"         // does not answer the question; of a template or program
	ReasonBadCondition       = "bad_condition"       // when: no earlier question, or none of its values
	ReasonOptionLists        = "option_lists"        // two that differ, labels that do not fit the values, or options of no question
	ReasonOptionsType        = "options_type"        // options beside an input type that has none, or beside a rule that a choice cannot keep
	ReasonNoFiles            = "no_files"            // they are not kept here
	ReasonAccept             = "accept"              // no type of file, or too many
	ReasonUnknownTemplate    = "unknown_template"
	ReasonTemplateValue      = "template_value" // missing, or too long
	ReasonBadExpiry          = "bad_expiry"     // no length of time
	reasonPatternPrefix      = "pattern_"       // and pattern.Reason
)
