package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// filePages is how many bytes of files the process has in memory.
func filePages() uint64 {
	var size, resident, shared uint64
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscan(string(text), &size, &resident, &shared)
	return shared * uint64(os.Getpagesize())
}

// returnFilePages returns the pages of the program's own file to the system, which brings those back that are used again. A mapping that
// has pages of its own, as one with relocations or a debugger's breakpoints, is left as it is: the file does not have these pages.
func returnFilePages() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	var start, end uintptr // of a mapping that can be returned, as far as its lines have been read
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		line := lines.Text()
		var from, to uintptr
		var rights, offset, device, inode string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %s %s %s", &from, &to, &rights, &offset, &device, &inode); n == 6 {
			start, end = 0, 0
			if strings.HasSuffix(line, " "+program) && strings.HasPrefix(rights, "r-") && strings.HasSuffix(rights, "p") {
				start, end = from, to
			}
		} else if own, found := strings.CutPrefix(line, "Anonymous:"); found && end > start {
			if strings.Join(strings.Fields(own), "") == "0kB" {
				_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_DONTNEED)
			}
			start, end = 0, 0
		}
	}
}
