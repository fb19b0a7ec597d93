package report

// Fewest is how many answers advice is given from: with thirty, a share of one half is known to
// some 18 points, and one of 95 % to some 8; with three, nothing is.
const Fewest = 30

// The shares, in percent, from which on there is something to do.
const (
	// If half of those asked say no, it is not just the mood of a few.
	unwantedFrom = 50
	// Two of ten people: an option is missing, rather than one person having a special wish.
	missedFrom = 20
	// One of twenty may still want something else: a default leaves them the choice, while all
	// others have nothing to choose.
	settledFrom = 95
)

// Advice is what to do about a question.
type Advice struct {
	ID      string // of the text
	Percent int    // what it names, rounded down
}

// Advise says what to do about a question, nil for nothing: the first that holds, of not asking
// it, fixing its options, remembering its answer and giving it a default.
func Advise(c *Counts) *Advice {
	refused := c.Skipped + c.Declined
	for _, rule := range []struct {
		id        string
		count, of int
		from      int
	}{
		{"report.unwanted", refused, c.Answered + refused, unwantedFrom},
		{"report.missed", c.Other, c.Answered, missedFrom},
		{"report.repeated", c.Again.Same, c.Again.Same + c.Again.Other, settledFrom},
		{"report.recommended", c.Recommended, c.Offered, settledFrom},
	} {
		if rule.of >= Fewest && rule.count*100 >= rule.of*rule.from {
			return &Advice{ID: rule.id, Percent: rule.count * 100 / rule.of}
		}
	}
	return nil
}
