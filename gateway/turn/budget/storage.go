package budget

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/tools"
)

// Storage refuses to store so many bytes more of a subject of the conversation's tenant, where its texts
// and files would have more than most, in all apps; 0: no limit. What others of the subject
// store at the same moment is not seen: it is over by so much at most.
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
