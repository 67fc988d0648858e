package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"pfsd/ringbuf"
)

// describeMachine says what the figures hold for.
func describeMachine(w io.Writer) {
	fmt.Fprintf(w, "%s/%s %s, %d processors, %s, %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), runtime.NumCPU(), processor(), ringbuf.Variant)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Fprintf(w, "load before: %s\n", strings.Join(strings.Fields(string(load))[:3], " "))
	}
	fmt.Fprintln(w)
}

// processor is the processor's name, if the machine says.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if key, name, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return "unknown processor"
}

// watchOthers returns a function that says how busy other processes have kept the machine
// since.
func watchOthers() func(w io.Writer) {
	begin, others := time.Now(), othersBusy()
	return func(w io.Writer) {
		share := (othersBusy() - others).Seconds() / time.Since(begin).Seconds() / float64(runtime.NumCPU())
		if share > 0.06 {
			fmt.Fprintf(w, "Other processes took %.0f %% of the machine meanwhile: the figures are too high by an unknown amount.\n", 100*share)
		} else {
			fmt.Fprintf(w, "Other processes took %.0f %% of the machine meanwhile.\n", 100*max(0, share))
		}
	}
}

// othersBusy is how long the processors have worked for others than this process; 0 where
// the machine does not say.
func othersBusy() time.Duration {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(stat), "\n")
	const tick = 10 * time.Millisecond
	var busy time.Duration
	for i, field := range strings.Fields(line)[1:] {
		// user nice system idle iowait irq softirq steal guest guest_nice, the last two of
		// which are in the first ones as well
		if n, err := strconv.ParseInt(field, 10, 64); err == nil && i != 3 && i != 4 && i < 8 {
			busy += time.Duration(n) * tick
		}
	}
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil {
		return 0
	}
	return busy - time.Duration(own.Utime.Nano()+own.Stime.Nano())
}
