package agui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askgate/askgate/gateway/front/fronttest"
)

// A call is allowed only by a client that has seen it wait: by the id of its approval, or without
// one by a client whose history shows the call.
func TestAnApprovalIsSeenFirst(t *testing.T) {
	g := fronttest.Start(t, nil)
	_, stream := post(t, g, fronttest.App, input("c", user("m1", "approve"), ""))
	if ids := interrupts(t, stream); len(ids) != 1 {
		t.Fatal(stream)
	}
	legacy := func(messages, payload string) string {
		return fmt.Sprintf(`{"threadId":"c","runId":"r","messages":[%s],"forwardedProps":{"command":{"resume":%s}}}`, messages, payload)
	}
	for _, payload := range []string{"true", `"yes"`, `{"approved":true}`} {
		if status, text := post(t, g, fronttest.App, legacy("", payload)); status != 409 || !strings.Contains(text, "clarification_pending") {
			t.Errorf("%s from a client that has not seen it: %d %s", payload, status, text)
		}
	}
	ofCall := `,"resume":[{"interruptId":"call_1","status":"resolved","payload":true}]`
	if status, text := post(t, g, fronttest.App, input("c", "", ofCall)); status == 200 {
		t.Errorf("by the id of the call: %d %s", status, text)
	}
	if n := len(g.Snapshot(fronttest.App, "c")["pending"].([]any)); n != 1 {
		t.Fatalf("%d wait", n)
	}
	shown := user("m1", "approve") + `,{"id":"a","role":"assistant","toolCalls":[{"id":"call_1","type":"function","function":{"name":"clock","arguments":"{}"}}]}`
	if status, text := post(t, g, fronttest.App, legacy(shown, `{"approved":true}`)); status != 200 || !strings.Contains(text, "So it is") {
		t.Errorf("from a client that shows it: %d %s", status, text)
	}
}
