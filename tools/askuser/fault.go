package askuser

// fault is a reason to refuse arguments.
type fault struct {
	reason string
	text   string         // for the model: field, limit, size and how to correct it
	path   string         // of the field, by the names in docs/protocol.md; "" for the arguments as a whole
	part   int            // index of the question
	params map[string]any // the values in the text
}

func (f *fault) Error() string { return f.text }

// params returns the values in the text of a fault: Max is a limit, Count the number that
// exceeds it, and Value the first text.
func params(args []any) map[string]any {
	p := map[string]any{}
	for _, a := range args {
		switch a := a.(type) {
		case int:
			if before, ok := p["Max"]; ok {
				p["Count"] = before
			}
			p["Max"] = a
		case string:
			if _, ok := p["Value"]; !ok {
				p["Value"] = a
			}
		}
	}
	return p
}
