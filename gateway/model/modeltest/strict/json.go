package strict

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// node is a JSON object. Numbers in it are json.Number.
type node = map[string]any

func decode(raw []byte) (node, error) {
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("the body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	n, ok := v.(node)
	if !ok {
		return nil, errNoObject
	}
	return n, nil
}

// parse is like decode, for JSON that this package writes.
func parse(raw string) any {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("strict: %v in %s", err, raw))
	}
	return v
}

// canon returns a value as JSON, with the members of objects in order.
func canon(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func obj(v any) node { n, _ := v.(node); return n }

func list(v any) []any { l, _ := v.([]any); return l }

func str(v any) string { s, _ := v.(string); return s }

func objs(v any) []node {
	var all []node
	for _, item := range list(v) {
		all = append(all, obj(item))
	}
	return all
}

// number returns a JSON number as an integer; 0 for anything else.
func number(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}

// isObject reports whether a text is one JSON object.
func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid([]byte(s))
}

// readAs reports whether arguments may be a client's reading of those that the server wrote: the
// same value, or any value if these are not an object.
func readAs(arguments, wrote string) bool {
	return sameJSON(arguments, wrote) || !isObject(wrote)
}

// sameJSON reports whether two texts are the same value, however they are written.
func sameJSON(a, b string) bool {
	read := func(s string) (any, bool) {
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		var v any
		err := d.Decode(&v)
		return v, err == nil
	}
	va, ok := read(a)
	vb, okB := read(b)
	return ok && okB && same(va, vb)
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }

// unknown returns the first member of n, by name, that is not among known (words between spaces).
func unknown(n node, known string) string {
	names := strings.Fields(known)
	for _, k := range slices.Sorted(maps.Keys(n)) {
		if !slices.Contains(names, k) {
			return k
		}
	}
	return ""
}

// without returns a copy of v without a member, at any depth.
func without(v any, name string) any {
	switch v := v.(type) {
	case node:
		c := node{}
		for k, m := range v {
			if k != name {
				c[k] = without(m, name)
			}
		}
		return c
	case []any:
		c := make([]any, 0, len(v))
		for _, m := range v {
			c = append(c, without(m, name))
		}
		return c
	}
	return v
}

// opaque returns an unguessable text, n random bytes in base64.
func opaque(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return base64.StdEncoding.EncodeToString(b)
}

// random returns an unguessable text of n letters and digits.
func random(n int) string {
	const from = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, n)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = from[int(b[i])%len(from)]
	}
	return string(b)
}

// split cuts a text into up to three pieces, between code points.
func split(s string) []string {
	r := []rune(s)
	if len(r) < 3 {
		return []string{s}
	}
	a, b := len(r)/3, 2*len(r)/3
	return []string{string(r[:a]), string(r[a:b]), string(r[b:])}
}
