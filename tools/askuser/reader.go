package askuser

import "time"

// terms are the limits and words for reading questions, and who asks them.
type terms struct {
	limits    Limits
	words     Words
	language  string
	templates []Template
	listed    bool // a tool lists the options
	admins    bool // an admin wrote the question: a template
	exact     bool // a program or an admin asks: input types are not changed
}

// reader turns parsed arguments into parts and collects repairs and faults.
type reader struct {
	*terms
	*findings
	options optionReader
	rules   ruleReader
	whens   whenReader
	ids     map[string]bool
	values  []string      // see tools.Question.Values
	again   bool          // ask even if there is an answer already
	expires time.Duration // 0: not set
}

func newReader(t terms) *reader {
	f := &findings{}
	return &reader{terms: &t, findings: f, options: optionReader{&t, f}, rules: ruleReader{&t, f}, whens: whenReader{findings: f}}
}

// optionReader reads the options of a question.
type optionReader struct {
	*terms
	*findings
}

// ruleReader reads the rules for answers.
type ruleReader struct {
	*terms
	*findings
}

// whenReader reads the conditions of questions, after all questions are read.
type whenReader struct {
	*findings
	unread map[int]any // by part
}
