package native

import (
	"cmp"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/turn"
)

// Queued handles messages that wait for the end of a turn.
type Queued struct{ Engine Engine }

// TakeBack removes a message whose turn has not begun.
func (h Queued) TakeBack(r *host.Request) error {
	if err := h.Engine.TakeBack(r.Context(), r.Ref, r.Param("messageId")); err != nil {
		return err
	}
	return r.Nothing()
}

// SendNow begins the turn of a message in place of what runs or waits for a person.
func (h Queued) SendNow(r *host.Request) error {
	now := turn.SendNow{Ref: r.Ref, MessageID: r.Param("messageId"), By: host.AuditActor(r, chat.ActorCaller)}
	if r.HTTP().ContentLength != 0 {
		data, err := r.Body()
		if err != nil {
			return err
		}
		if now.LastEventID, err = decodeSeen(data); err != nil {
			return err
		}
	}
	if err := h.Engine.SendNow(turn.WithLog(r.Context(), r.Logger()), now); err != nil {
		return err
	}
	return r.Nothing()
}

// decodeSeen reads {"lastEventId": ...}, which may be left out.
func decodeSeen(data []byte) (id string, err error) {
	d, err := host.OpenJSON(data)
	if err != nil {
		return "", err
	}
	return id, host.Object(d, map[string]host.Field{
		"lastEventId": host.String(func(s string) { id = cmp.Or(s, "-") }), // an empty one is malformed: it shows nothing
	})
}
