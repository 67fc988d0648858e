package instr

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Only a regular file of at most the given size is read, and nothing waits: a pipe has no writer.
func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	small, large, empty := write("small", "text"), write("large", strings.Repeat("x", 1000)), write("empty", "")
	pipe, link, socket, sparse := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "socket"), write("sparse", "")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Symlink(small, link), os.Truncate(sparse, 1<<40)); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	for _, class := range []*FileClass{nil, NewRegistry().NewFileClass("test/file")} {
		for path, want := range map[string]string{small: "text", link: "text", empty: "", large: strings.Repeat("x", 1000)} {
			if got, err := class.ReadRegular(path, 1000); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
		for path, want := range map[string]error{
			pipe: ErrNotRegular, socket: ErrNotRegular, dir: ErrNotRegular, "/dev/zero": ErrNotRegular, sparse: ErrFileTooLarge, "/proc/cpuinfo": ErrFileTooLarge,
			filepath.Join(dir, "none"): os.ErrNotExist,
		} {
			got, err := class.ReadRegular(path, 20)
			var place *os.PathError
			if got != nil || !errors.Is(err, want) || !errors.As(err, &place) || place.Path != path {
				t.Errorf("%s: %q, %v, want %v", path, got, err, want)
			}
		}
	}
}
