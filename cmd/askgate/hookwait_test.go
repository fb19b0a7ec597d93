package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A hook that only reports to the gateway returns within 3 s, even if the gateway hangs. It succeeds and
// prints nothing for the agent.
func TestTheHookLetsAnAgentGoOn(t *testing.T) {
	hangs := map[string]func(<-chan struct{}, net.Conn){
		"never takes a connection": func(over <-chan struct{}, _ net.Conn) { <-over },
		"reads nothing":            func(<-chan struct{}, net.Conn) {},
		"never replies":            func(_ <-chan struct{}, c net.Conn) { go io.Copy(io.Discard, c) },
		"replies half":             replies("HTTP/1.1 200 OK\r\nContent-"),
		"is not up":                replies("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n"),
	}
	for name, hang := range hangs {
		for _, app := range []string{"helper", ""} { // without a name, the apps are read first
			t.Setenv("ASKGATE_APP", app)
			for _, told := range []string{hookJSON("PostToolUse", "Bash", `{"command":"ls"}`), hookJSON("Stop", "", `null`), hookJSON("SessionEnd", "", `null`)} {
				synctest.Test(t, func(t *testing.T) {
					over := make(chan struct{}) // lets go of what hangs
					defer close(over)
					gatewayThat(t, func(c net.Conn) { hang(over, c) })
					var stdout, stderr strings.Builder
					cmd := rootCommand()
					cmd.SetArgs([]string{"hook", "claude-code"})
					cmd.SetIn(strings.NewReader(told))
					cmd.SetOut(&stdout)
					cmd.SetErr(&stderr)
					begun := time.Now()
					err := cmd.ExecuteContext(t.Context())
					if took := time.Since(begun); err != nil || took > 3*time.Second || stdout.Len() > 0 || stderr.Len() == 0 {
						t.Errorf("a gateway that %s: %v after %v: %q, %q", name, err, took, &stdout, &stderr)
					}
				})
			}
		}
	}
}

// replies reads a request, and sends only these bytes.
func replies(text string) func(<-chan struct{}, net.Conn) {
	return func(_ <-chan struct{}, c net.Conn) {
		go func() {
			_, _ = c.Read(make([]byte, 1))
			go io.Copy(io.Discard, c)
			_, _ = io.WriteString(c, text)
		}()
	}
}

// gatewayThat connects the program in memory, so that the clock of a synctest bubble applies.
func gatewayThat(t *testing.T, hangs func(net.Conn)) {
	t.Helper()
	before := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = before })
	http.DefaultTransport = &http.Transport{DisableKeepAlives: true, DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		hangs(theirs)
		return ours, nil
	}}
	t.Setenv("ASKGATE_URL", "https://gateway.test")
}
