package config

import (
	"math"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"

	"pfsd/instr"
)

// maxKernelFile is how many bytes of a file of the kernel are read.
const maxKernelFile = 1 << 20

// The limits of memory of a server inside another program, in bytes: for a statement, a connection,
// and all connections together.
const (
	guestQuery      = 64 << 20
	guestConnection = 128 << 20
	guestAll        = 256 << 20
)

// memoryLimits returns the limits of memory for a statement, a connection and all connections.
// guest is the default for a server inside another program. A server that is a program by itself
// may use one part-th of the machine's memory.
func (o *Options) memoryLimits() [3]struct {
	limit       *int64
	guest, part int64
} {
	return [3]struct {
		limit       *int64
		guest, part int64
	}{{&o.QueryMemoryLimit, guestQuery, 16}, {&o.ConnectionMemoryLimit, guestConnection, 8}, {&o.GlobalConnectionMemoryLimit, guestAll, 2}}
}

// automaticMemory is the value of a limit that is a part of the machine's memory.
const automaticMemory = -1

// setMemoryLimits calculates the limits of memory that are 0, which means the limit for a server
// inside another program, or automatic.
func (o *Options) setMemoryLimits() {
	for _, l := range o.memoryLimits() {
		switch *l.limit {
		case 0:
			*l.limit = l.guest
		case automaticMemory:
			*l.limit = max(l.guest, MachineMemory()/l.part)
		}
	}
}

// ownMemory makes limits automatic that nobody has set, for a server that is a program by itself.
func (o *Options) ownMemory() {
	for _, l := range o.memoryLimits() {
		if *l.limit == 0 {
			*l.limit = automaticMemory
		}
	}
}

// MachineMemory returns how much memory the program may use, in bytes: the least of the machine's
// memory, the limit of the control group and GOMEMLIMIT. It returns 0 if none of them is known.
// Safe for concurrent use.
func MachineMemory() int64 {
	limit := []runtimemetrics.Sample{{Name: "/gc/gomemlimit:bytes"}}
	runtimemetrics.Read(limit)
	least := int64(math.MaxInt64)
	if limit[0].Value.Kind() == runtimemetrics.KindUint64 {
		least = int64(min(limit[0].Value.Uint64(), math.MaxInt64))
	}
	found := least != math.MaxInt64
	for _, bytes := range []int64{
		fileBytes("/sys/fs/cgroup/memory.max"), fileBytes("/sys/fs/cgroup/memory/memory.limit_in_bytes"), meminfo("/proc/meminfo"),
	} {
		if bytes > 0 {
			least, found = min(least, bytes), true
		}
	}
	if !found {
		return 0
	}
	return least
}

// fileBytes returns the number in a file, 0 if there is none.
func fileBytes(path string) int64 {
	text, err := (*instr.FileClass)(nil).ReadRegular(path, maxKernelFile)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0 // such as "max", which means no limit
	}
	return n
}

// meminfo returns the memory of the machine as Linux shows it, in bytes, or 0 if it does not.
func meminfo(path string) int64 {
	text, err := (*instr.FileClass)(nil).ReadRegular(path, maxKernelFile)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
