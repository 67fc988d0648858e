//go:build !linux

package wire

import "syscall"

// directCalls tells whether there are direct calls. Elsewhere than on Linux they are the business of a library.
const directCalls = false

func directRead(uintptr, []byte) (int, syscall.Errno)  { return 0, syscall.ENOSYS }
func directWrite(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }
