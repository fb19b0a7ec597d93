package config

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/askgate/askgate/tools/placeholder"
)

// unheld returns the warning about a role that no API key has, or "" if a key has it or if roles do
// not come from keys alone. It is not a fault: an admin may take a role from everyone for a while.
func (a *Auth) unheld(role string) string {
	if a.Mode != AuthAPIKeys || len(a.Keys) == 0 { // without keys, another warning says that
		return ""
	}
	var known []string
	for i := range a.Keys {
		known = append(known, a.Keys[i].Roles...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	switch {
	case slices.Contains(known, role):
		return ""
	case len(known) == 0:
		return fmt.Sprintf(`no API key has the role %q; add it to "roles" of a key`, role)
	}
	return fmt.Sprintf("no API key has the role %q; %s", role, Suggest(role, known))
}

// unheldRoles warns about roles in "auth" that no key has: in mayAsk, and as names in "roles".
func (a *Auth) unheldRoles(n Value) {
	mayAsk := func(holder Value) {
		items, is := holder.items("mayAsk")
		for i := 0; is && i < len(items); i++ {
			role, named := strings.CutPrefix(literal(items[i].v), AskRole)
			if why := a.unheld(role); named && why != "" {
				items[i].Warn("%s", why)
			}
		}
	}
	keys, _ := n.items("keys")
	for _, key := range keys {
		mayAsk(key)
	}
	if roles := n.Key("roles"); roles.Given() && roles.kind() == "an object" {
		list, _ := roles.Members()
		for _, role := range list {
			if why := a.unheld(role.Key); why != "" {
				role.Name.Warn("%s", why)
				continue
			}
			mayAsk(role.Value)
		}
	}
}

// items returns the values of the list under a key of an object. is is false if there is none.
func (n Value) items(key string) (items []Value, is bool) {
	list := n.Key(key)
	if !list.Given() || list.kind() != "a list" { // another check reports that
		return nil, false
	}
	return list.List(math.MaxInt, tooMany)
}

// approvers warns about a role that must approve calls but that no caller has, or too few have.
func (r *gatewayReader) approvers(a ask) {
	if a.by == "" || !r.judged() {
		return
	}
	for _, s := range a.later.steps {
		if why := r.conf.Auth.unheld(s.Role); why != "" && r.roleless() == "" {
			s.role.Warn("%s", why)
		}
	}
	at := a.role
	if !at.Given() {
		at = a.quorum
	}
	if !at.Given() {
		return
	}
	if why := r.roleless(); why != "" {
		at.Warn("callers have no roles, so no one can approve these calls; %s", why)
	} else if why := r.conf.Auth.unheld(a.by); why != "" {
		at.Warn("%s", why)
	} else if why := r.conf.Auth.fewer(a.by, a.of); why != "" {
		if a.quorum.Given() {
			at = a.quorum
		}
		at.Warn("%s", why)
	}
}

// fewer returns the warning about a tenant in which API keys give a role to fewer people than must
// allow a call, or "". A key that may act for others can be any number of people.
func (a *Auth) fewer(role string, quorum int) string {
	if a.Mode != AuthAPIKeys || quorum == 0 {
		return ""
	}
	holders, many := map[string]map[string]bool{}, map[string]bool{} // subjects by tenant
	for i := range a.Keys {
		k := &a.Keys[i]
		if holders[k.Tenant] == nil {
			holders[k.Tenant] = map[string]bool{}
		}
		if slices.Contains(k.Roles, role) {
			holders[k.Tenant][k.Subject] = true
			many[k.Tenant] = many[k.Tenant] || k.MayActAs
		}
	}
	for _, tenant := range slices.Sorted(maps.Keys(holders)) {
		if n := len(holders[tenant]); n < quorum && !many[tenant] {
			return fmt.Sprintf("in the tenant %q, API keys give the role %q to %d of the %d people who must allow these calls, so no call there is made; give it to more people, or lower \"quorum\"", tenant, role, n, quorum)
		}
	}
	return ""
}

// roleless returns how to give callers roles if the mode gives them none, else "".
func (r *gatewayReader) roleless() string {
	auth := &r.conf.Auth
	switch {
	case auth.Mode == AuthNone:
		return `auth.mode is "none": set up API keys in gateway.json`
	case auth.Mode == AuthJWT && auth.JWT.Claims.Roles == "":
		return "name the claim that holds them in auth.jwt.claims.roles of gateway.json"
	case auth.Mode == AuthProxy && auth.Proxy.Headers.Roles == "":
		return "name the header that holds them in auth.proxy.headers.roles of gateway.json"
	}
	return ""
}

// callers checks that callers have what the placeholders of an entry stand for. base is the entry that
// it overrides; what it leaves unchanged is checked there.
func (r *gatewayReader) callers(n Value, t, base *Tool) {
	if !r.judged() {
		return
	}
	mode, warned, lost := r.conf.Auth.Mode, false, false
	for _, name := range t.Placeholders() {
		at := n.having("{" + name + "}")
		switch own := n.Key(t.Type); {
		case at.Given():
		case base != nil && !own.Given():
			continue
		default: // in the value of a variable
			at = n
		}
		switch {
		case mode != AuthJWT && len(placeholder.ClaimsOf([]string{name})) > 0:
			at.Fault(`{%s} requires "mode": "jwt" in "auth" of gateway.json, because callers have no tokens in mode %q; use {caller.subject} or {caller.tenant}, or change the mode`, name, mode)
		case mode == AuthNone && strings.HasPrefix(name, "caller.") && !warned:
			at.Warn(`{%s} is the same for everyone, because auth.mode is "none"; set up API keys or tokens in gateway.json`, name)
			warned = true
		case len(placeholder.ClaimsOf([]string{name})) > 0 && r.conf.Auth.Session.Secret == "" && !lost:
			at.Warn(`{%s} is lost to a turn that continues after a restart or on another node, because claims are sealed and there is no secret; set auth.session.secret, the same on all nodes`, name)
			lost = true
		}
	}
}

// having returns the first string within n that contains a text, or else one that is not Given.
func (n Value) having(text string) Value {
	for v := range n.v.All() {
		if strings.Contains(literal(v), text) {
			return n.child(v)
		}
	}
	return Value{}
}
