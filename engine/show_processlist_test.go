package engine

import (
	"slices"
	"strings"
	"testing"
)

// SHOW PROCESSLIST answers the same whether it reads the table or not.
func TestShowProcesslist(t *testing.T) {
	r := serveAll(t, Options{})
	r.db.SetMaxOpenConns(1)
	other, _ := r.conn(t) // takes the only one
	_ = other.Close()
	second := r.open(t, "")
	if err := second.Ping(); err != nil {
		t.Fatal(err)
	}
	long := " /* " + strings.Repeat("é", 200) + " */"
	show := func(statement string) (rows []string) {
		for _, row := range r.query(t, statement) {
			cells := strings.Split(row, "|")
			cells[5] = "" // the time
			rows = append(rows, strings.Join(cells, "|"))
		}
		return rows
	}
	var before [2][]string
	for _, on := range []string{"OFF", "ON"} {
		r.exec(t, "SET GLOBAL performance_schema_show_processlist = "+on)
		r.want(t, "SELECT @@performance_schema_show_processlist", map[string]string{"OFF": "0", "ON": "1"}[on])
		for i, statement := range []string{"SHOW PROCESSLIST" + long, "SHOW FULL PROCESSLIST" + long} {
			got := show(statement)
			info := statement
			if i == 0 {
				info = string([]rune(statement)[:100])
			}
			if len(got) != 2 || !strings.HasSuffix(got[0], "|"+info) || !strings.HasSuffix(got[1], "|NULL") {
				t.Errorf("%s: %q", on, got)
			}
			if before[i] != nil && !slices.Equal(before[i], got) {
				t.Errorf("%s\n got %q\nwant %q", statement, got, before[i])
			}
			before[i] = got
		}
	}
	r.want(t, "SELECT VARIABLE_SOURCE FROM variables_info WHERE VARIABLE_NAME = 'performance_schema_show_processlist'", "DYNAMIC")
	on := serveAll(t, parse(t, "--port=0", "--performance-schema-show-processlist").Options)
	on.want(t, "SELECT @@performance_schema_show_processlist", "1")
}
