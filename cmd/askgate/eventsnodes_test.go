package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/prove/testenv"
	"github.com/askgate/askgate/gateway/sse"
)

// A stream waits on one node for a chat that begins on the other. It gets the chat from the first event,
// or from a snapshot, without duplicates, as the sender does. Another person's stream of the same id gets
// nothing.
func TestAChatBeginsOnTheOtherNode(t *testing.T) {
	files := map[string]string{"gateway.json": `{"models": {"default": {"provider": "demo"}}, "auth": {"mode": "proxy", "proxy": {"from": ["127.0.0.1"], "headers": {"subject": "X-User"}}}}`}
	redis := testenv.Redis(t)
	here := start(t, "", files, "ASKGATE_REDIS="+redis)
	there := start(t, "", files, "ASKGATE_REDIS="+redis, "ASKGATE_STORE=sqlite:"+filepath.Join(here.dir, "askgate.db"))
	open := func(user string) chan sse.Event {
		resp := here.do("GET", "/v1/apps/assistant/chats/soon/events", "", "X-User", user)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", user, resp.Status)
		}
		seen := make(chan sse.Event, 1000)
		go func() {
			defer close(seen)
			for ev, err := range sse.Read(resp.Body) {
				if err != nil {
					return // the stream is cut at the end of the test
				}
				ev.Data = slices.Clone(ev.Data)
				seen <- ev
			}
		}()
		return seen
	}
	mine, others := open("alice"), open("bob")
	for user, seen := range map[string]chan sse.Event{"alice": mine, "bob": others} {
		if first := <-seen; first.Name != "snapshot" || first.ID != "" || !strings.Contains(string(first.Data), `"messages":[]`) {
			t.Errorf("%s begins with %s %s %s", user, first.Name, first.ID, first.Data)
		}
	}
	sent := there.do("POST", "/v1/apps/assistant/chats/soon/messages", `{"message": "hello"}`, "X-User", "alice")
	want := named(events(t, sent.Body))
	var got []string
	for ev := range mine {
		if got = append(got, ev.Name+" "+ev.ID); ev.Name == "done" {
			break
		}
	}
	// A chat that begins while its viewer is being opened is shown by a snapshot.
	if id, late := strings.CutPrefix(got[0], "snapshot "); late {
		behind := slices.IndexFunc(want, func(ev string) bool { return strings.HasSuffix(ev, " "+id) })
		got, want = got[1:], want[behind+1:]
	}
	if !slices.Equal(got, want) {
		t.Errorf("the stream has\n%s\nits sender\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The first event of bob's stream is his own, so nothing of alice's came before.
	there.do("POST", "/v1/apps/assistant/chats/soon/messages", `{"message": "bob is here"}`, "X-User", "bob")
	for ev := range others {
		if strings.Contains(string(ev.Data), "hello") {
			t.Errorf("bob gets %s %s", ev.Name, ev.Data)
		}
		if ev.Name == "done" {
			break
		}
	}
}

// named formats events as names and ids.
func named(list []sse.Event) (names []string) {
	for _, ev := range list {
		names = append(names, ev.Name+" "+ev.ID)
	}
	return names
}
