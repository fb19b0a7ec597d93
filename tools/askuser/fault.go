package askuser

// fault is one reason to refuse arguments.
type fault struct {
	reason string
	text   string         // for the model: field, limit, size, how to correct it
	path   string         // of the field, by the contract's names; "" for the whole
	part   int            // index of the question
	params map[string]any // what the text names
}

func (f *fault) Error() string { return f.text }

// params are what the text of a fault names: Max, a limit, Count, what exceeds it, and Value.
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
