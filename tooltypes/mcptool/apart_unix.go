//go:build unix

package mcptool

import (
	"os/exec"
	"syscall"
)

// apart keeps signals of the gateway's terminal from a child, so that it can finish the calls
// that a draining gateway still makes.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
