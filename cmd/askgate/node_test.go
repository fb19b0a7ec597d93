package main

import (
	"context"
	"net/http"
	"os"
	"syscall"
	"testing"

	"github.com/askgate/askgate/gateway/gatewaytest"
)

// gatewayNode runs one process of the program after another, on the same address.
type gatewayNode struct {
	t       *testing.T
	binary  string
	address string
	env     []string // all of it
	process *gatewaytest.Process
	log     gatewaytest.Log
}

// startNode starts a node, which ends with the test. binary is the path of the program, "" for a build
// without the tests.
func startNode(t *testing.T, binary string, env ...string) *gatewayNode {
	t.Helper()
	n := &gatewayNode{t: t, binary: binary, address: freePort(t)}
	n.env = append([]string{"PATH=" + os.Getenv("PATH"), "ASKGATE_LISTEN=" + n.address}, env...)
	t.Cleanup(func() {
		n.end(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("%s: %s", n.address, &n.log)
		}
	})
	n.start()
	return n
}

// start starts the next process of the node, and waits until it accepts requests.
func (n *gatewayNode) start() {
	n.t.Helper()
	var err error
	n.process, err = gatewaytest.Program{URL: "http://" + n.address, Path: n.binary, Args: []string{}, Env: n.env, Line: func(line string) { _, _ = n.log.Write([]byte(line + "\n")) }}.Start(context.Background())
	if err != nil {
		n.t.Fatal(err)
	}
	waitFor(n.t, func() bool { return get(n.t.Context(), "http://"+n.address+"/readyz") == http.StatusOK })
}

// end ends the process with a signal, and waits until it has exited.
func (n *gatewayNode) end(s syscall.Signal) {
	n.t.Helper()
	if n.process == nil { // it did not start
		return
	}
	n.process.Signal(s)
	if err := n.process.Wait(); err != nil && s == syscall.SIGTERM {
		n.t.Errorf("after SIGTERM: %v", err)
	}
}
