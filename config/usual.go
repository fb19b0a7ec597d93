package config

import (
	"regexp"
	"strings"

	"github.com/askgate/askgate/tools"
)

// The usual mistakes: what can be read, and does not do what it seems to.

var (
	braced = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
	within = regexp.MustCompile(`\$\{?([A-Z_][A-Z0-9_]{2,})\b`)
)

// bracedVariable warns of a variable in braces, which stands for itself.
func (n Node) bracedVariable(text string) {
	if m := braced.FindStringSubmatch(text); m != nil && !n.pure {
		n.Warn(`this is sent as it is; for the variable write "$%s"`, m[1])
	}
}

// embeddedVariable warns of a variable in a longer text, which stands for itself.
func (n Node) embeddedVariable(text string) {
	if m := within.FindStringSubmatch(text); m != nil && !braced.MatchString(text) && !variable.MatchString(text) && !n.pure && !n.FromEnvironment() {
		n.Warn(`a variable is replaced only where it is the whole value, so this is sent as it is; put all of it into the variable %s, and write "$%s"`, m[1], m[1])
	}
}

const (
	endpointChat      = "/chat/completions"
	endpointResponses = "/responses"
)

// endpoints are what clients of model servers append to their base address.
var endpoints = []string{endpointChat, "/completions", endpointResponses, "/messages"}

// endpoint is that at the end of a base address, "" where there is none.
func endpoint(base string) string {
	for _, e := range endpoints {
		if strings.HasSuffix(strings.TrimRight(base, "/"), e) {
			return e
		}
	}
	return ""
}

// noRE2 refuses a pattern, and says what it has that RE2 has not.
func (n Node) noRE2(pattern string) {
	why := "is no regular expression that can be checked here"
	for _, mark := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(pattern, mark) {
			why = "looks ahead or behind by " + mark + "...), which cannot be checked here"
		}
	}
	n.Fault("the pattern %q %s (RE2 syntax); change or remove it", tools.Shorten(pattern, maxShown), why)
}
