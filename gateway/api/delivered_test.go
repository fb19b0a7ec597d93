package api_test

import (
	"context"
	"slices"
	"testing"

	"github.com/askgate/askgate/gateway/sse"
	"github.com/askgate/askgate/gateway/stream"
)

// What a front told whole is kept with its run; what it did not, is not.
func TestDeliveredIsKept(t *testing.T) {
	done := sse.AppendEvent(nil, "000000000000700000002", "done", []byte(`{"chatId":"c","turnId":"t","finishReason":"stop"}`))
	for name, test := range map[string]struct {
		frames []byte
		want   []int64
	}{"whole": {done, []int64{7}}, "not over": {sse.AppendEvent(nil, "000000000000700000001", "usage", []byte(`{}`)), nil}} {
		s, e := toyServer(t, nil, nil)
		e.drive = func(_ context.Context, sink stream.Sink) { _ = sink.Write(test.frames) }
		s.call("POST", "/v1/apps/plain/toy", `{"chat":"c","say":"hi"}`)
		if !slices.Equal(e.delivered, test.want) {
			t.Errorf("%s: %v, want %v", name, e.delivered, test.want)
		}
	}
}
