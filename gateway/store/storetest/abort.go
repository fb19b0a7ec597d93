package storetest

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
)

// testAbort: a function that panics, or ends its goroutine, changes nothing and blocks nothing
// afterwards.
func testAbort(t *testing.T, s store.Store) {
	update(t, s, ref("c"), func(tx store.Tx) error { return begin(tx, at(0)) })
	before := view(t, s, ref("c"))
	for _, test := range []struct {
		how   string
		abort func()
	}{
		{"panics", explode},
		{"ends its goroutine", runtime.Goexit},
		{"ends its goroutine, which has a thread of its own", func() { runtime.LockOSThread(); runtime.Goexit() }},
	} {
		for way, run := range map[string]func(tx store.Tx) error{
			"before a write": func(store.Tx) error { test.abort(); return nil },
			"after a write": func(tx store.Tx) error {
				if err := begin(tx, at(1)); err != nil {
					return err
				}
				if _, err := tx.Clarifications().Pending(); err != nil { // sends what was written
					return err
				}
				test.abort()
				return nil
			},
		} {
			panicked := make(chan string, 1)
			go func() {
				defer func() {
					if p := recover(); p != nil {
						panicked <- p.(string) + "\n" + string(debug.Stack())
					}
					close(panicked)
				}()
				_ = s.Update(t.Context(), ref("c"), run)
				t.Errorf("%s %s: Update returned", test.how, way)
			}()
			stack := <-panicked
			if explodes := test.how == "panics"; explodes != (strings.HasPrefix(stack, "boom") && strings.Contains(stack, "storetest.explode")) {
				t.Errorf("%s %s: the panic does not contain its location: %s", test.how, way, stack)
			}
			equal(t, "after a function that "+test.how+" "+way, view(t, s, ref("c")), before)
		}
	}
	update(t, s, ref("c"), func(tx store.Tx) error {
		return tx.AppendMessage(chat.Message{ID: "after", Role: chat.RoleUser, Content: "still here", CreatedAt: at(2)})
	})
	if got := view(t, s, ref("c")).Messages; len(got) != len(before.Messages)+1 {
		t.Errorf("afterwards the chat has %d messages", len(got))
	}
}

//go:noinline
func explode() { panic("boom") }
