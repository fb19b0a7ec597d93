package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// holder returns the process that listens on a TCP port of this machine, as `name (process 123)`, or ""
// if it cannot be found: only root can see the processes of other users.
func holder(port int) string {
	sockets := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			// proc(5): local address as HOST:PORT, state (0A is LISTEN), inode in the tenth field.
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				sockets["socket:["+f[9]+"]"] = true
			}
		}
	}
	open, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range open {
		if target, err := os.Readlink(link); err != nil || !sockets[target] {
			continue
		}
		process := filepath.Dir(filepath.Dir(link))
		name, _ := os.ReadFile(filepath.Join(process, "comm"))
		return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), filepath.Base(process))
	}
	return ""
}
