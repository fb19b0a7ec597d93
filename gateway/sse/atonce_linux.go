//go:build !race

package sse

import (
	"net"
	"syscall"
	"unsafe"
)

// atOnce writes what the system takes at once. It does not tell the scheduler that it makes a system
// call, because such a call does not block: the scheduler would give this thread's processor to
// another thread after 20 µs, which costs more than the write.
type atOnce struct {
	raw   syscall.RawConn // nil: the connection is not a socket
	write func(fd uintptr)
	p     []byte
	n     int
}

// maxAtOnce is how many bytes are written without telling the scheduler: it waits for such a call if it
// has to stop all threads.
const maxAtOnce = 64 << 10

func (w *atOnce) init(c net.Conn) {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return
	}
	w.raw, w.write = raw, func(fd uintptr) {
		n, _, failed := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(w.p))), uintptr(len(w.p))) //nolint:gosec // as package syscall does it
		if failed == 0 {
			w.n = int(n)
		}
	}
}

// take returns how many bytes of p the system took. If it takes nothing, another write shows why. One
// goroutine at a time may call it.
func (w *atOnce) take(p []byte) int {
	if w.raw == nil || len(p) == 0 || len(p) > maxAtOnce {
		return 0
	}
	w.p, w.n = p, 0
	_ = w.raw.Control(w.write)
	w.p = nil
	return w.n
}
