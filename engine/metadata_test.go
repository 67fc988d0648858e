package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/tables"
)

// TestMetadata compares what information_schema and SHOW say of every table with the facts.
func TestMetadata(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	own := map[string]bool{}
	for _, def := range tables.All() {
		own[def.Name()] = true
	}
	r.exec(t, "CREATE TABLE test.accounts (a INT PRIMARY KEY, b VARCHAR(10) DEFAULT 'x', KEY (b))")
	t.Run("tables", func(t *testing.T) {
		for _, f := range mysqlFacts(t, "table_meta.tsv") {
			if !own[f["table"]] {
				continue
			}
			r.want(t, "SELECT TABLE_CATALOG, TABLE_TYPE, ENGINE, VERSION, ROW_FORMAT, AVG_ROW_LENGTH, DATA_LENGTH, MAX_DATA_LENGTH, INDEX_LENGTH, DATA_FREE,"+
				" AUTO_INCREMENT, CREATE_TIME > NOW() - INTERVAL 1 HOUR AND CREATE_TIME <= NOW(), UPDATE_TIME, CHECK_TIME, TABLE_COLLATION, CHECKSUM, CREATE_OPTIONS, TABLE_COMMENT"+
				" FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = '"+f["table"]+"'",
				fmt.Sprintf("def|%s|%s|%s|%s|0|0|0|0|0|NULL|1|NULL|NULL|%s|NULL|%s|", f["table_type"], f["engine"], f["version"], f["row_format"], f["table_collation"], f["create_options"]))
		}
	})
	t.Run("columns", func(t *testing.T) {
		facts := map[string][]string{}
		for _, f := range mysqlFacts(t, "tables.tsv") {
			if f["in_8.4"] != "YES" {
				continue
			}
			def := f["default"]
			if def == "(none)" {
				def = "NULL"
			}
			charset, coll := f["charset"], f["collation"]
			if charset == "" {
				charset, coll = "NULL", "NULL"
			}
			typ, _, _ := strings.Cut(f["type"], "(")
			typ, _, _ = strings.Cut(typ, " ")
			nullableWhereUnknown(f)
			facts[f["table"]] = append(facts[f["table"]], strings.Join([]string{strconv.Itoa(len(facts[f["table"]]) + 1), f["column"], f["type"], typ, f["nullable"], def, charset, coll}, "|"))
		}
		for name := range own {
			if facts[name] == nil {
				continue
			}
			if name == "performance_timers" { // this machine's have one more
				for i := range facts[name] {
					facts[name][i] = strings.Replace(facts[name][i], "'MILLISECOND',", "'MILLISECOND','TICK',", 1)
				}
			}
			r.want(t, "SELECT ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, IS_NULLABLE, COLUMN_DEFAULT, CHARACTER_SET_NAME, COLLATION_NAME"+
				" FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = '"+name+"'", facts[name]...)
		}
	})
	t.Run("statistics", func(t *testing.T) {
		for _, f := range mysqlFacts(t, "indexes.tsv") {
			if !own[f["table"]] {
				continue
			}
			var rows []string
			for i, c := range strings.Split(f["columns"], ",") {
				unique := "0"
				if f["kind"] == "KEY" {
					unique = "1"
				}
				rows = append(rows, fmt.Sprintf("%s|%d|%s|NULL|NULL|NULL|NULL|%s|||YES|NULL", unique, i+1, c, f["type"]))
			}
			r.want(t, "SELECT NON_UNIQUE, SEQ_IN_INDEX, COLUMN_NAME, COLLATION, CARDINALITY, SUB_PART, PACKED, INDEX_TYPE, COMMENT, INDEX_COMMENT, IS_VISIBLE, EXPRESSION"+
				" FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = '"+f["table"]+"' AND INDEX_NAME = '"+f["index"]+"'", rows...)
		}
	})
	t.Run("all", func(t *testing.T) {
		for _, table := range []string{"TABLES", "COLUMNS", "STATISTICS", "TABLE_CONSTRAINTS", "KEY_COLUMN_USAGE"} {
			// Each row once, whatever the condition looks like.
			for _, where := range []string{
				"WHERE TABLE_SCHEMA = 'performance_schema'", "WHERE 'PERFORMANCE_SCHEMA' = TABLE_SCHEMA", "x WHERE x.TABLE_SCHEMA LIKE 'performance\\_schema'",
				"WHERE TABLE_SCHEMA IN ('performance_schema')", "WHERE TABLE_SCHEMA NOT IN ('test', 'information_schema', 'mysql', 'sys', 'history')", "WHERE TABLE_SCHEMA = DATABASE()",
			} {
				want := r.query(t, "SELECT COUNT(*) FROM information_schema."+table+" WHERE NOT TABLE_SCHEMA <> 'performance_schema'")
				r.want(t, "SELECT COUNT(*) FROM information_schema."+table+" "+where, want...)
			}
			r.want(t, "SELECT DISTINCT TABLE_SCHEMA FROM information_schema."+table+" WHERE TABLE_SCHEMA = 'test' AND TABLE_NAME = 'ACCOUNTS'", "test")
			r.want(t, "SELECT DISTINCT TABLE_SCHEMA FROM information_schema."+table+" WHERE TABLE_NAME = 'accounts' ORDER BY 1", "performance_schema", "test")
			r.want(t, "SELECT COUNT(*) FROM information_schema."+table+" WHERE TABLE_SCHEMA = 'nosuch'", "0")
			r.want(t, "SELECT COUNT(*) FROM information_schema."+table+" WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = 'nosuch'", "0")
		}
		r.want(t, "SELECT COUNT(*) FROM information_schema.TABLES t JOIN information_schema.COLUMNS c USING (TABLE_SCHEMA, TABLE_NAME)"+
			" WHERE t.TABLE_SCHEMA = 'performance_schema' AND t.TABLE_NAME = 'accounts'", "6")
		r.want(t, "SELECT COLUMN_NAME, COLUMN_DEFAULT, COLUMN_KEY, PRIVILEGES FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'test'",
			"a|NULL|PRI|select,insert,update,references", "b|x|MUL|select,insert,update,references")
	})
	t.Run("keys", func(t *testing.T) {
		// The lengths and keys that MySQL 8.4 shows of some columns.
		for column, want := range map[string]string{
			"accounts.USER":                                      "32|128|NULL|NULL|NULL|MUL",
			"accounts.HOST":                                      "255|255|NULL|NULL|NULL|",
			"accounts.CURRENT_CONNECTIONS":                       "NULL|NULL|19|0|NULL|",
			"threads.THREAD_ID":                                  "NULL|NULL|20|0|NULL|PRI",
			"threads.PROCESSLIST_INFO":                           "4294967295|4294967295|NULL|NULL|NULL|",
			"threads.INSTRUMENTED":                               "3|12|NULL|NULL|NULL|",
			"events_statements_summary_by_digest.FIRST_SEEN":     "NULL|NULL|NULL|NULL|6|",
			"events_statements_histogram_global.BUCKET_QUANTILE": "NULL|NULL|7|6|NULL|",
			"events_statements_histogram_global.BUCKET_NUMBER":   "NULL|NULL|10|0|NULL|PRI",
			"setup_actors.ROLE":                                  "32|128|NULL|NULL|NULL|PRI",
			"setup_instruments.PROPERTIES":                       "71|284|NULL|NULL|NULL|",
			"processlist.TIME":                                   "NULL|NULL|19|0|NULL|",
		} {
			table, name, _ := strings.Cut(column, ".")
			r.want(t, "SELECT CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, COLUMN_KEY"+
				" FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = '"+table+"' AND COLUMN_NAME = '"+name+"'", want)
		}
	})
}

