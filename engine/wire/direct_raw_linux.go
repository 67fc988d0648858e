//go:build linux && !race

package wire

import (
	"syscall"
	"unsafe"
)

const directCalls = true

// directRead reads into p, which is not empty, once.
func directRead(fd uintptr, p []byte) (int, syscall.Errno) {
	return directCall(syscall.SYS_READ, fd, p)
}

// directWrite writes p, which is not empty, once.
func directWrite(fd uintptr, p []byte) (int, syscall.Errno) {
	return directCall(syscall.SYS_WRITE, fd, p)
}

func directCall(call, fd uintptr, p []byte) (int, syscall.Errno) {
	for {
		n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
		switch errno {
		case 0:
			return int(n), 0
		case syscall.EINTR:
			continue
		}
		return 0, errno
	}
}
