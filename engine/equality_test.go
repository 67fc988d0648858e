package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pfsd/tables"
)

func TestEqualitiesReachTheTable(t *testing.T) {
	var last atomic.Pointer[tables.Key]
	f := &fake{name: "numbers", rows: 10, scanned: func(k tables.Key) { last.Store(&k) }}
	r := serve(t, Options{}, f)
	for where, want := range map[string]string{
		"ID = 5":                               "ID=5",
		"5 = ID":                               "ID=5",
		"ID = '5'":                             "ID=5",
		"ID = 5 AND LEVEL < 3":                 "ID=5",
		"EVENT_NAME = 'wait/test/5'":           "EVENT_NAME=wait/test/5",
		"LEVEL = -5 AND ENABLED = 'yes'":       "LEVEL=-5 ENABLED=yes",
		"EVENT_NAME = 'é'":                     "",
		"DOC = 'x'":                            "~DOC=x", // nearly so: the condition stays
		"DOC = 'é'":                            "",
		"DOC = 'x ' AND ID = 5":                "ID=5",
		"EVENT_NAME = BINARY 'x'":              "",
		"EVENT_NAME = 'a' OR ID = 5":           "",
		"EVENT_NAME LIKE 'x%'":                 "",
		"EVENT_NAME = LEVEL":                   "",
		"EVENT_NAME COLLATE utf8mb4_bin = 'x'": "",
	} {
		r.query(t, "SELECT * FROM numbers WHERE "+where)
		if got := keyText(*last.Load()); got != want {
			t.Errorf("%s: key %q, want %q", where, got, want)
		}
	}
}

func keyText(key tables.Key) string {
	var all []string
	for _, e := range key {
		v := e.Value.Str()
		if !e.Value.IsText() {
			v = fmt.Sprint(int64(e.Value.Bits()))
		}
		near := ""
		if e.Near {
			near = "~"
		}
		all = append(all, near+e.Column+"="+v)
	}
	return strings.Join(all, " ")
}

// TestNamesReachTheTable: users are compared byte by byte, hosts without regard to case, and
// neither by the spaces at their ends; with and without an index, and as the executor compares
// where there is nothing to leave to the table.
func TestNamesReachTheTable(t *testing.T) {
	var last atomic.Pointer[tables.Key]
	names := func(name string, indexes ...tables.Index) *valueTable {
		return &valueTable{
			readOnlyTable: readOnlyTable{name, []tables.ColumnInfo{
				{Name: "USER", Kind: tables.Kind{Type: tables.TypeChar, Len: 32, Nullable: true, Binary: true}},
				{Name: "HOST", Kind: tables.Kind{Type: tables.TypeChar, Len: 255, Nullable: true, ASCII: true}},
				{Name: "ALIAS", Kind: tables.Kind{Type: tables.TypeVarChar, Len: 32}},
			}, indexes},
			rows: [][]tables.Value{
				{tables.Text("root"), tables.Text("localhost"), tables.Text("a")},
				{tables.Text("Root"), tables.Text("LOCALHOST"), tables.Text("b")},
				{tables.Text("rööt"), tables.Text("db1"), tables.Text("c")},
				{tables.Null, tables.Null, tables.Text("d")},
				{tables.Text("root"), tables.Null, tables.Text("é")},
			},
			scanned: func(k tables.Key) { last.Store(&k) },
		}
	}
	r := serve(t, Options{}, names("plain"), names("indexed", tables.Index{Name: "ACCOUNT", Columns: []string{"USER", "HOST"}, Unique: true}))
	for _, c := range []struct {
		where, key string
		want       []string
	}{
		{"USER = 'root'", "USER=root", []string{"a", "é"}},
		{"USER = 'ROOT'", "USER=ROOT", nil},
		{"USER = 'root  '", "USER=root", []string{"a", "é"}},
		{"USER = ' root'", "USER= root", nil},
		{"USER = 'rööt'", "", []string{"c"}},
		{"HOST = 'LocalHost'", "HOST=LocalHost", []string{"a", "b"}},
		{"HOST = 'localhost '", "HOST=localhost", []string{"a", "b"}},
		{"USER = 'root' AND HOST = 'localhost'", "USER=root HOST=localhost", []string{"a"}},
		{"HOST = 'LOCALHOST' AND USER = 'Root' AND ALIAS = 'B'", "HOST=LOCALHOST USER=Root ~ALIAS=B", []string{"b"}},
		{"USER IS NULL", "", []string{"d"}},
		{"USER <=> NULL", "", []string{"d"}},
		{"USER <=> NULL AND HOST IS NULL", "", []string{"d"}},
		{"USER = 'root' AND HOST IS NULL", "USER=root", []string{"é"}},
		{"USER = NULL", "", nil},
		{"USER = ''", "USER=", nil},
		{"ALIAS = 'E'", "", []string{"é"}},
		{"USER IN ('root', 'Root') AND HOST = 'localhost'", "", []string{"a", "b"}},
		{"USER <> 'root'", "", []string{"b", "c"}},
	} {
		for _, table := range []string{"plain", "indexed"} {
			last.Store(&tables.Key{})
			q := "SELECT ALIAS FROM " + table + " WHERE " + c.where
			if got := r.query(t, q); !slices.Equal(got, c.want) {
				t.Errorf("%s: got %q, want %q", q, got, c.want)
			}
			if got := keyText(*last.Load()); table == "plain" && c.key != "" && got != c.key {
				t.Errorf("%s: key %q, want %q", q, got, c.key)
			}
		}
	}
	// Through a join, a prepared statement, and a table that the executor holds.
	r.exec(t, "CREATE TABLE test.users (NAME CHAR(32) COLLATE utf8mb4_bin)")
	r.exec(t, "INSERT INTO test.users VALUES ('root'), ('ROOT')")
	for _, table := range []string{"plain", "indexed"} {
		r.want(t, "SELECT ALIAS FROM "+table+" JOIN test.users ON USER = NAME ORDER BY ALIAS", "a", "é")
		if got := r.query(t, "SELECT ALIAS FROM "+table+" WHERE USER = ? AND HOST = ?", "Root", "localhost"); !slices.Equal(got, []string{"b"}) {
			t.Errorf("%s: a prepared statement has %q", table, got)
		}
	}
}
