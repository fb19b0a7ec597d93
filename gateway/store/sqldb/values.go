package sqldb

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// scanner reads one row into pointers.
type scanner func(dest ...any) error

// toMillis returns the stored form of a time: milliseconds since 1970, 0 for none.
func toMillis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// toJSON does not escape <, > and &, so that raw values come back byte for byte.
func toJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("store: encoding as JSON: %w", err)
	}
	return b.String(), nil
}

// jsonValue returns the stored form of an optional value: JSON, or null for nil.
func jsonValue[T any](v *T) (any, error) {
	if v == nil {
		return nil, nil
	}
	return toJSON(v)
}
