package pattern

// Reason is the reason why a pattern is refused. The set is closed.
type Reason string

// The reasons of a Refusal.
const (
	ReasonSyntax      Reason = "syntax"      // not valid JavaScript, with or without u
	ReasonUnsupported Reason = "unsupported" // valid somewhere, but different between browsers, or between browser and server
	ReasonImpossible  Reason = "impossible"  // no answer of an allowed length can match
	ReasonTooLong     Reason = "too_long"    // too long to be analysed
	ReasonUnsafe      Reason = "unsafe"      // an answer can make a browser backtrack for a long time
	ReasonTooComplex  Reason = "too_complex" // no verdict within the limits of the analysis
)

// Refusal is the error for a pattern that may not be sent to a browser.
type Refusal struct {
	Reason Reason
	Detail string // what is wrong, where, and how to fix it; without a final full stop

	named bool // unknown name of a property: an error in both grammars
}

// Error returns one English sentence for a language model.
func (r *Refusal) Error() string {
	switch r.Reason {
	case ReasonSyntax:
		return "The pattern is not a valid JavaScript regular expression: " + r.Detail + "."
	case ReasonUnsupported:
		return "The pattern cannot be used: " + r.Detail + "."
	case ReasonImpossible:
		return "The pattern can never match: " + r.Detail + "."
	case ReasonUnsafe:
		return "The pattern is unsafe: " + r.Detail + "."
	}
	return "The pattern is refused: " + r.Detail + "."
}
