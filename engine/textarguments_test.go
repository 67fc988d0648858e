package engine

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// TestTextArguments: functions of texts take times and numbers as the texts that clients see.
func TestTextArguments(t *testing.T) {
	needGeneralFunctions(t)
	r := serve(t, Options{})
	r.exec(t, "CREATE TABLE test.v (dt DATETIME, d DATE, ti TIME, de DECIMAL(5,2), y YEAR, f DOUBLE, j JSON, n INT)")
	r.exec(t, `INSERT INTO test.v VALUES ('2026-01-02 03:04:05', '2026-01-02', '-01:02:03', 1.5, 2026, 2.5, '{"a": 1}', NULL), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`)
	for q, want := range map[string]string{
		"LEFT(dt, 13), LEFT(d, 4), LEFT(ti, 3), LEFT(de, 3), LEFT(y, 2), LEFT(f, 2), LEFT(j, 3)":   `2026-01-02 03|2026|-01|1.5|20|2.|{"a`,
		"RIGHT(dt, 2), RIGHT(d, 2), RIGHT(ti, 2), RIGHT(de, 2), RIGHT(y, 2), RIGHT(f, 1)":          "05|02|03|50|26|5",
		"SUBSTRING(dt, 1, 4), MID(d, 6, 2), REVERSE(d), SUBSTRING_INDEX(ti, ':', 1), UPPER(ti)":    "2026|01|20-10-6202|-01|-01:02:03",
		"CONCAT(dt, d, ti, de, y), CONCAT_WS(' ', d, ti), CHAR_LENGTH(dt), LENGTH(d), LENGTH(ti)":  "2026-01-02 03:04:052026-01-02-01:02:031.502026|2026-01-02 -01:02:03|19|10|9",
		"REPLACE(d, '-', '/'), LPAD(ti, 10, ' '), INSTR(dt, ' '), LOCATE(':', ti), STRCMP(d, 'a')": "2026/01/02| -01:02:03|11|4|-1",
		"MD5(d) = MD5('2026-01-02'), CRC32(d) = CRC32('2026-01-02'), LEFT(n, 1), LEFT(12345, 2)":   "1|1|NULL|12",
	} {
		nulls := "SELECT LEFT(dt, 1), RIGHT(ti, 1), CONCAT(d), REVERSE(y) FROM test.v WHERE d IS NULL"
		r.want(t, nulls, "NULL|NULL|NULL|NULL")
		r.want(t, "SELECT "+q+" FROM test.v WHERE d IS NOT NULL", want)
	}
	ctx := sql.NewEmptyContext()
	now := expression.NewLiteral(types.Timespan(0), types.Time)
	if _, err := function.NewLeft(ctx, now, expression.NewLiteral(int64(1), types.Int64)).Eval(ctx, nil); err == nil {
		t.Error("go-mysql-server's LEFT takes a TIME: sqlexpr/textarguments.go is no longer needed")
	}
}
