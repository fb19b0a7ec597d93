package config

import (
	"regexp"
	"strconv"

	"github.com/tailscale/hujson"

	"github.com/askgate/askgate/tools"
)

// plainKey is a key that is written in a path as it is.
var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]{0,59}$`)

// keyPath returns the path of the innermost key or list item at an offset of the file, such as
// auth.keys[0].mayAsk[1], or "" for the whole file.
func (s *source) keyPath(at int) (path string) {
	within := func(v *hujson.Value) bool { return v.StartOffset <= at && at < v.EndOffset }
	for v := &s.root; v != nil; {
		var next *hujson.Value
		switch x := v.Value.(type) {
		case *hujson.Object:
			for i := range x.Members {
				m := &x.Members[i]
				if !within(&m.Name) && !within(&m.Value) {
					continue
				}
				switch key := literal(&m.Name); {
				case !plainKey.MatchString(key):
					path += "[" + strconv.Quote(tools.Shorten(tools.Visible(key), maxShown)) + "]"
				case path == "":
					path = key
				default:
					path += "." + key
				}
				next = &m.Value
			}
		case *hujson.Array:
			for i := range x.Elements {
				if within(&x.Elements[i]) {
					path += "[" + strconv.Itoa(i) + "]"
					next = &x.Elements[i]
				}
			}
		}
		v = next
	}
	return path
}
