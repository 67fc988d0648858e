package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
)

// driven is what the programs of testdata/clients for other languages' drivers print, by its name.
var driven = map[string]string{
	"attribute":         `"visitor"`,
	"text":              `["2","é","18446744073709551615","-1.50","1.5","2026-11-21","2026-11-21 23:59:59.000001","-01:02:03","null"]`,
	"prepared":          `["2","é","18446744073709551615","-1.50","1.5","2026-11-21","2026-11-21 23:59:59.000001","-01:02:03","null"]`,
	"parameters":        `["42","é'","1"]`,
	"inserted":          `[2,1]`,
	"inserted_prepared": `[1,3]`,
	"duplicate":         `[1062,"23000"]`,
	"in_transaction":    `["1"]`,
	"after_it":          `["0","0"]`,
	"several":           `[["1"],["2","3"],["4"]]`,
	"call":              `[[["5"]],[["6","two"],["7","three"]]]`,
	"call_prepared":     `[[["6"]],[["7","two"],["8","three"]]]`,
	"streamed":          `10000`,
	"batched":           `3`,
	"reset":             `["1"]`,
	"changed_user":      `["other","performance_schema","1"]`,
	"ping":              `true`,
	"pooled":            `["2","4","6","8","10","12"]`,
}

// shelf is a database that drivers describe.
var shelf = []string{
	"CREATE DATABASE shelf",
	"CREATE TABLE shelf.authors (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL UNIQUE) COMMENT 'who writes'",
	"CREATE TABLE shelf.books (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, author INT, title VARCHAR(100) NOT NULL DEFAULT 'untitled' COMMENT 'on the cover', " +
		"price DECIMAL(10,2), kind ENUM('novel','poem') DEFAULT 'novel', seen TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP, KEY by_title (title, price), " +
		"CONSTRAINT written FOREIGN KEY (author) REFERENCES authors (id) ON DELETE CASCADE ON UPDATE SET NULL)",
	"CREATE VIEW shelf.cheap AS SELECT id, title FROM shelf.books WHERE price < 10",
	"CREATE PROCEDURE shelf.lend(IN book INT, OUT ok INT) COMMENT 'to a reader' SET ok = book",
}

// odbc is what it prints of its own: it has no time of day before midnight, and says another type of a parameter.
var odbc = map[string]string{
	"text":              `["2","é","18446744073709551615","-1.50","1.5","2026-11-21","null"]`,
	"long_data":         `"100000"`,
	"other":             `["other","test"]`,
	"product":           `["MySQL","test"]`,
	"tables":            `["authors|TABLE|who writes","books|TABLE|","cheap|VIEW|VIEW"]`,
	"types_of_tables":   `["TABLE","VIEW","SYSTEM VIEW"]`,
	"columns":           `["id|BIGINT UNSIGNED|20|1||null","author|INT|10|1||null","title|VARCHAR|100|0|on the cover|'untitled'","price|DECIMAL|10|1||null","kind|ENUM|5|1||'novel'","seen|TIMESTAMP|19|1||CURRENT_TIMESTAMP"]`,
	"primary_keys":      `["id|1|PRIMARY"]`,
	"imported":          `["authors|id|books|author|2|0|written"]`,
	"indexes":           `["0|PRIMARY|1|id","1|by_title|1|title","1|by_title|2|price","1|written|1|author"]`,
	"procedures":        `["lend|to a reader"]`,
	"procedure_columns": `["book|1|int","ok|4|int"]`,
	"row_identifier":    `["id"]`,
	"types":             `true`,
}

// jdbc is what it prints of its own.
var jdbc = map[string]string{
	"to_savepoint":        `["1"]`,
	"inserted_prepared":   `[1,5]`, // after a transaction that has used two numbers and was undone
	"after_it":            `["0","0"]`,
	"batch_of_statements": `[1,1,1]`,
	"max_rows":            `3`,
	"timed_out":           `[1317,"70100"]`,
	"unknown":             `[1054,"42S22"]`,
	"warning":             `1292`,
	"updated_row":         `["changed"]`,
	"parameters_prepared": `["42","é'","1"]`,
	"out_parameters":      `[10,12]`,
	"isolation":           `[4,false,"test",true]`,
	"isolation_set":       `["READ-COMMITTED"]`,
	"long_data":           `["100000","1","874410694fa6ef97accb67ea8decd9ca"]`,
	"described":           `[2,"NAME","a",0]`,
	// The driver writes as many digits as the column is said to have, which are six of every time here.
	"prepared":          `["2","é","18446744073709551615","-1.50","1.5","2026-11-21","2026-11-21 23:59:59.000001","-01:02:03.000000","null"]`,
	"moments":           `[["2026-07-01 17:30:00.123456","2026-07-01 17:30:00.123456","1"],[true,true,"01:02:03"],["2026-07-01 17:30:00.123456","2026-07-01 17:30:00.123456","1"],[true,true,"01:02:03"]]`,
	"product":           `["MySQL",8,4]`,
	"types_of_tables":   `["TABLE","SYSTEM VIEW","VIEW"]`,
	"tables":            `["authors|TABLE|who writes","books|TABLE|","cheap|VIEW|VIEW"]`,
	"tables_of_others":  `["threads|TABLE"]`,
	"views_of_sys":      `["user_summary|VIEW"]`,
	"columns":           `["id|-5|BIGINT UNSIGNED|20|0|0|null|YES|","author|4|INT|10|0|1|null|NO|","title|12|VARCHAR|100|null|0|untitled|NO|on the cover","price|3|DECIMAL|10|2|1|null|NO|","kind|12|ENUM|5|null|1|novel|NO|","seen|93|TIMESTAMP|19|null|1|CURRENT_TIMESTAMP|NO|"]`,
	"columns_of_others": `["NAME|12|VARCHAR|64|0","ENABLED|12|ENUM|3|0"]`,
	"indexes":           `["PRIMARY|0|1|id","by_title|1|1|title","by_title|1|2|price","written|1|1|author"]`,
	"primary_keys":      `["id|1|PRIMARY"]`,
	"imported":          `["authors|id|books|author|2|0|written"]`,
	"exported":          `["books|author|written"]`,
	"crossed":           `["author"]`,
	"procedures":        `["lend|to a reader|1"]`,
	"procedure_columns": `["book|1|int","ok|4|int"]`,
	"functions":         `["format_bytes","format_path","format_statement","format_time"]`,
	"function_columns":  `["null|text","bytes|text"]`,
	"row_identifier":    `["id"]`,
	"types":             `true`,
}

