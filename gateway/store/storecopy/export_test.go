package storecopy

// WithSteps returns options whose batches have so many rows, and which call reach before and after
// everything that changes a store.
func WithSteps(o Options, rows int, reach func(step string)) Options {
	o.rows, o.reach = rows, reach
	return o
}

// Tables returns the keys of the tables that are copied, and the tables that are not.
func Tables() (keys map[string][]string, not []string) {
	keys = map[string][]string{}
	for _, t := range tables {
		keys[t.name] = t.key
	}
	return keys, left
}
