//go:build !linux

package wire

import "syscall"

// directCalls reports whether there are direct calls: only on Linux.
const directCalls = false

func directRead(uintptr, []byte) (int, syscall.Errno)  { return 0, syscall.ENOSYS }
func directWrite(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }
