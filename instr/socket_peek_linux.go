//go:build linux && (amd64 || arm64)

package instr

import (
	"syscall"
	"unsafe"
)

// canPeek reports whether readable can find it out.
const canPeek = true

// readable reports whether a read from a socket would return at once. The system call does not wait, so it bypasses Go's
// scheduler, whose monitor would otherwise wake each time that an idle program gets data from a client.
func readable(fd uintptr) bool {
	var b [1]byte
	for {
		_, _, err := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(&b[0])), 1, syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
		if err != syscall.EINTR {
			return err != syscall.EAGAIN
		}
	}
}
