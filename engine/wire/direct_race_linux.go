//go:build linux && race

package wire

import "syscall"

const directCalls = true

// directRead and directWrite call functions that tell the race detector that a write happens before
// the read of its data.
func directRead(fd uintptr, p []byte) (int, syscall.Errno) { return directCall(syscall.Read, fd, p) }

func directWrite(fd uintptr, p []byte) (int, syscall.Errno) { return directCall(syscall.Write, fd, p) }

func directCall(call func(fd int, p []byte) (int, error), fd uintptr, p []byte) (int, syscall.Errno) {
	for {
		n, err := call(int(fd), p)
		errno, _ := err.(syscall.Errno)
		switch errno {
		case 0:
			return n, 0
		case syscall.EINTR:
			continue
		}
		return 0, errno
	}
}
