//go:build unix && !(linux && (amd64 || arm64))

package instr

import "syscall"

// canPeek reports whether readable can find it out.
const canPeek = true

// readable reports whether a read from a socket would return at once.
func readable(fd uintptr) bool {
	var b [1]byte
	for {
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		if err != syscall.EINTR {
			return err != syscall.EAGAIN
		}
	}
}
