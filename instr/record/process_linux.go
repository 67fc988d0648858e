package record

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Alive reports whether the process still runs: as long as it does, it holds a lock on the file.
func (r *Recording) Alive() bool {
	fd := int(r.file.Fd())
	if unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) != nil {
		return true
	}
	_ = unix.Flock(fd, unix.LOCK_UN)
	return false
}

// ofProcess opens the recording that a process keeps open while it runs. It returns nil if there is
// none, and an error if it cannot be read. A process in another PID namespace has another number in
// its recording: its own innermost one.
func ofProcess(pid uint64) (*Recording, error) {
	proc := fmt.Sprintf("/proc/%d", pid)
	status, err := os.ReadFile("/proc/" + fmt.Sprint(pid) + "/status")
	if err != nil {
		return nil, nil
	}
	own := fmt.Sprint(pid)
	for line := range strings.Lines(string(status)) {
		if numbers, ok := strings.CutPrefix(line, "NSpid:"); ok {
			if list := strings.Fields(numbers); len(list) > 0 {
				own = list[len(list)-1]
			}
		}
	}
	files, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return nil, nil
	}
	var refused error
	for _, file := range files {
		path, err := os.Readlink(filepath.Join(proc, "fd", file.Name()))
		if err != nil || !strings.HasPrefix(filepath.Base(path), prefix+own+".") {
			continue
		}
		// The path is that of the process's own mount namespace.
		for _, path := range []string{path, filepath.Join(proc, "root", path)} {
			r, err := Open(path)
			switch {
			case err == nil && fmt.Sprint(r.Info().PID) == own:
				return r, nil
			case err == nil:
				_ = r.Close()
			case isRefusal(err):
				refused = err
			}
		}
	}
	return nil, refused
}

// monotonic is the clock that recorders read, nanoseconds.
func monotonic() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return math.MaxInt64
	}
	return uint64(t.Nano())
}
