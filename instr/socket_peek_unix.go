//go:build unix && !(linux && (amd64 || arm64))

package instr

import "syscall"

// canPeek reports whether readable knows.
const canPeek = true

// readable reports whether reading from a socket would not wait.
func readable(fd uintptr) bool {
	var b [1]byte
	for {
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		if err != syscall.EINTR {
			return err != syscall.EAGAIN
		}
	}
}
