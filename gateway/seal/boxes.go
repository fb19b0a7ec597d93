package seal

import "sync"

// Boxes seal with the current secret, and open what it or one of the others has sealed, for one
// purpose. Without a secret, only the process itself opens what it has sealed. Safe for concurrent use.
type Boxes struct {
	purpose string
	secrets func() Secrets
	known   sync.Map // *Box, by secret
}

// NewBoxes returns Boxes. secrets is called each time, so that they may change.
func NewBoxes(purpose string, secrets func() Secrets) *Boxes {
	return &Boxes{purpose: purpose, secrets: secrets}
}

// Seal is Box.Seal.
func (b *Boxes) Seal(data []byte) (string, error) {
	box, err := b.of(b.secrets().Own)
	if err != nil {
		return "", err
	}
	return box.Seal(data), nil
}

// Open is Box.Open.
func (b *Boxes) Open(text string) (data []byte, ok bool) {
	secrets := b.secrets()
	for _, secret := range append([]string{secrets.Own}, secrets.Others...) {
		box, err := b.of(secret)
		if err != nil {
			continue
		}
		if data, ok = box.Open(text); ok {
			return data, true
		}
	}
	return nil, false
}

func (b *Boxes) of(secret string) (*Box, error) {
	if box, ok := b.known.Load(secret); ok {
		return box.(*Box), nil
	}
	box, err := New(secret, b.purpose)
	if err != nil {
		return nil, err
	}
	kept, _ := b.known.LoadOrStore(secret, box) // one box without a secret, however many ask at the same time
	return kept.(*Box), nil
}