// TestShowSaysWhatInformationSchemaSays: for every table.
func TestShowSaysWhatInformationSchemaSays(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	for _, def := range tables.All() {
		of := " FROM information_schema.%s WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = '" + def.Name() + "'"
		for show, query := range map[string]string{
			"SHOW COLUMNS FROM %s":      "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY, COLUMN_DEFAULT, EXTRA" + fmt.Sprintf(of, "COLUMNS"),
			"DESCRIBE %s":               "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY, COLUMN_DEFAULT, EXTRA" + fmt.Sprintf(of, "COLUMNS"),
			"SHOW FULL COLUMNS FROM %s": "SELECT COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME, IS_NULLABLE, COLUMN_KEY, COLUMN_DEFAULT, EXTRA, PRIVILEGES, COLUMN_COMMENT" + fmt.Sprintf(of, "COLUMNS"),
			"SHOW INDEX FROM %s":        "SELECT TABLE_NAME, NON_UNIQUE, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, COLLATION, CARDINALITY, SUB_PART, PACKED, NULLABLE, INDEX_TYPE, COMMENT, INDEX_COMMENT, IS_VISIBLE, EXPRESSION" + fmt.Sprintf(of, "STATISTICS"),
			"SHOW TABLE STATUS FROM performance_schema WHERE Name = '%s'": "SELECT TABLE_NAME, ENGINE, VERSION, ROW_FORMAT, TABLE_ROWS, AVG_ROW_LENGTH, DATA_LENGTH, MAX_DATA_LENGTH, INDEX_LENGTH, DATA_FREE, AUTO_INCREMENT, CREATE_TIME, UPDATE_TIME, CHECK_TIME, TABLE_COLLATION, CHECKSUM, CREATE_OPTIONS, TABLE_COMMENT" + fmt.Sprintf(of, "TABLES"),
		} {
			show = fmt.Sprintf(show, def.Name())
			got, want := r.query(t, show), r.query(t, query)
			if !slices.Equal(got, want) {
				t.Errorf("%s\n got %s\nwant %s", show, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
		}
	}
}

// TestShowCreateTable: every table is shown as MySQL shows what the facts say of it.
func TestShowCreateTable(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{}, tables.All()...)
	columns, keys, meta := map[string][]map[string]string{}, map[string][]map[string]string{}, map[string]map[string]string{}
	for _, f := range mysqlFacts(t, "tables.tsv") {
		if f["in_8.4"] != "YES" {
			continue
		}
		columns[f["table"]] = append(columns[f["table"]], f)
	}
	for _, f := range mysqlFacts(t, "indexes.tsv") {
		keys[f["table"]] = append(keys[f["table"]], f)
	}
	for _, f := range mysqlFacts(t, "table_meta.tsv") {
		meta[f["table"]] = f
	}
	for _, def := range tables.All() {
		m := meta[def.Name()]
		if m == nil || def.Name() == "performance_timers" { // which has one more timer
			continue
		}
		var want []string
		for _, f := range columns[def.Name()] {
			nullableWhereUnknown(f)
			line := "  `" + f["column"] + "` " + f["type"]
			if c := f["collation"]; c != "" && c != m["table_collation"] {
				line += " CHARACTER SET " + f["charset"] + " COLLATE " + c
			} else if c != "" && c != "utf8mb4_0900_ai_ci" {
				line += " COLLATE " + c
			}
			text := strings.Contains(f["type"], "text") || strings.Contains(f["type"], "blob")
			switch {
			case f["nullable"] == "NO":
				line += " NOT NULL"
			case strings.HasPrefix(f["type"], "timestamp"):
				line += " NULL"
			}
			switch {
			case f["default"] == "NULL" && !text:
				line += " DEFAULT NULL"
			case f["default"] != "NULL" && f["default"] != "(none)":
				line += " DEFAULT '" + f["default"] + "'"
			}
			want = append(want, line)
		}
		for _, kind := range []string{"PRIMARY", "UNIQUE", "KEY"} {
			for _, f := range keys[def.Name()] {
				on := "(`" + strings.ReplaceAll(f["columns"], ",", "`,`") + "`)"
				switch {
				case f["kind"] != kind:
				case kind == "PRIMARY":
					want = append(want, "  PRIMARY KEY "+on)
				default:
					want = append(want, strings.TrimPrefix("  UNIQUE KEY `", map[string]string{"KEY": "  UNIQUE "}[kind])+f["index"]+"` "+on)
					if kind == "KEY" {
						want[len(want)-1] = "  " + want[len(want)-1]
					}
				}
			}
		}
		collate := m["table_collation"]
		text := def.Name() + "|CREATE TABLE `" + def.Name() + "` (\n" + strings.Join(want, ",\n") + "\n) ENGINE=PERFORMANCE_SCHEMA DEFAULT CHARSET=utf8mb4 COLLATE=" + collate
		if got := r.query(t, "SHOW CREATE TABLE "+def.Name())[0]; keysSorted(got) != keysSorted(text) {
			t.Errorf("got %s\nwant %s", got, text)
		}
	}
}

// nullableWhereUnknown changes a fact about the one column of MySQL that can be NULL here: a recording does not know how many readers a lock has
// while nobody waits for them.
func nullableWhereUnknown(f map[string]string) {
	if f["table"] == "rwlock_instances" && f["column"] == "READ_LOCKED_BY_COUNT" {
		f["nullable"], f["default"] = "YES", "NULL"
	}
}

// keysSorted is a CREATE TABLE with its plain keys, the order of which the facts do not tell,
// in the order of their names.
func keysSorted(text string) string {
	lines := strings.Split(text, "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "  KEY `") })
	if first < 0 {
		return text
	}
	keys := lines[first : len(lines)-1]
	for i, l := range keys {
		keys[i] = strings.TrimSuffix(l, ",")
	}
	slices.Sort(keys)
	return strings.Join(lines, "\n")
}
