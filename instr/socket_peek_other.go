//go:build !unix

package instr

const canPeek = false

func readable(uintptr) bool { return true }
