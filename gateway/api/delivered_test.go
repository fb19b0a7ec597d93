package api_test

import (
	"context"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/stream"
)

// A run that a front has sent in full is recorded as delivered; other runs are not.
func TestDeliveredIsKept(t *testing.T) {
	done := stream.One("00000000000070000000002", chat.Event{Type: chat.EventDone, Data: chat.Done{FinishReason: chat.FinishStop}})
	said := stream.One("00000000000070000000001", chat.Event{Type: chat.EventAskerMessage, Data: chat.AskerMessage{}})
	for name, test := range map[string]struct {
		events stream.Events
		want   []int64
	}{"whole": {done, []int64{7}}, "not over": {said, nil}} {
		s, e := toyServer(t, nil, nil)
		e.drive = func(_ context.Context, sink stream.Sink) { _ = sink.Write(test.events) }
		s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"hi"}`)
		if !slices.Equal(e.delivered, test.want) {
			t.Errorf("%s: %v, want %v", name, e.delivered, test.want)
		}
	}
}
