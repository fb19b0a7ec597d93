package tools

import (
	"regexp"
	"sync"
)

// Late returns a regular expression that is compiled when it is first used. It is for those that most
// processes never use: one takes 20 KiB of memory.
func Late(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
