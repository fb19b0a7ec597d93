package stream

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/askgate/askgate/gateway/chat"
)

// Beginning returns the topic on which viewers of a chat that does not exist yet learn that it has
// begun: before that, the chat has no internal id. The topic's one event names the chat's first run.
func Beginning(ref chat.Ref) string {
	data, _ := json.Marshal(ref) // texts always encode
	sum := sha256.Sum256(data)
	return "begins-" + hex.EncodeToString(sum[:])
}

// AnnounceBegun announces, to those who wait for a chat, that its first run, with that fence, is stored
// and its first events are published.
func AnnounceBegun(h Hub, ref chat.Ref, fence int64) {
	id := chat.EventID{Fence: fence, Seq: 1}
	log := h.Record(Beginning(ref), chat.EventID{}, nil)
	defer log.Close()
	begun := One(id.String(), chat.Event{Type: chat.EventTurnStart, Data: chat.TurnStart{ChatID: ref.ChatID}})
	log.Append(Batch{First: id, Last: id, Events: begun, End: true})
}
