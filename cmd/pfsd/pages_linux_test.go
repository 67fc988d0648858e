package main

import (
	"bytes"
	"os"
	"syscall"
	"testing"
	"time"
)

// An idle server returns the pages of its own file, and keeps those that the file does not have as they are in memory.
func TestIdleFilePages(t *testing.T) {
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	mapped := func(size int) []byte {
		t.Helper()
		b, err := syscall.Mmap(int(program.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Munmap(b) })
		return b
	}
	const size = 32 << 20
	clean, changed := mapped(size), mapped(os.Getpagesize())
	copy(changed, "changed")
	use := func() {
		if bytes.Count(clean, []byte{0}) == 0 {
			t.Error("the program has no zeroes")
		}
	}
	for _, b := range [][]byte{clean, changed} {
		if err := syscall.Mprotect(b, syscall.PROT_READ); err != nil {
			t.Fatal(err)
		}
	}
	use()
	before := filePages()
	if before < size {
		t.Fatalf("%d bytes of files are in memory", before)
	}
	ticks := make(chan time.Time)
	defer returnMemory(ticks)()
	tick := func(n int) {
		for range n + 1 { // the end of a tick is certain when the next one is taken
			ticks <- time.Time{}
		}
	}
	returned := func(what string) {
		t.Helper()
		if now := filePages(); now+size > before {
			t.Errorf("%s: %d bytes of files are in memory, %d were before", what, now, before)
		}
	}
	tick(2)
	returned("at the start")
	use() // more than what was used in an idle interval
	tick(1)
	returned("more was used")
	use()
	allocated = make([]byte, 2*idleRoom)
	tick(2) // the first one is not idle
	returned("after work")
	if !bytes.HasPrefix(changed, []byte("changed")) {
		t.Error("a page that was changed has what the file has")
	}
}
