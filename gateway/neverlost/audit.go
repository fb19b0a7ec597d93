package main

import (
	"fmt"
	"strings"

	"github.com/askgate/askgate/gateway/model/modeltest"
)

// audit looks at all that a model was sent: nothing that a strict provider would
// refuse, no call whose result changed from one request to the next (it would have
// run twice), and no chat whose past changed.
func audit(requests []modeltest.Request) error {
	results := map[string]string{} // by chat and call
	for n, r := range requests {
		if len(r.Violations) > 0 {
			return fmt.Errorf("model request %d: %s", n, strings.Join(r.Violations, "; "))
		}
		chat := ""
		for _, m := range r.Body.Messages {
			switch {
			case m.Role == "user" && chat == "":
				chat = m.Text()
			case m.Role == "tool":
				key := chat + "\x00" + m.ToolCallID
				if before, ok := results[key]; ok && before != m.Text() {
					return fmt.Errorf("model request %d: the result of %s is %q, and was %q", n, m.ToolCallID, m.Text(), before)
				}
				results[key] = m.Text()
			}
		}
	}
	return nil
}
