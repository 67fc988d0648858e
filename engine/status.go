package engine

import (
	"sync/atomic"
	"time"

	"pfsd/instr"
)

// statusPrefix begins the names of the status variables that are ours.
const statusPrefix = "Performance_schema_"

// statusOf returns how to work out the status variables of a server that starts now.
func statusOf(reg *instr.Registry, prepared *atomic.Int64) func() map[string]uint64 {
	started := time.Now()
	return func() map[string]uint64 {
		values := map[string]uint64{
			"Prepared_stmt_count":                               uint64(prepared.Load()),
			"Uptime":                                            uint64(time.Since(started) / time.Second),
			statusPrefix + "locker_lost":                        reg.LockerLost(),
			statusPrefix + "nested_statement_lost":              reg.NestedStatementLost(),
			statusPrefix + "digest_lost":                        reg.DigestsLost(),
			statusPrefix + "session_connect_attrs_lost":         reg.ConnectAttrsLost(),
			statusPrefix + "session_connect_attrs_longest_seen": reg.ConnectAttrsLongestSeen(),
		}
		for l := range instr.LimitCount {
			if name := l.LostName(); name != "" {
				values[statusPrefix+name] = reg.Lost(l)
			}
		}
		return values
	}
}
