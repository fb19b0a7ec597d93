package askuser

import "time"

// terms are what questions may be like, and for whom they are read.
type terms struct {
	limits    Limits
	words     Words
	language  string
	templates []Template
	listed    bool // a tool lists the options
	admins    bool // the words are an admin's: a template's
	exact     bool // a program or an admin asks: an input type stays what it is
}

// reader turns parsed arguments into parts, noting repairs and faults.
type reader struct {
	*terms
	*findings
	options optionReader
	rules   ruleReader
	whens   whenReader
	ids     map[string]bool
	values  []string      // what templates were filled with, see tools.Question
	again   bool          // the question is asked though it has an answer
	expires time.Duration // 0: nothing says so
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

// ruleReader reads what an answer must be like.
type ruleReader struct {
	*terms
	*findings
}

// whenReader reads the conditions of questions, once all of them are read.
type whenReader struct {
	*findings
	unread map[int]any // by part
}
