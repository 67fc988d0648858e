package syntax

import "testing"

func TestLiterals(t *testing.T) {
	rewrites(t, map[string]string{
		"SELECT N'a', n'N''x', 0b101, _utf8mb4 0b1 FROM t": "SELECT 'a', 'N''x', 0x05, _utf8mb4 0x01 FROM t",
		"SELECT 0b100000001": "SELECT 0x0101",
		"SELECT 'a'N'b'":     "SELECT 'a' 'b'",
	})
	keeps(t, "SELECT n, 'N', \"0b1\", `0b1`, t.0b1, 0b12 FROM t", "SELECT 10b1 FROM t", "SELECT xn'a'", "SELECT 1 -- N'a'")
}
