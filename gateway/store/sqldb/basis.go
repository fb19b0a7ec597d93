package sqldb

import (
	"encoding/json"
	"fmt"

	"github.com/askgate/askgate/gateway/chat"
)

func (t *tx) SaveBasis(b *chat.Basis) error {
	if b == nil {
		return t.later(q.dropBasis, t.head.ID)
	}
	content, err := toJSON(b)
	if err != nil {
		return err
	}
	if len(content) > chat.MaxBasis {
		return fmt.Errorf("store: refused: what a turn's prompts begin with has %d bytes, over %d", len(content), chat.MaxBasis)
	}
	return t.later(q.saveBasis, t.head.ID, b.TurnID, content)
}

// scanBasis reads a row of q.basis. One that is damaged counts as none: what it holds is read again.
func scanBasis(scan scanner, turnID string, to **chat.Basis) error {
	var content string
	if err := scan(&content); err != nil {
		return err
	}
	if b := (&chat.Basis{TurnID: turnID}); json.Unmarshal([]byte(content), b) == nil {
		*to = b
	}
	return nil
}
