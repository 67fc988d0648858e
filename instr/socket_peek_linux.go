//go:build linux && (amd64 || arm64)

package instr

import (
	"syscall"
	"unsafe"
)

// canPeek reports whether readable knows.
const canPeek = true

// readable reports whether reading from a socket would not wait. The call does not wait itself, and is not told to Go's scheduler,
// whose monitor would wake for it each time that an idle program hears from a client.
func readable(fd uintptr) bool {
	var b [1]byte
	for {
		_, _, err := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&b[0])), 1, syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
		if err != syscall.EINTR {
			return err != syscall.EAGAIN
		}
	}
}
