package config

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (n node) httpTool(urlAt *node) *HTTPTool {
	h := &HTTPTool{Method: "GET", Timeout: defaultHTTPTimeout}
	ok := n.object(keys{
		"method": func(n node) { n.oneOf(&h.Method, "HTTP method", "GET", "POST", "PUT", "PATCH", "DELETE") },
		"url": func(n node) {
			*urlAt = n
			n.filled(&h.URL)
		},
		"headers":      func(n node) { h.Headers, h.Secrets = n.headers() },
		"timeout":      func(n node) { n.duration(&h.Timeout, 10*time.Millisecond, maxToolTimeout, "") },
		"allowPrivate": func(n node) { n.boolean(&h.AllowPrivate) },
	}, nil)
	if ok && urlAt.v == nil {
		n.fault(`"url" is missing; write it like "https://terms.example.org/v1/{term}"`)
	}
	return h
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// connectionHeaders belong to the connection, not to an admin.
var connectionHeaders = map[string]bool{"host": true, "connection": true, "content-length": true, "transfer-encoding": true}

// headers reads headers by name; secrets are the values that came from the environment.
func (n node) headers() (headers map[string]string, secrets []string) {
	list, _ := n.members()
	headers = make(map[string]string, len(list))
	for _, m := range list {
		switch {
		case !headerName.MatchString(m.key):
			m.name.fault("%s is no name of an HTTP header; use letters, digits and dashes", m.name.raw())
			continue
		case connectionHeaders[strings.ToLower(m.key)]:
			m.name.fault("%s is set by the gateway itself; remove it", m.name.raw())
			continue
		}
		var value string
		m.header(&value)
		headers[m.key] = value
		if variable.MatchString(literal(m.v)) {
			secrets = append(secrets, value)
		}
	}
	return headers, secrets
}

var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`)

// placeholders checks the address of an http tool (contract section 3): {name}
// in path and query only, each naming a parameter.
func (n node) placeholders(t *Tool) {
	scheme, rest, ok := strings.Cut(t.HTTP.URL, "://")
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	switch {
	case strings.ContainsAny(scheme+host, "{}"):
		n.fault("a placeholder stands in scheme or host; use {name} in path and query only")
		return
	case !ok || (scheme != "http" && scheme != "https") || host == "":
		n.fault(`%s is no address; write it like "https://terms.example.org/v1/{term}"`, n.raw())
		return
	case strings.Contains(host, "@"):
		n.fault(`a user stands in the address; remove it, and write "headers": {"Authorization": "$NAME"}`)
		return
	case strings.Contains(tail, "#"):
		n.fault("an address to call has no #; remove it")
		return
	}
	if wrong := hostFault(host); wrong != "" {
		n.fault("%s", wrong)
		return
	}
	bare := placeholder.ReplaceAllString(tail, "x")
	if strings.ContainsAny(bare, "{}") {
		n.fault("a brace does not belong to a placeholder; write {name}, or %%7B and %%7D for the characters themselves")
		return
	}
	if _, err := url.Parse(scheme + "://" + host + bare); err != nil || !addressable.MatchString(bare) {
		n.fault(`%s is no address; percent-encode what is special`, n.raw())
		return
	}
	path, query, _ := strings.Cut(tail, "?")
	for _, pair := range strings.Split(query, "&") {
		if key, _, _ := strings.Cut(pair, "="); strings.Contains(key, "{") {
			n.fault("a placeholder of the query stands for a value; write key={name}")
			return
		}
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(t.Parameters, &schema) // other faults of it are found elsewhere
	names := make([]string, 0, len(schema.Properties))
	for name := range schema.Properties {
		names = append(names, name)
	}
	for _, m := range placeholder.FindAllStringSubmatch(tail, -1) {
		if _, ok := schema.Properties[m[1]]; !ok {
			n.fault("the placeholder {%s} names no parameter; add it to the properties of \"parameters\", or: %s", m[1], mend(m[1], names))
		}
	}
	for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
		if _, ok := schema.Properties[m[1]]; ok && !slices.Contains(schema.Required, m[1]) {
			n.warn("there is no address without {%s}; name it under \"required\" of \"parameters\", so that the model knows", m[1])
		}
	}
}

var (
	// addressable is what may stand in a path and a query as it is (RFC 3986).
	addressable = regexp.MustCompile(`^[A-Za-z0-9._~:/?@!$&'()*+,;=%\[\]-]*$`)
	hostName    = regexp.MustCompile(`^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?$`)
	// numericHost is an IPv4 address to some resolvers and a name to others.
	numericHost = regexp.MustCompile(`(?i)^(.*\.)?([0-9]+|0x[0-9a-f]*)\.?$`)
)

// hostFault says what is wrong with host[:port], "" if nothing.
func hostFault(hostPort string) string {
	u, err := url.Parse("http://" + hostPort)
	if err != nil {
		return "host or port cannot be read; write host or host:port, an IPv6 address in brackets"
	}
	host, port := u.Hostname(), u.Port()
	if n, err := strconv.ParseUint(port, 10, 16); strings.HasSuffix(hostPort, ":") || port != "" && (err != nil || n == 0) {
		return "the port must be a number from 1 to 65535"
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	switch {
	case numericHost.MatchString(host):
		return "the host is no name, and no address that is read alike everywhere; write four decimal numbers without leading zeros, like 127.0.0.1"
	case !hostName.MatchString(host) || len(host) > 254:
		return "the host is no name; use letters, digits, dashes and dots (for other letters the xn-- form), or an IP address"
	}
	return ""
}
