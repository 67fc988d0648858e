package engine

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pfsd/tables"
)

// TestTextsOfClientsAreCharacters: whatever bytes a client sends, columns of characters hold characters.
func TestTextsOfClientsAreCharacters(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	r.exec(t, "UPDATE setup_consumers SET ENABLED = 'YES'")
	db := r.open(t, "connectionAttributes=bad:%ff%fe,b%ff:x")
	db.SetMaxOpenConns(1)
	for _, q := range []string{
		"SELECT 'a\xff\xfeb', '\xc3' AS `c\xff`", "SELECT nosuch\xff FROM `t\xff`", "SET @`u\xff` = 'v\xff'", "PREPARE `s\xff` FROM 'SELECT \"\xff\"'", "/* \xff */ SELECT '\xef\xbf\xbd'",
		"SELECT GET_LOCK('l\xff', 0)", "SAVEPOINT `p\xff`", "\xff",
	} {
		rows, err := db.Query(q)
		if err == nil {
			_ = rows.Close() // some of them fail, which is as good
		}
	}
	seen := 0
	for _, row := range r.query(t, "SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'performance_schema' AND CHARACTER_SET_NAME IS NOT NULL") {
		table, column, _ := strings.Cut(row, "|")
		for _, text := range r.query(t, "SELECT `"+column+"` FROM `"+table+"`") {
			if !utf8.ValidString(text) {
				t.Errorf("%s.%s: %q", table, column, text)
			}
			if strings.Contains(text, "'a??b'") {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Error("no column has the statement")
	}
	rows, err := r.db.Query("CALL sys.diagnostics(1, 1, 'current')")
	if err != nil {
		t.Fatal(err)
	}
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
		}
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
}
