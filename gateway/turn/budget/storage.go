package budget

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Storage refuses to store that many more bytes for a subject of the conversation's tenant if its
// texts and files in all apps would exceed most; 0 means no limit. What the subject stores elsewhere at
// the same moment is not seen, so the limit may be exceeded by that much.
func Storage(tx store.Tx, most int64, subject string, bytes int64) error {
	if most <= 0 {
		return nil
	}
	stored, err := tx.Stored(subject)
	if err != nil {
		return err
	}
	if stored+bytes > most {
		return &chat.Error{Code: chat.CodeStorageFull, Params: map[string]any{"Limit": tools.Size(most)}}
	}
	return nil
}
