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

// TestTheHookLetsAnAgentGoOn: what is only told to the gateway keeps the agent for 3 s at most,
// however the gateway hangs, prints nothing, and is no fault.
func TestTheHookLetsAnAgentGoOn(t *testing.T) {
	hangs := map[string]func(net.Conn){
		"never takes a connection": func(net.Conn) { time.Sleep(5 * time.Second) },
		"reads nothing":            func(net.Conn) {},
		"never replies":            func(c net.Conn) { go io.Copy(io.Discard, c) },
		"replies half":             replies("HTTP/1.1 200 OK\r\nContent-"),
		"is not up":                replies("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nContent-Length: 0\r\n\r\n"),
	}
	for name, hang := range hangs {
		gatewayThat(t, hang)
		for _, app := range []string{"helper", ""} { // without a name, the apps are read first
			t.Setenv("ASKGATE_APP", app)
			for _, told := range []string{hookJSON("PostToolUse", "Bash", `{"command":"ls"}`), hookJSON("Stop", "", `null`), hookJSON("SessionEnd", "", `null`)} {
				synctest.Test(t, func(t *testing.T) {
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
					time.Sleep(time.Minute) // the connection is given up, too
				})
			}
		}
	}
}

// replies takes the first of a request, and sends these bytes and no more.
func replies(text string) func(net.Conn) {
	return func(c net.Conn) {
		go func() {
			_, _ = c.Read(make([]byte, 1))
			go io.Copy(io.Discard, c)
			_, _ = io.WriteString(c, text)
		}()
	}
}

// gatewayThat has the program's connections made in memory, where time is the test's own.
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
