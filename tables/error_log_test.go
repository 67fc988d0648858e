package tables

import (
	"fmt"
	"time"

	"pfsd/instr"
)

// provideErrorLog provides some events for the table error_log.
func provideErrorLog(reg *instr.Registry) {
	Provide(Of(reg), func(Key) (rows []ErrorLogRow) {
		for i := range 12 {
			rows = append(rows, ErrorLogRow{
				Logged: time.Unix(1_700_000_000, int64(i)*1000), ThreadID: uint64(i % 5), Prio: []string{"System", "Error", "Warning", "Note"}[i%4],
				ErrorCode: fmt.Sprintf("MY-%06d", 10910+i%3), Subsystem: []string{"Server", "InnoDB"}[i%2], Data: fmt.Sprint("event ", i),
			})
		}
		return rows
	})
}
