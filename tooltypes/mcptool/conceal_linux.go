package mcptool

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// conceal keeps the gateway's secrets from programs that run as its user, before the first
// of them begins: its memory and open files, which only a dumpable process shows to its own
// user (proc(5); no core dumps are written any more), and the environment that it was started
// with, even to a user who may look into all processes. Go has a copy of that. What fails is
// left as it is: the docs tell how to run a program as another user.
var conceal = sync.OnceFunc(func() {
	wipeEnvironment()
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0)
})

// wipeEnvironment writes zeros where the kernel put the environment, for /proc/PID/environ.
func wipeEnvironment() {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return
	}
	// Fields 50 and 51 of proc_pid_stat(5); the second may hold spaces, and ends with ")".
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 49 {
		return
	}
	start, err1 := strconv.ParseInt(string(fields[47]), 10, 64)
	end, err2 := strconv.ParseInt(string(fields[48]), 10, 64)
	if err1 != nil || err2 != nil || start <= 0 || end-start <= 0 || end-start > 8<<20 {
		return
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer memory.Close()
	_, _ = memory.WriteAt(make([]byte, end-start), start)
}
