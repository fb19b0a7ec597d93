package mcptool

import (
	"bytes"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// conceal hides the gateway's secrets from programs that run as its user, before the first of
// them starts. It makes the process non-dumpable, so that the same user cannot read its memory and
// open files (proc(5)); that also disables core dumps. And it wipes the environment that the
// process was started with, which hides it even from users who may inspect all processes; Go has a
// copy of it. Failures are ignored: the docs explain how to run a program as another user.
var conceal = sync.OnceFunc(func() {
	wipeEnvironment()
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0)
})

// wipeEnvironment overwrites with zeros the memory that the kernel shows as /proc/PID/environ.
func wipeEnvironment() {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return
	}
	// Fields 50 and 51 of proc_pid_stat(5). Field 2 may contain spaces, and ends with ")".
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
