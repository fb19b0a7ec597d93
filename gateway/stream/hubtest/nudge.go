package hubtest

import (
	"testing"
	"time"

	"github.com/askgate/askgate/gateway/stream"
)

func awaitNudge(t *testing.T, nudged <-chan struct{}) {
	t.Helper()
	select {
	case <-nudged:
	case <-time.After(patience):
		t.Fatal("no nudge came")
	}
}

func nudge(t *testing.T, hub stream.Hub) {
	a, stopA := hub.Nudges()
	b, stopB := hub.Nudges()
	defer stopB()
	drain := func(c <-chan struct{}) { // that a new hub may send
		select {
		case <-c:
		default:
		}
	}
	drain(a)
	drain(b)
	hub.Nudge()
	hub.Nudge()
	awaitNudge(t, a)
	awaitNudge(t, b)
	stopA()
	drain(a)
	hub.Nudge()
	awaitNudge(t, b)
	select {
	case <-a:
		t.Error("a nudge arrived after the end")
	default:
	}
}
