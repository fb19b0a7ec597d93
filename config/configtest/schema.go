package configtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askgate/askgate/config"
)

// property is what Schema looks at of a key's schema. Bounds of lengths of time are not
// JSON Schema's: they stand in the description, like "10ms to 10m".
type property struct {
	Description string
	Ref         string `json:"$ref"`
	Enum        []any
	Default     any
	Minimum     *int
	Maximum     *int
	MaxItems    int
}

var lengths = regexp.MustCompile(`(\d[0-9a-z]*) to (\d[0-9a-z]*)`)

// Schema tests that a type reads the keys of its schema and no others, within the same
// bounds, and with the same defaults. bases are the members, like `"url": "http://h"`,
// beside which keys are tried: what the schema takes, the type takes beside one of them,
// and what the schema refuses, it refuses beside all.
func Schema(t *testing.T, typ config.ToolType, bases ...string) {
	t.Helper()
	raw, err := config.Schema("tools", []config.ToolType{typ})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.CompileSchema(raw); err != nil {
		t.Error(err)
	}
	var schema struct{ Properties map[string]property }
	if err := json.Unmarshal(typ.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir() // the same for all, so that paths are alike
	own := func(members string) (any, error) {
		Tools(fmt.Sprintf(`{"id": "x", "type": %q, %q: {%s}}`, typ.Name, typ.Name, members)).Write(t, dir)
		s, err := config.Load(config.Options{Dir: dir, Env: Env(nil).Lookup, Tools: []config.ToolType{typ}})
		if err != nil {
			return nil, err
		}
		entry, _ := s.Tool("", "x")
		return entry.Own, nil
	}
	for _, base := range bases {
		if _, err := own(base); err != nil {
			t.Fatalf("%s: %v", base, err)
		}
	}
	sameKeys(t, typ, slices.Sorted(maps.Keys(schema.Properties)), bases[0])
	try := func(key, value string, good bool) {
		t.Helper()
		taken := slices.ContainsFunc(bases, func(base string) bool {
			_, err := own(joined(base, fmt.Sprintf("%q: %s", key, value)))
			return err == nil
		})
		if taken != good {
			t.Errorf("%s: %s: the schema says %v, the type %v", key, value, good, taken)
		}
	}
	for key, p := range schema.Properties {
		for _, v := range p.Enum {
			try(key, encoded(v), true)
		}
		if len(p.Enum) > 0 {
			try(key, `"no such word"`, false)
		}
		if p.Minimum != nil && p.Maximum != nil {
			for n, good := range map[int]bool{*p.Minimum: true, *p.Minimum - 1: false, *p.Maximum: true, *p.Maximum + 1: false} {
				try(key, fmt.Sprint(n), good)
			}
		}
		if p.MaxItems > 0 {
			try(key, list(p.MaxItems), true)
			try(key, list(p.MaxItems+1), false)
		}
		if strings.HasSuffix(p.Ref, "/duration") {
			bounds := lengths.FindStringSubmatch(p.Description)
			if bounds == nil {
				t.Fatalf("%s: the description says no bounds, like 10ms to 10m", key)
			}
			lo, errLo := config.ParseDuration(bounds[1])
			hi, errHi := config.ParseDuration(bounds[2])
			if errLo != nil || errHi != nil {
				t.Fatal(key, errLo, errHi)
			}
			for d, good := range map[time.Duration]bool{lo.Std(): true, lo.Std() - 1: false, hi.Std(): true, hi.Std() + 1: false} {
				try(key, fmt.Sprintf("%q", d), good)
			}
		}
		if p.Default != nil {
			sameDefault(t, own, bases, key, encoded(p.Default))
		}
	}
}

// sameKeys compares the schema's keys with those that a fault says are known.
func sameKeys(t *testing.T, typ config.ToolType, want []string, base string) {
	t.Helper()
	const none = "no key is like this one"
	_, err := Load(t, Tools(fmt.Sprintf(`{"id": "x", "type": %q, %q: {%s}}`, typ.Name, typ.Name, joined(base, fmt.Sprintf("%q: 1", none)))), nil, typ)
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != 1 {
		t.Fatalf("want one fault, got %v", err)
	}
	_, known, _ := strings.Cut(faults[0].Message, "known: ")
	if got := strings.Split(known, ", "); !slices.Equal(got, want) {
		t.Errorf("the type knows %v, its schema %v", got, want)
	}
}

// sameDefault sees that a key makes no difference where it says the default.
func sameDefault(t *testing.T, own func(string) (any, error), bases []string, key, value string) {
	t.Helper()
	for _, base := range bases {
		without, _ := own(base)
		with, err := own(joined(base, fmt.Sprintf("%q: %s", key, value)))
		if err == nil && reflect.DeepEqual(with, without) {
			return
		}
	}
	t.Errorf("%s: %s is not the default", key, value)
}

func list(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`"i%d"`, i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func encoded(v any) string {
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(v) // it was decoded
	return b.String()
}

// joined is a member beside others, of which there may be none.
func joined(base, member string) string {
	if base == "" {
		return member
	}
	return base + ", " + member
}
