package bounds

import (
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

// Names and numbers that are longer than any may be are refused; texts, bits and bytes of any length are not.
func TestLongTokens(t *testing.T) {
	long := func(s string) string { return strings.Repeat(s, 100_000) }
	for text, want := range map[string]int{
		"DESC " + long("a"): 1059, "SELECT * FROM `" + long("a b") + "`": 1059, "SELECT @" + long("a"): 1059, "SELECT 1 AS " + long("a"): 1059, "SELECT @`" + long("a") + "`": 1059,
		"SELECT " + long("1"): 1367, "SELECT 1." + long("1"): 1367, "SELECT ." + long("1"): 1367, "SELECT 1e" + long("1"): 1367, "INSERT INTO t VALUES (" + long("9") + ")": 1367,
		"SELECT '" + long("a") + "'": 0, "SELECT '" + long("1") + "'": 0, "SELECT 0x" + long("1"): 0, "SELECT 0X" + long("a"): 0, "SELECT x'" + long("aa") + "'": 0, "SELECT b'" + long("1") + "'": 0, "SELECT 0b" + long("1"): 0,
		"SELECT /*" + long("1") + "*/ 1": 0, "SELECT 1 -- " + long("a"): 0, "SELECT `" + strings.Repeat("a", 1024) + "`, " + strings.Repeat("1", 1000): 0,
	} {
		w := Measure(text, false)
		err := w.Check()
		got := 0
		if e := (*mysql.SQLError)(nil); errors.As(err, &e) {
			got = e.Num
		}
		if got != want {
			t.Errorf("%.40s: %v, want %d", text, err, want)
		}
	}
}
