package tables

import (
	"fmt"

	"pfsd/instr"
)

// provideServer provides rows for the tables log_status and tls_channel_status.
func provideServer(reg *instr.Registry) {
	Provide(Of(reg), func(Key) []LogStatusRow {
		return []LogStatusRow{{ServerUUID: "00000000-0000-4000-8000-000000000000", Local: `{"gtid_executed": ""}`, Replication: `{"channels": []}`, StorageEngines: "{}"}}
	})
	Provide(Of(reg), func(Key) (rows []TLSChannelRow) {
		for i := range 12 {
			rows = append(rows, TLSChannelRow{Channel: "mysql_main", Property: fmt.Sprint("Ssl_", i), Value: fmt.Sprint(i)})
		}
		return rows
	})
}
