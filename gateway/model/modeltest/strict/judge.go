package strict

import (
	"net/http"
	"slices"
)

// elsewhere lists the rules that depend on an account, a key, a model, or on what a server handed
// out before: Judge skips them.
var elsewhere = []string{
	"address", "key", "model", "stream", "thinking", "effort", "sampling", "temperature", "top_p",
	"thinking comes first", "signatures", "prefix", "encrypted content", "follower",
}

// Judge returns the reason for which every server of this API refuses a request, or "".
func (k *Kind) Judge(r *http.Request, raw []byte) string {
	a := &asked{s: &Server{Kind: k}, r: r}
	var err error
	if a.body, err = decode(raw); err != nil {
		return err.Error()
	}
	a.read()
	for _, rule := range k.rules {
		if slices.Contains(elsewhere, rule.Name) {
			continue
		}
		if no := rule.check(a); no != nil {
			return rule.Name + ": " + no.body
		}
	}
	return ""
}
