package native

import (
	"bytes"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/stream"
)

// wantsOnce reads the query's errors=turn.error: of the two events that say why a run failed,
// the caller wants turn.error alone.
func wantsOnce(r *host.Request) (bool, error) {
	value, given := r.Query("errors")
	if given && value != string(chat.EventTurnError) {
		return false, host.Invalid("query", "errors")
	}
	return given, nil
}

func asItIs(to stream.Sink) stream.Sink { return to }

// nativeSink is the sink of a caller who gets events as they are.
func nativeSink(to stream.Sink, wantsOnce bool) stream.Sink {
	if wantsOnce {
		return once{to}
	}
	return to
}

// once leaves out the events named error.
type once struct{ stream.Sink }

// Write implements stream.Sink.
func (s once) Write(frames []byte) error {
	rest := withoutErrors(frames)
	if len(rest) == 0 && len(frames) > 0 {
		return nil
	}
	return s.Sink.Write(rest)
}

var (
	errorLine  = []byte("event: " + string(chat.EventError) + "\n")
	endOfFrame = []byte("\n\n")
)

// withoutErrors are the whole frames but those of events named error. It does not change frames.
func withoutErrors(frames []byte) []byte {
	if !bytes.Contains(frames, errorLine) {
		return frames
	}
	var kept []byte
	for len(frames) > 0 {
		frame, rest := frames, []byte(nil)
		if i := bytes.Index(frames, endOfFrame); i >= 0 {
			frame, rest = frames[:i+len(endOfFrame)], frames[i+len(endOfFrame):]
		}
		if !isError(frame) {
			kept = append(kept, frame...)
		}
		frames = rest
	}
	return kept
}

// isError says that a line of the frame names the event.
func isError(frame []byte) bool {
	i := bytes.Index(frame, errorLine)
	return i == 0 || i > 0 && frame[i-1] == '\n'
}
