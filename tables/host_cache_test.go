package tables

import (
	"fmt"
	"testing"
	"time"

	"pfsd/instr"
)

// provideHostCache provides some addresses for the table host_cache.
func provideHostCache(reg *instr.Registry) {
	Provide(Of(reg), func(Key) (rows []HostCacheRow) {
		for i := range 12 {
			r := HostCacheRow{IP: fmt.Sprint("192.0.2.", i), Validated: i%2 == 0, First: time.Unix(1_700_000_000, 0), Last: time.Unix(1_700_000_001, 0)}
			if i%3 == 0 {
				r.Host = fmt.Sprintf("h%d.example.com", i%4)
			}
			rows = append(rows, r)
		}
		return rows
	})
}

// The server empties the table; without a server TRUNCATE does nothing.
func TestHostCacheTruncate(t *testing.T) {
	reg := instr.NewRegistry()
	table := tableNamed(t, "host_cache")
	table.Truncate(Of(reg))
	times := 0
	ProvideTruncate[HostCacheRow](Of(reg), func() { times++ })
	table.Truncate(Of(reg))
	ProvideTruncate[HostCacheRow](Of(reg), nil)
	table.Truncate(Of(reg))
	if times != 1 {
		t.Errorf("truncated %d times", times)
	}
}
