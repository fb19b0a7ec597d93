package pattern

import (
	"fmt"
	"unicode/utf8"
)

// Check decides whether source may be sent to a browser as a question's validation pattern, for answers of at most
// maxLength code points. flags is "u", or "" if source is valid only without u. err is a *Refusal. The verdict depends
// only on the arguments.
func Check(source string, maxLength int) (flags string, err error) {
	return CheckRange(source, 0, maxLength)
}

// CheckRange is like Check, for answers of at least minLength code points; 1 excludes empty and blank ones.
func CheckRange(source string, minLength, maxLength int) (flags string, err error) {
	if n := utf8.RuneCountInString(source); n > maxSource {
		return "", &Refusal{Reason: ReasonTooLong, Detail: fmt.Sprintf("it has %d characters, the limit is %d", n, maxSource)}
	}
	if !utf8.ValidString(source) {
		return "", &Refusal{Reason: ReasonSyntax, Detail: "it is not valid UTF-8"}
	}
	t, refusal := parse(source, true)
	if refusal != nil {
		withU := refusal
		if t, refusal = parse(source, false); refusal != nil {
			if refusal.Reason == ReasonSyntax || withU.named {
				refusal = withU
			}
			return "", refusal
		}
	} else {
		flags = "u"
	}
	if refusal := impossible(t, minLength, maxLength); refusal != nil {
		return "", refusal
	}
	if refusal := judge(t, maxLength); refusal != nil {
		return "", refusal
	}
	return flags, nil
}
