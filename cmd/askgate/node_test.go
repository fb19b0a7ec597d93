package main

import (
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// gatewayNode is one process of the program after another, on an address of its own.
type gatewayNode struct {
	t       *testing.T
	binary  string
	address string
	env     []string // all of it
	cmd     *exec.Cmd
	log     logBuffer
}

// startNode starts a node, which ends with the test.
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

// start starts the node's next process, and waits until it takes requests.
func (n *gatewayNode) start() {
	n.t.Helper()
	n.cmd = exec.Command(n.binary)
	n.cmd.Env, n.cmd.Stderr = n.env, &n.log
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	waitFor(n.t, func() bool { return get(n.t.Context(), "http://"+n.address+"/readyz") == http.StatusOK })
}

// end ends the process by a signal, and waits until it is gone.
func (n *gatewayNode) end(s syscall.Signal) {
	n.t.Helper()
	_ = n.cmd.Process.Signal(s) // at the test's end it may be gone
	if err := n.cmd.Wait(); err != nil && s == syscall.SIGTERM {
		n.t.Errorf("after SIGTERM: %v", err)
	}
}
