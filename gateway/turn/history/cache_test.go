package history_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askgate/askgate/gateway/chat"
	"github.com/askgate/askgate/gateway/store"
	"github.com/askgate/askgate/gateway/turn/history"
)

// long is what is known of a chat with that many messages of a kilobyte.
func long(messages int) *store.Known {
	k := &store.Known{At: chat.EventID{Fence: 1, Seq: 1}, First: 1}
	for i := range messages {
		k.Messages = append(k.Messages, chat.Message{ID: fmt.Sprint("m", i), Content: strings.Repeat("x", 1000)})
	}
	return k
}

// keep puts what is known of a chat, as a run does.
func keep(c *history.Cache, id string, known *store.Known) {
	c.Borrow(id).Return(known)
}

func TestWhatARunLeavesTheNextOneFinds(t *testing.T) {
	c, known := history.NewCache(), long(100)
	keep(c, "a", known)
	if got := c.Borrow("a").Known; got != known {
		t.Errorf("got %v", got)
	}
	if got := c.Borrow("a").Known; got != nil {
		t.Error("two runs have the same messages")
	}
	keep(c, "short", long(2))
	if c.Borrow("short").Known != nil {
		t.Error("a short chat is kept")
	}
}

// TestErasedWordsLeaveTheCache: whether they are in it, or a run has them that gives them back.
func TestErasedWordsLeaveTheCache(t *testing.T) {
	c := history.NewCache()
	keep(c, "a", long(100))
	c.Drop("a")
	if c.Borrow("a").Known != nil {
		t.Error("still there")
	}
	loan := c.Borrow("a")
	c.Drop("a")
	loan.Return(long(100))
	if c.Borrow("a").Known != nil {
		t.Error("there again with the end of a run that had them")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	c := history.NewCache()
	const chats, messages = 100, 1000 // more than a megabyte each
	for i := range chats {
		keep(c, fmt.Sprint(i), long(messages))
		if i%10 == 0 {
			loan := c.Borrow("used")
			if i == 0 {
				loan.Known = long(messages)
			}
			loan.Return(loan.Known)
		}
	}
	kept := 0
	for i := range chats {
		if c.Borrow(fmt.Sprint(i)).Known != nil {
			kept++
			if i < chats/2 {
				t.Errorf("chat %d is kept, and later ones are not", i)
			}
		}
	}
	if kept < 10 || kept > 32 {
		t.Errorf("%d chats of a megabyte are kept", kept)
	}
	if c.Borrow("used").Known == nil {
		t.Error("the chat that was used again and again is gone")
	}
	if keep(c, "a", long(40_000)); c.Borrow("a").Known != nil {
		t.Error("a chat that is larger than all of the cache is kept")
	}
}

func TestWhatIsNotUsedLapses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := history.NewCache()
		for range 3 { // each use begins the time again
			keep(c, "a", long(100))
			time.Sleep(4 * time.Minute)
			if c.Borrow("a").Known == nil {
				t.Fatal("gone while the person writes")
			}
		}
		keep(c, "a", long(100))
		time.Sleep(6 * time.Minute)
		if c.Borrow("a").Known != nil {
			t.Error("kept for a person who does not come back")
		}
	})
}
