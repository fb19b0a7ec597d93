package redishub

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
)

// version begins every payload, so that a node does not read those of another release.
const version = "1"

// encode writes a batch as one payload: a line about it, then its frames. id names it in
// the stream.
func encode(dst []byte, b stream.Batch) (payload []byte, id string) {
	end := 0
	if b.End {
		end = 1
	}
	dst = fmt.Appendf(dst, "%s %d %d %d %d %d %d\n", version, b.Last.Fence, b.First.Seq, b.Last.Seq, b.After.Fence, b.After.Seq, end)
	return append(dst, b.Frames...), fmt.Sprintf("%d-%d", b.Last.Fence, b.Last.Seq)
}

var errPayload = errors.New("redishub: not a batch of this version")

// decode reads what encode wrote.
func decode(payload string) (stream.Batch, error) {
	head, frames, ok := strings.Cut(payload, "\n")
	fields := strings.Split(head, " ")
	if !ok || len(fields) != 7 || fields[0] != version {
		return stream.Batch{}, errPayload
	}
	var n [6]int64
	for i := range n {
		v, err := strconv.ParseUint(fields[i+1], 10, 63)
		if err != nil {
			return stream.Batch{}, errPayload
		}
		n[i] = int64(v)
	}
	b := stream.Batch{
		First: chat.EventID{Fence: n[0], Seq: n[1]}, Last: chat.EventID{Fence: n[0], Seq: n[2]},
		After: chat.EventID{Fence: n[3], Seq: n[4]}, Frames: []byte(frames), End: n[5] == 1,
	}
	if b.First.Seq < 1 || b.Last.Seq < b.First.Seq || int64(strings.Count(frames, "\n\n")) != b.Last.Seq-b.First.Seq+1 || !strings.HasSuffix(frames, "\n\n") {
		return stream.Batch{}, errPayload
	}
	return b, nil
}

// The messages of the control channel; a space and the topic follow.
const (
	sayStop  = "stop"
	sayErase = "erase"
	sayGap   = "gap" // events of the topic were lost; of some topics, where it names none
)

// The names in Redis. What belongs to one topic is in one slot of a cluster.

func (h *Hub) control() string               { return h.prefix + "control" }
func (h *Hub) probe(node string) string      { return h.prefix + "node:" + node }
func (h *Hub) channel(topic string) string   { return h.prefix + "{" + topic + "}:live" }
func (h *Hub) streamKey(topic string) string { return h.prefix + "{" + topic + "}:events" }
func (h *Hub) sizeKey(topic string) string   { return h.prefix + "{" + topic + "}:bytes" }

// topicOf is the topic of a channel.
func (h *Hub) topicOf(channel string) string {
	return strings.TrimSuffix(strings.TrimPrefix(channel, h.prefix+"{"), "}:live")
}
