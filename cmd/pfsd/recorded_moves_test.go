package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Bytes count however they move: by writev, sendfile, splice, copy_file_range, by system calls that package net does not make, and by those
// that the program makes itself. What waits for such a call is an operation.
func TestRecordedMoves(t *testing.T) {
	program, dir := wovenOf(t, "moves"), t.TempDir()
	startProgram(t, program, dir)
	_, m := recordingIn(t, dir)
	line := func(text string) string { return "main.go:" + placeOf("moves", text) }

	bytes, count := map[string]int{}, map[string]int{}
	for _, row := range rows(t, m, "events_waits_history_long", "NUMBER_OF_BYTES", "SOURCE", "OPERATION", "EVENT_NAME") {
		moved, what, _ := strings.Cut(row, " ")
		n := 0
		_, _ = fmt.Sscan(moved, &n)
		bytes[what] += n
		count[what]++
		if strings.Contains(what, " wait wait/io/") {
			t.Errorf("a wait without an operation: %s", row)
		}
	}
	for what, want := range map[string]int{
		line("_, err := b.WriteTo(c)") + " send wait/io/socket/main/vectors":                     1234,
		line("n, err := io.Copy(to, from)") + " write wait/io/file/main/files":                   100_000,
		line("_, err = io.Copy(c, from)") + " send wait/io/socket/main/serveFile":                100_000,
		line("n, err := io.Copy(out, s)") + " recv wait/io/socket/main/proxy":                    100_000,
		line("n, err := io.Copy(out, s)") + " send wait/io/socket/main/proxy":                    100_000,
		line("n, _, e := syscall.Syscall6") + " recvfrom wait/io/socket/main/packets.func2":      320,
		line("check(raw.Read(") + " recvfrom wait/io/socket/main/packets":                        0, // the wait
		line("_, err = syscall.Write(fd, make([]byte, 77))") + " write wait/io/file/main/direct": 77,
	} {
		if count[what] == 0 || bytes[what] != want {
			t.Errorf("%s: %d bytes, not %d, in %d events", what, bytes[what], want, count[what])
		}
	}
	files := rows(t, m, "file_summary_by_instance", "SUM_NUMBER_OF_BYTES_READ", "SUM_NUMBER_OF_BYTES_WRITE", "FILE_NAME")
	name := filepath.Join(dir, "source")
	for _, want := range []string{"200000 100000 " + name, "0 100000 " + name + ".copy"} {
		if !slices.Contains(files, want) {
			t.Errorf("files %q, without %s", files, want)
		}
	}
	// What was counted is in the summary by instrument as well.
	sockets := rows(t, m, "socket_summary_by_event_name", "EVENT_NAME", "SUM_NUMBER_OF_BYTES_READ", "SUM_NUMBER_OF_BYTES_WRITE")
	for _, want := range []string{"wait/io/socket/main/vectors 0 1234", "wait/io/socket/main/packets.func2 320 0", "wait/io/socket/main/proxy 100000 100000"} {
		if !slices.Contains(sockets, want) {
			t.Errorf("sockets %q, without %s", sockets, want)
		}
	}
}
