package channels

import (
	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/seal"
)

// purpose keeps an address from being taken for anything else that the secret seals.
const purpose = "askgate email address"

// SealAddress seals the address of a person for the store with the session's secret. It returns ""
// without a secret.
func SealAddress(s *config.Session, tenant, subject, email string) string {
	if s.Secret == "" {
		return ""
	}
	box, err := seal.New(s.Secret, purposeOf(tenant, subject))
	if err != nil { // only for a key that is too long
		panic("channels: " + err.Error())
	}
	return box.Seal([]byte(email))
}

// OpenAddress opens what SealAddress sealed for the same person. ok is false if none of the session's
// secrets has sealed it.
func OpenAddress(s *config.Session, tenant, subject, sealed string) (email string, ok bool) {
	for _, secret := range append([]string{s.Secret}, s.OtherSecrets...) {
		if secret == "" { // an empty secret would be replaced by a random one
			continue
		}
		box, err := seal.New(secret, purposeOf(tenant, subject))
		if err != nil {
			continue
		}
		if data, ok := box.Open(sealed); ok {
			return string(data), true
		}
	}
	return "", false
}

func purposeOf(tenant, subject string) string { return purpose + "\x00" + tenant + "\x00" + subject }
