//go:build !race

package httpconn

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// source reads a socket. It does not tell the scheduler that it makes a system call, because such a call
// does not block: the scheduler would give this thread's processor to another thread after 20 µs,
// which costs more than the read.
type source struct {
	conn   net.Conn
	raw    syscall.RawConn
	read   func(fd uintptr) bool
	p      []byte
	n      int
	failed syscall.Errno
}

// maxAtOnce is how many bytes are read without telling the scheduler: it waits for such a call if it has
// to stop all threads.
const maxAtOnce = 64 << 10

// of makes s read c, and returns what does: s, or c itself if that is not a socket.
func (s *source) of(c net.Conn) io.Reader {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return c
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return c
	}
	s.conn, s.raw = c, raw
	s.read = func(fd uintptr) bool {
		for {
			var n uintptr
			n, _, s.failed = syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(s.p))), uintptr(len(s.p))) //nolint:gosec // as package syscall does it
			switch s.failed {
			case syscall.EINTR:
			case syscall.EAGAIN:
				return false
			default:
				s.n = int(n)
				return true
			}
		}
	}
	return s
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	s.p = p[:min(len(p), maxAtOnce)]
	err := s.raw.Read(s.read)
	s.p = nil
	if err == nil && s.failed == 0 {
		if s.n == 0 {
			return 0, io.EOF
		}
		return s.n, nil
	}
	return 0, s.failure(err)
}

// failure returns the error of a read as package net words it.
func (s *source) failure(err error) error {
	if of, ok := errors.AsType[*net.OpError](err); ok {
		err = of.Err
	} else if err == nil {
		err = os.NewSyscallError("read", s.failed)
	}
	return &net.OpError{Op: "read", Net: s.conn.LocalAddr().Network(), Source: s.conn.LocalAddr(), Addr: s.conn.RemoteAddr(), Err: err}
}
