package pattern

// Reason is why a pattern is refused; the set is closed.
type Reason string

// The reasons of a Refusal.
const (
	ReasonSyntax      Reason = "syntax"      // not valid JavaScript, with or without u
	ReasonUnsupported Reason = "unsupported" // valid somewhere, but not the same in every browser and on the server
	ReasonImpossible  Reason = "impossible"  // no answer of the lengths allowed can match
	ReasonTooLong     Reason = "too_long"    // over the limit of what is analysed at all
	ReasonUnsafe      Reason = "unsafe"      // some answer makes a browser backtrack for long
	ReasonTooComplex  Reason = "too_complex" // no verdict within the bounds of the analysis
)

// Refusal says why a pattern may not be sent to a browser.
type Refusal struct {
	Reason Reason
	Detail string // what is wrong, where, and how to fix it; no final full stop

	named bool // a property has no such name: that goes for both grammars
}

// Error is one English sentence for a language model.
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
