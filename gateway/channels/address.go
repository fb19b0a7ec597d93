package channels

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/askgate/askgate/config"
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
)

// Addresses keeps the email addresses that callers' tokens give. It is safe for concurrent use.
type Addresses struct {
	Store Store
	Log   *slog.Logger

	mu   sync.Mutex
	kept map[string]keptAddress // by person
}

type keptAddress struct {
	email string
	at    time.Time
}

const (
	// keepAgain is after how long the same address is stored again: another node may have erased it.
	keepAgain = time.Hour
	// maxKept limits the people whose address is known to be stored. Beyond them, addresses are stored
	// once more.
	maxKept = 10_000
	saving  = 2 * time.Second // a write of the store
)

// Keep stores the address of a caller, sealed, if it is new. Without channels, or a secret to seal it
// with, it does nothing. An error is logged only: the address comes again with the next call.
func (a *Addresses) Keep(ctx context.Context, g *config.Gateway, p chat.Principal, email string) {
	if len(g.Channels) == 0 || g.Auth.Session.Secret == "" || !config.IsEmail(email) {
		return
	}
	person, now := p.Tenant+"\x00"+p.Subject, a.Store.Now()
	a.mu.Lock()
	known, ok := a.kept[person]
	fresh := ok && known.email == email && now.Sub(known.at) < keepAgain
	if !fresh {
		if a.kept == nil || len(a.kept) >= maxKept {
			a.kept = map[string]keptAddress{}
		}
		a.kept[person] = keptAddress{email, now}
	}
	a.mu.Unlock()
	if fresh {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer cancel()
	if err := a.Store.Outbox().SaveAddress(ctx, p.Tenant, p.Subject, SealAddress(&g.Auth.Session, p.Tenant, p.Subject, email)); err != nil {
		a.Log.Warn("cannot store the address of a caller; it is stored with a later call", "error", err)
		a.mu.Lock()
		delete(a.kept, person)
		a.mu.Unlock()
	}
}

// purpose keeps an address from being taken for anything else that the secret seals.
const purpose = "askgate email address"

// boxes seal the address of one person.
func boxes(s *config.Session, tenant, subject string) *seal.Boxes {
	return seal.NewBoxes(purpose+"\x00"+tenant+"\x00"+subject, func() seal.Secrets { return seal.Secrets{Own: s.Secret, Others: s.OtherSecrets} })
}

// SealAddress seals the address of a person for the store with the session's secret. It returns ""
// without a secret.
func SealAddress(s *config.Session, tenant, subject, email string) string {
	if s.Secret == "" {
		return ""
	}
	sealed, err := boxes(s, tenant, subject).Seal([]byte(email))
	if err != nil { // only for a key that is too long
		panic("channels: " + err.Error())
	}
	return sealed
}

// OpenAddress opens what SealAddress sealed for the same person. ok is false if none of the session's
// secrets has sealed it.
func OpenAddress(s *config.Session, tenant, subject, sealed string) (email string, ok bool) {
	data, ok := boxes(s, tenant, subject).Open(sealed)
	return string(data), ok
}

// EmailOf returns the address of a person: that of the configuration, or else the one that the person's
// token gave. address reads the latter, sealed; "" is none. Without any, the error is a *RefusedError.
func EmailOf(ctx context.Context, g *config.Gateway, address func(ctx context.Context, tenant, subject string) (sealed string, err error), tenant, subject string) (string, error) {
	if p, ok := g.Person(tenant, subject); ok && p.Email != "" {
		return p.Email, nil
	}
	sealed, err := address(ctx, tenant, subject)
	if err != nil {
		return "", fmt.Errorf("reading the address: %w", err)
	}
	if email, ok := OpenAddress(&g.Auth.Session, tenant, subject, sealed); ok {
		return email, nil
	}
	return "", errNoAddress
}
