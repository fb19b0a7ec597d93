package chat

import (
	"encoding/json"

	"github.com/askgate/askgate/tools"
)

// MaxBasis is the maximum size of a stored Basis, in bytes.
const MaxBasis = 1 << 20

// Basis is the beginning of a turn's prompts, apart from the configuration. It is determined
// when the model is first asked, and stays the same in every later request of the turn, on whatever
// node and however long a question waits. It is stored with the chat; the basis of a newer turn
// replaces it.
type Basis struct {
	TurnID      string            `json:"-"`
	Language    string            `json:"language"` // BCP 47 tag
	Interactive bool              `json:"interactive"`
	Words       string            `json:"words,omitempty"`  // what is remembered of the person, as the model is sent it
	Keys        []string          `json:"keys,omitempty"`   // the keys under which Words are remembered
	Values      map[string]string `json:"values,omitempty"` // of the app's variables, by name
	// Families are the tools that stand for several, by the ids of their entries. Tools are the
	// definitions that they had, in the order in which they were offered.
	Families []string           `json:"families,omitempty"`
	Tools    []tools.Definition `json:"tools,omitempty"`
}

// JSON returns the stored form.
func (b *Basis) JSON() (json.RawMessage, error) { return json.Marshal(b) }