// TestDrivers runs drivers of other languages.
func TestDrivers(t *testing.T) {
	inPHP := func(name string) []string { return []string{"php", clientDir + "/php.php", name} }
	for name, d := range map[string]struct {
		need    string // of clientNeeds
		command []string
		lacks   []string          // of driven
		differs map[string]string // from driven
	}{
		"mysql2":  {"mysql2", []string{"node", clientDir + "/mysql2.mjs"}, []string{"reset", "batched"}, nil},
		"mariadb": {"mariadb-node", []string{"node", clientDir + "/mariadb.mjs"}, []string{"changed_user"}, nil},
		"jdbc": {
			"jdbc",
			[]string{"java", "-Duser.timezone=UTC", "-cp", jar, clientDir + "/Jdbc.java"}, []string{"reset", "changed_user", "pooled"}, jdbc,
		},
		"odbc": {
			"odbc",
			[]string{debianPython, clientDir + "/odbc.py"}, []string{"attribute", "prepared", "several", "call_prepared", "reset", "changed_user", "ping", "pooled"}, odbc,
		},
		"mysqli":       {"php", inPHP("mysqli"), []string{"batched", "reset", "pooled"}, map[string]string{"attribute": `"mysqlnd"`, "cursor": "17", "long_data": `"100002"`, "async": `["0","7"]`}},
		"pdo":          {"php", inPHP("pdo"), []string{"prepared", "several", "call_prepared", "batched", "reset", "changed_user", "pooled"}, map[string]string{"attribute": `"mysqlnd"`, "limited": `["statements_digest","thread_instrumentation"]`}},
		"pdo_emulated": {"php", inPHP("pdo_emulated"), []string{"prepared", "several", "call_prepared", "batched", "reset", "changed_user", "pooled"}, map[string]string{"attribute": `"mysqlnd"`, "limited": `["statements_digest","thread_instrumentation"]`}},
		"pymysql": {
			"pymysql", []string{debianPython, clientDir + "/python.py", "pymysql"},
			[]string{"prepared", "inserted_prepared", "call_prepared", "reset", "changed_user", "pooled"}, map[string]string{"duplicate": "1062"},
		},
		"mysqlclient": {
			"mysqlclient", []string{debianPython, clientDir + "/python.py", "MySQLdb"},
			[]string{"prepared", "inserted_prepared", "call_prepared", "reset", "pooled"}, map[string]string{"duplicate": "1062", "attribute": `"libmariadb"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			needClient(t, d.need)
			r := serveClients(t)
			r.exec(t, "CREATE TABLE test.visited (id INT AUTO_INCREMENT PRIMARY KEY, word VARCHAR(20))")
			r.exec(t, "CREATE TABLE test.batched (id INT PRIMARY KEY, word VARCHAR(20))")
			r.exec(t, "CREATE PROCEDURE test.visit(n INT) BEGIN SELECT n; SELECT n + 1, 'two' UNION ALL SELECT n + 2, 'three'; END")
			r.exec(t, "CREATE TABLE test.moments (id INT PRIMARY KEY, ts TIMESTAMP(6), dt DATETIME(6), tm TIME)")
			r.exec(t, "CREATE PROCEDURE test.visit_out(n INT, OUT twice INT) SET twice = 2 * n")
			for _, q := range shelf {
				r.exec(t, q)
			}
			r.exec(t, fmt.Sprintf("CREATE USER other IDENTIFIED BY '%s'", clientPassword))
			r.exec(t, "GRANT SELECT ON performance_schema.* TO other")
			r.exec(t, "GRANT SELECT ON test.* TO other")
			r.visit(t, "visitor", "ALL ON *.*", []string{"INSERT INTO", "SELECT SLEEP(100)", "SELECT nothing"}, func() {
				const q = "SELECT EVENT_NAME, SUM_TIMER_WAIT FROM events_waits_summary_global_by_event_name"
				b := r.bracket(t, map[string]string{"figures": q, "figures_prepared": q})
				args := append(d.command[1:], r.port(), "visitor", "other", clientPassword)
				out := map[string]json.RawMessage{}
				if err := json.Unmarshal([]byte(runClient(t, "", d.command[0], args...)), &out); err != nil {
					t.Fatal(err)
				}
				want := maps.Clone(driven)
				maps.Copy(want, d.differs)
				for _, name := range d.lacks {
					delete(want, name)
				}
				for name, text := range want {
					var got any
					_ = json.Unmarshal(out[name], &got)
					if b, _ := json.Marshal(got); string(b) != text {
						t.Errorf("%s: got %s, want %s", name, b, text)
					}
				}
				if out["figures_prepared"] == nil {
					delete(b.queries, "figures_prepared")
				}
				b.check(t, func(name string) (got figures) {
					if err := json.Unmarshal(out[name], &got); err != nil {
						t.Error(err)
					}
					return got
				})
			})
		})
	}
}
