package redishub

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/stream"
)

// version begins every payload, so that nodes do not read those of another release.
const version = "2"

// transient takes the place of end in the line about a transient event, with the id of the event
// before it. Nodes that do not know it take the event for one that they have already, and drop it.
const transient = 2

// encode appends a batch of a topic as one payload: a line about it, which ends with the signature of
// all of it if there is a secret, then its frames. id is its id in the stream.
func encode(dst []byte, topic string, b stream.Batch, s *seal.HMAC) (payload []byte, id string) {
	begin, end := len(dst), 0
	switch {
	case b.End:
		end = 1
	case b.Transient:
		end = transient
	}
	dst = fmt.Appendf(dst, "%s %d %d %d %d %d %d", version, b.Last.Fence, b.First.Seq, b.Last.Seq, b.After.Fence, b.After.Seq, end)
	if mac := s.Sign(topic, string(dst[begin:]), string(b.Frames)); mac != "" {
		dst = append(append(dst, ' '), mac...)
	}
	dst = append(dst, '\n')
	return append(dst, b.Frames...), fmt.Sprintf("%d-%d", b.Last.Fence, b.Last.Seq)
}

var (
	errPayload   = errors.New("redishub: not a batch of this version")
	errSignature = errors.New("redishub: the signature does not verify")
)

// signatureField is the index of the signature in the line, after all other fields.
const signatureField = 7

// decode reads what encode wrote. Of a payload that does not verify, it reads nothing else.
func decode(topic, payload string, s *seal.HMAC) (stream.Batch, error) {
	head, text, _ := strings.Cut(payload, "\n")
	fields := strings.SplitN(head, " ", signatureField+2)
	mac := ""
	if len(fields) == signatureField+1 {
		mac = fields[signatureField]
		head = strings.TrimSuffix(head, " "+mac)
	}
	if !s.Verify(mac, topic, head, text) {
		return stream.Batch{}, errSignature
	}
	if len(fields) < signatureField || len(fields) > signatureField+1 || fields[0] != version {
		return stream.Batch{}, errPayload
	}
	events, err := stream.Read([]byte(text))
	if err != nil {
		return stream.Batch{}, err
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
		After: chat.EventID{Fence: n[3], Seq: n[4]}, Events: events, End: n[5] == 1, Transient: n[5] == transient,
	}
	if b.First.Seq < 1 || !b.Whole() {
		return stream.Batch{}, errPayload
	}
	return b, nil
}

// The messages of the control channel, each as: node, message, topic or nothing, signature.
const (
	sayStop   = "stop"
	sayErase  = "erase"
	sayForget = "forget"
	sayDrop   = "drop"  // a node that recorded the topic has forgotten what it shipped meanwhile
	sayNudge  = "nudge" // the store has news
	sayGap    = "gap"   // events of the topic were lost; without a topic: of some topics
)

// say sends a message to all nodes.
func (h *Hub) say(ctx context.Context, c redis.Cmdable, what, topic string) *redis.IntCmd {
	message := h.node + " " + what + " " + topic
	if mac := h.signer.Sign(topic, h.node, what); mac != "" {
		message += " " + mac
	}
	return h.client.Send(ctx, c, h.control(), message)
}

// sayAll sends a message about each of the topics.
func (h *Hub) sayAll(ctx context.Context, what string, topics []string) error {
	pipe := h.client.Pipeline()
	for _, topic := range topics {
		h.say(ctx, pipe, what, topic)
	}
	_, err := pipe.Exec(ctx)
	return err
}

// The names in Redis. Everything of one topic is in one slot of a cluster.

func (h *Hub) control() string               { return h.prefix + "control" }
func (h *Hub) own() string                   { return h.prefix + "node:" + h.node }
func (h *Hub) channel(topic string) string   { return h.prefix + "{" + topic + "}:live" }
func (h *Hub) streamKey(topic string) string { return h.prefix + "{" + topic + "}:events" }
func (h *Hub) sizeKey(topic string) string   { return h.prefix + "{" + topic + "}:bytes" }

// topicOf returns the topic of a channel.
func (h *Hub) topicOf(channel string) string {
	return strings.TrimSuffix(strings.TrimPrefix(channel, h.prefix+"{"), "}:live")
}
