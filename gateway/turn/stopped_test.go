package turn_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/model"
	"github.com/askgate/askgate/gateway/stream"
)

// A user stops a turn whose node has died. The text that they had seen stays, as far as the nodes
// share it: in the store, and for viewers.
func TestAStopOfADeadNodesTurnKeepsItsText(t *testing.T) {
	for name, c := range map[string]struct {
		shared bool
		want   string
	}{
		"nodes that share events":  {true, "half a text"},
		"nodes that share nothing": {false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				h := build(t, `{}`, nil, asks("count_1"), func(_ context.Context, yield func(model.Delta, error) bool) {
					_ = yield(model.Delta{Thinking: []byte("hm")}, nil) && yield(model.Delta{Text: []byte("half ")}, nil) && yield(model.Delta{Text: []byte("a text")}, nil)
					<-over // the process never comes back from here
				})
				var hubs [2]stream.Hub
				if hubs[0], hubs[1] = stream.NewPartial(), stream.NewPartial(); c.shared {
					hubs[0] = stream.NewLocal()
					hubs[1] = hubs[0]
				}
				dead, b := h.node(hubs[0]), h.node(hubs[1])
				_, _, ended := dead.start(dead.message("hi"))
				defer func() {
					close(over)
					<-ended
				}()
				synctest.Wait()
				viewer := b.follow(t.Context(), b.snapshot().LastEventID)
				if err := b.engine.Cancel(t.Context(), b.ref); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				s := b.snapshot()
				last := s.Messages[len(s.Messages)-1]
				if c.want == "" {
					if s.Status != chat.StatusIdle || len(s.Messages) != 2 || s.FinishReason != chat.FinishCancelled {
						t.Errorf("%+v", s)
					}
					return
				}
				if last.Content != c.want || last.Thinking != "hm" || s.FinishReason != chat.FinishCancelled || len(s.Messages) != 3 {
					t.Errorf("stored: %+v", s)
				}
				if got := viewer.text(t); got != c.want || !strings.HasSuffix(viewer.names(t), "step.restart thinking chunk done") {
					t.Errorf("seen: %q, %s", got, viewer.names(t))
				}
			})
		})
	}
}
