package native

import (
	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/host"
	"github.com/askgate/askgate/gateway/stream"
)

// wantsOnce reads the query's errors=turn.error: of the two events that report why a run failed,
// the caller wants only turn.error.
func wantsOnce(r *host.Request) (bool, error) {
	value, given := r.Query("errors")
	if given && value != string(chat.EventTurnError) {
		return false, host.Invalid("query", "errors")
	}
	return given, nil
}

func asItIs(to stream.Writer) stream.Sink { return stream.Native{To: to} }

// nativeSink returns the sink for a caller that gets events unchanged.
func nativeSink(to stream.Writer, wantsOnce bool) stream.Sink {
	if wantsOnce {
		return once{asItIs(to)}
	}
	return asItIs(to)
}

// once leaves out the events named error.
type once struct{ stream.Sink }

// Write implements stream.Sink.
func (s once) Write(events stream.Events) error {
	rest := events.Without(chat.EventError)
	if rest.Len() == 0 && events.Len() > 0 {
		return nil
	}
	return s.Sink.Write(rest)
}
