package config

import (
	"net/mail"
	"strings"
)

// Person is someone whom channels tell of questions. What a person may do depends on the caller's
// authentication, not on this.
type Person struct {
	Tenant  string   `json:"tenant"`
	Subject string   `json:"subject"`
	Email   string   `json:"email"`  // in the spelling of the file; unique in the tenant, in any case; empty: none is known
	Locale  string   `json:"locale"` // a language tag; empty: that of the chat
	Roles   []string `json:"roles"`
}

const (
	maxPeople = 10_000
	// maxEmail is the maximum length of an address in bytes (RFC 5321, 4.5.3.1.3: a path of 256 with its
	// angle brackets).
	maxEmail = 254
)

// people returns a function that returns the next item of "people".
func people(list *[]Person) func() Item {
	subjects, addresses := map[string]bool{}, map[string]bool{}
	return func() Item {
		p := &Person{Tenant: defaultTenant, Roles: []string{}}
		return Item{[]Key{
			Matching("tenant", &p.Tenant, plainID, plainIDRule, "the person's tenant"),
			Matching("subject", &p.Subject, plainID, plainIDRule, "the person within the tenant, as authentication gives it").Must("write the subject with which the person calls"),
			String("email", &p.Email, isEmail, "where channels reach the person; unique in the tenant").Unset("the verified address of the person's token, see `auth.jwt.claims.email`"),
			String("locale", &p.Locale, func(n Value, tag string) bool { return n.languageTag(tag) }, "the language in which the person is told, like `de`").Unset("that of the chat"),
			Words("roles", &p.Roles, 100, isRole, "the roles whose questions the person is told of. They give no rights, except for presses in a channel of type `slack`"),
		}, func(n Value, clean bool) {
			id, address := p.Tenant+"\x00"+p.Subject, p.Tenant+"\x00"+strings.ToLower(p.Email)
			switch {
			case !clean:
				return
			case subjects[id]:
				n.Key("subject").Fault("another person of the tenant has the same subject; change or remove one")
			case p.Email != "" && addresses[address]:
				n.Key("email").Fault("another person of the tenant has the same email, which must belong to one person; change or remove one")
			default:
				*list = append(*list, *p)
			}
			subjects[id], addresses[address] = true, true
		}}
	}
}

// isEmail checks that a text is one address without a name.
func isEmail(n Value, text string) bool {
	if wrong := badEmail(text); wrong != "" {
		n.Fault("%s; write one address without a name, like \"alice@example.org\"", wrong)
		return false
	}
	return true
}

func badEmail(text string) string {
	a, err := mail.ParseAddress(text)
	switch {
	case len(text) > maxEmail:
		return "the address is too long: the limit is 254 bytes"
	case err != nil || a.Name != "" || a.Address != text:
		return "not an email address"
	}
	return ""
}

// IsEmail reports whether a text is one email address without a name.
func IsEmail(text string) bool { return badEmail(text) == "" }
