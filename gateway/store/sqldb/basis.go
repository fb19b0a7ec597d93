package sqldb

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/tools"
)

func (t *tx) SaveBasis(b *chat.Basis) error {
	if b == nil {
		return t.w.later(q.dropBasis, t.head.ID)
	}
	content, err := toJSON(b)
	if err != nil {
		return err
	}
	if len(content) > chat.MaxBasis {
		return fmt.Errorf("store: refused: the beginning of a turn's prompts has %d bytes (limit %d)", len(content), chat.MaxBasis)
	}
	return t.w.later(q.saveBasis, t.head.ID, b.TurnID, content)
}

func (t *tx) Instruct(messageID, text string) error {
	return t.w.later(q.instruct, t.head.ID, messageID, text)
}

func (t *tx) DropInstructions(but string) error {
	if t.isNew { // it has those of this transaction only
		return nil
	}
	return t.w.later(q.dropInstructions, t.head.ID, but, t.head.ID)
}

// instructions reads the instructions of a turn's message, from the chat's messages.
func instructions(conversationID, turnID string, messages []chat.Message) []query {
	for i := range slices.Backward(messages) {
		if m := &messages[i]; m.TurnID == turnID && m.Role == chat.RoleUser {
			return []query{rows(func(scan scanner) error { return scan(&m.Instructions) }, q.instructions, conversationID, m.ID)}
		}
	}
	return nil
}

// scanBasis reads a row of q.basis. A damaged one counts as none, since its contents can be read
// again.
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

func (t *tx) SaveClientTools(c *chat.ClientTools) error {
	if c == nil {
		return t.w.later(q.dropClientTools, t.head.ID)
	}
	content, err := toJSON(c.Tools)
	if err != nil {
		return err
	}
	return t.w.later(q.saveClientTools, t.head.ID, c.TurnID, content)
}

// scanClientTools reads a row of q.clientTools. A damaged one counts as none.
func scanClientTools(scan scanner, to *[]tools.Definition) error {
	var content string
	if err := scan(&content); err != nil {
		return err
	}
	if json.Unmarshal([]byte(content), to) != nil {
		*to = nil
	}
	return nil
}
