//go:build unix

package mcptool

import (
	"os/exec"
	"syscall"
)

// apart keeps a child from the signals of the gateway's terminal: it ends when the calls
// that a draining gateway still makes have ended.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
