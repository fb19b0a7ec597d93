package notify

import (
	"encoding/json"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
)

// LinkPath is where the API takes answers by link. The sealed link follows it.
const LinkPath = "/answer/"

// linkLasts is how long a link to a question that never expires is valid.
const linkLasts = 7 * 24 * time.Hour

// purpose keeps a link from being taken for anything else that the secret seals.
const purpose = "askgate answer link"

// Link says who may answer which question by a link, and until when.
type Link struct {
	ClarificationID string `json:"c"`
	Tenant          string `json:"t"`
	Subject         string `json:"s"`
	Expires         int64  `json:"e"` // Unix seconds
}

// Expired reports whether the link's time is over.
func (l Link) Expired(now time.Time) bool { return now.Unix() >= l.Expires }

// Of reports whether the link is for this question and the person who is asked.
func (l Link) Of(c *chat.Clarification) bool {
	return l.ClarificationID == c.ID && l.Tenant == c.Tenant && l.Subject == c.Subject && c.For == ""
}

// SealLink makes the link of a question for its person, sealed with the session's secret. It returns
// "" without a secret.
func SealLink(s *config.Session, c *chat.Clarification) string {
	if s.Secret == "" {
		return ""
	}
	expires := c.ExpiresAt
	if expires.IsZero() {
		expires = c.AskedAt.Add(linkLasts)
	}
	data, err := json.Marshal(Link{c.ID, c.Tenant, c.Subject, expires.Unix()})
	if err != nil { // never happens: texts marshal
		panic(err)
	}
	sealed, err := boxes(s).Seal(data)
	if err != nil { // only for a key that is too long
		panic("notify: " + err.Error())
	}
	return sealed
}

func boxes(s *config.Session) *seal.Boxes {
	return seal.NewBoxes(purpose, func() seal.Secrets { return seal.Secrets{Own: s.Secret, Others: s.OtherSecrets} })
}

// OpenLink opens a link. ok is false if none of the session's secrets has sealed it.
func OpenLink(s *config.Session, sealed string) (l Link, ok bool) {
	data, ok := boxes(s).Open(sealed)
	return l, ok && json.Unmarshal(data, &l) == nil
}
