package redishub

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/seal"
	"github.com/askgate/askgate/gateway/stream"
)

// version begins every payload, so that a node does not read those of another release.
const version = "1"

// passing stands in the place of end in the line about a passing event, under the id of the event
// before it. Nodes that know none take it for what they have already, and drop it.
const passing = 2

// encode writes a batch of a topic as one payload: a line about it, then its frames. If they
// ask somebody, the line ends with a seal over all of it. id names it in the stream.
func encode(dst []byte, topic string, b stream.Batch, s *seal.HMAC) (payload []byte, id string) {
	end := 0
	switch {
	case b.End:
		end = 1
	case b.Passing:
		end = passing
	}
	dst = fmt.Appendf(dst, "%s %d %d %d %d %d %d", version, b.Last.Fence, b.First.Seq, b.Last.Seq, b.After.Fence, b.After.Seq, end)
	if asks(b.Frames) {
		if mac := s.Sign(topic, string(dst), string(b.Frames)); mac != "" {
			dst = append(append(dst, ' '), mac...)
		}
	}
	dst = append(dst, '\n')
	return append(dst, b.Frames...), fmt.Sprintf("%d-%d", b.Last.Fence, b.Last.Seq)
}

var (
	errPayload = errors.New("redishub: not a batch of this version")
	errSeal    = errors.New("redishub: a question with another seal")
)

// sealField is where a line has its seal: behind the others.
const sealField = 7

// decode reads what encode wrote.
func decode(topic, payload string, s *seal.HMAC) (stream.Batch, error) {
	head, text, ok := strings.Cut(payload, "\n")
	fields := strings.Split(head, " ")
	if !ok || len(fields) < sealField || len(fields) > sealField+1 || fields[0] != version {
		return stream.Batch{}, errPayload
	}
	frames := []byte(text)
	if asks(frames) {
		mac := ""
		if len(fields) > sealField {
			mac = fields[sealField]
		}
		if !s.Verify(mac, topic, strings.Join(fields[:sealField], " "), text) {
			return stream.Batch{}, errSeal
		}
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
		After: chat.EventID{Fence: n[3], Seq: n[4]}, Frames: frames, End: n[5] == 1, Passing: n[5] == passing,
	}
	if b.First.Seq < 1 || b.Last.Seq < b.First.Seq || int64(strings.Count(text, "\n\n")) != b.Last.Seq-b.First.Seq+1 || !strings.HasSuffix(text, "\n\n") {
		return stream.Batch{}, errPayload
	}
	return b, nil
}

// Events that show questions. No node sends a snapshot to others, so that none is sealed.
const (
	question = string(chat.EventClarification)
	snapshot = string(chat.EventSnapshot)
)

// asks says whether a client could find a question in the frames. It is called for all, and
// looks closer only where one of the names stands anywhere.
func asks(frames []byte) bool {
	if !bytes.Contains(frames, []byte(question)) && !bytes.Contains(frames, []byte(snapshot)) {
		return false
	}
	for line := range bytes.FieldsFuncSeq(frames, func(r rune) bool { return r == '\n' || r == '\r' }) {
		field, value, _ := bytes.Cut(line, []byte(":"))
		if name := string(bytes.TrimSpace(value)); bytes.Contains(field, []byte("event")) && (name == question || name == snapshot) {
			return true
		}
	}
	return false
}

// The messages of the control channel; a space and the topic, if there is one, follow.
const (
	sayStop  = "stop"
	sayErase = "erase"
	sayNudge = "nudge" // the store has news
	sayGap   = "gap"   // events of the topic were lost; of some topics, where it names none
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
