package engine

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pfsd/engine/vtable"
	"pfsd/tables"
)

// The access matrix: what each kind of statement answers on each table, by the facts of
// testdata/mysql84, to each user.

// accessUser is somebody who asks.
type accessUser struct {
	name, host string // of the account
	// root may do all that MySQL lets anybody do; who is not may SELECT, or nothing.
	root, selects bool
}

// accessTable is what the facts say of a table.
type accessTable struct {
	name    string
	columns []map[string]string
	// index is the name of one of its keys.
	index                                         string
	insert, delete, truncate, lock, world, writes bool
	updatable                                     map[string]bool
}

// question is a statement, and what it is answered with: "ok", or an error.
type question struct{ statement, want string }

// messages are MySQL's errors, by their numbers.
type messages map[string]map[string]string

func mysqlMessages(t *testing.T) messages {
	m := messages{}
	for _, f := range mysqlFacts(t, "errors.tsv") {
		m[f["errno"]] = f
	}
	return m
}

// text is the error of a number as a client shows it.
func (m messages) text(errno int, args ...any) string {
	f := m[strconv.Itoa(errno)]
	return fmt.Sprintf("%d %s "+f["message_format"], append([]any{errno, f["sqlstate"]}, args...)...)
}

// schemaDenied is the answer to what may not be done in the schema.
func (m messages) schemaDenied(u accessUser) string {
	return m.text(1044, u.name, u.host, vtable.Database)
}

// denied is the answer to what may not be done to a table.
func (m messages) denied(u accessUser, command, table string) string {
	return m.text(1142, command, u.name, "localhost", table)
}

// loads is the answer to LOAD DATA into a table that must not be written: who may not read files
// is told that first.
func (u accessUser) loads(m messages, table string) string {
	if u.root {
		return m.denied(u, "INSERT", table)
	}
	return fmt.Sprintf("1045 28000 Access denied for user '%s'@'%s' (using password: NO)", u.name, u.host)
}

// ourTables are those that MySQL has not: what is true of them is true of these.
var ourTables = map[string]string{
	"captures":                               "setup_actors",
	"events_waits_snapshot":                  "setup_actors",
	"events_waits_history_metric":            "setup_actors",
	"events_waits_summary_by_thread_by_time": "events_waits_history",
	"cpu_profile":                            "mutex_instances",
	"component_scheduler_tasks":              "data_locks",
	"event_histograms":                       "events_statements_histogram_by_digest",
	"event_percentiles":                      "events_statements_histogram_by_digest",
	"events_waits_histogram_by_event_name":   "events_statements_histogram_by_digest",
	"events_waits_histogram_global":          "events_statements_histogram_global",
	"active_session_history":                 "events_waits_history",
	"goroutine_threads":                      "mutex_instances",
	"goroutine_leaks":                        "mutex_instances",
	"goroutine_groups":                       "mutex_instances",
	"goroutines":                             "mutex_instances",
	"deadlocks":                              "mutex_instances",
	"holds_histogram_by_event_name":          "events_statements_histogram_by_digest",
	"holds_summary_by_instance":              "events_waits_summary_by_instance",
	"holds_summary_global_by_event_name":     "events_waits_summary_global_by_event_name",
	"lock_waits":                             "mutex_instances",
	"held_locks":                             "mutex_instances",
	"plan_cache":                             "events_statements_summary_by_digest",
	"pool_connections":                       "mutex_instances",
	"setup_timers":                           "setup_consumers",
	"synch_instances":                        "cond_instances",
	"synch_waits":                            "cond_instances",
}

// accessTables are what the facts say of the tables that the server has.
func accessTables(t *testing.T) (all []accessTable) {
	facts := map[string]map[string]string{}
	for _, f := range mysqlFacts(t, "privileges.tsv") {
		facts[f["table"]] = f
	}
	columns := map[string][]map[string]string{}
	for _, f := range mysqlFacts(t, "tables.tsv") {
		if f["in_8.4"] != "YES" {
			continue
		}
		columns[f["table"]] = append(columns[f["table"]], f)
	}
	keys := map[string]string{}
	for _, f := range mysqlFacts(t, "indexes.tsv") {
		keys[f["table"]] = f["index"]
	}
	for _, def := range tables.All() {
		f, ok := facts[def.Name()]
		if !ok {
			if f = facts[ourTables[def.Name()]]; f == nil {
				f = facts["events_waits_summary_global_by_event_name"] // the sums by parts of a name
			}
		}
		a := accessTable{
			name: def.Name(), columns: columns[def.Name()], index: keys[def.Name()],
			insert: f["insert"] == "YES", delete: f["delete"] == "YES", truncate: f["truncate"] == "YES",
			lock: f["lock_tables"] == "YES", world: strings.HasPrefix(f["select_needs_grant"], "NO"),
			writes: f["update_columns"] != "NO", updatable: map[string]bool{},
		}
		for c := range strings.SplitSeq(f["update_columns"], ",") {
			a.updatable[c] = true
		}
		if def.Name() == "setup_timers" {
			a.updatable = map[string]bool{"TIMER_NAME": true}
		}
		if slices.Contains([]string{"captures", "events_waits_snapshot", "events_waits_history_metric"}, def.Name()) { // rows come and go, but do not change
			a.writes, a.lock = false, false
		}
		if a.columns == nil {
			for _, c := range def.Columns() {
				a.columns = append(a.columns, map[string]string{"column": c.Name, "type": c.Kind.String()})
			}
		}
		if a.index == "" {
			a.index = "NAME"
		}
		all = append(all, a)
	}
	return all
}

// changed is an SQL expression for another value of a column than the one it has.
func changed(c map[string]string) string {
	typ, _, _ := strings.Cut(c["type"], "(")
	switch typ {
	case "enum", "set":
		values := strings.Split(strings.TrimSuffix(c["type"][len(typ)+1:], ")"), ",")
		return fmt.Sprintf("IF(%s = %s, %s, %s)", c["column"], values[0], values[1], values[0])
	case "varchar", "char", "text", "longtext", "blob", "longblob":
		return "'FOO'"
	}
	return "7654321"
}

// questions are all that is asked about a table.
func (a accessTable) questions(u accessUser, m messages, rows bool) (all []question) {
	full := vtable.Database + "." + a.name
	first := a.columns[0]["column"]
	ask := func(want, statement string, args ...any) {
		all = append(all, question{fmt.Sprintf(statement, args...), want})
	}
	// if_ is ok where the table and the user may, else that the command is denied.
	may := func(table, user bool, command string) string {
		if table && user {
			return "ok"
		}
		return m.denied(u, command, a.name)
	}
	reads := u.root || u.selects || a.world
	selects := may(true, reads, "SELECT")
	ask(selects, "SELECT * FROM %s LIMIT 1", full)
	ask(selects, "SELECT COUNT(*) FROM %s", strings.ToUpper(full))
	ask(selects, "EXPLAIN SELECT * FROM %s", full)

	ask(may(a.insert, u.root, "INSERT"), "INSERT INTO %s (%s) SELECT 'FOO' FROM dual WHERE FALSE", full, first)
	if !a.insert || !u.root {
		ask(m.denied(u, "INSERT", a.name), "INSERT INTO %s (%s) VALUES (NULL)", full, first)
		ask(m.denied(u, "INSERT", a.name), "INSERT INTO %s SET %s = NULL", full, first)
		ask(u.loads(m, a.name), "LOAD DATA INFILE '/nonexistent' INTO TABLE %s", full)
	}
	ask(may(a.insert && a.delete, u.root, "INSERT, DELETE"), "REPLACE INTO %s (%s) SELECT 'FOO' FROM dual WHERE FALSE", full, first)
	ask(may(a.delete, u.root, "DELETE"), "DELETE FROM %s WHERE %s = 'FOO'", full, first)
	if !a.delete || !u.root {
		ask(m.denied(u, "DELETE", a.name), "DELETE FROM %s", full)
	}
	for _, c := range a.columns {
		name := c["column"]
		switch {
		case !a.writes || !u.root:
			ask(m.denied(u, "UPDATE", a.name), "UPDATE %s SET %s = NULL", full, name)
		case a.updatable[name]:
			ask("ok", "UPDATE %s SET %s = %[2]s", full, name)
		case rows:
			ask(m.text(1683), "UPDATE %s SET %s = %s", full, name, changed(c))
		default:
			ask("ok", "UPDATE %s SET %s = %s", full, name, changed(c))
		}
	}

	for _, mode := range []string{"READ", "WRITE"} {
		want := may(a.lock, true, "SELECT, LOCK TABLES")
		if !u.root {
			want = m.schemaDenied(u)
		}
		ask(want, "LOCK TABLES %s %s", full, mode)
		ask("ok", "UNLOCK TABLES")
	}
	if reads {
		ask(m.text(1031, a.name), "HANDLER %s OPEN", full)
	} else {
		ask(selects, "HANDLER %s OPEN", full)
	}

	schema := m.schemaDenied(u)
	ask(schema, "ALTER TABLE %s ADD COLUMN foo INT", full)
	ask(schema, "ALTER TABLE %s DROP COLUMN %s", full, first)
	ask(schema, "ALTER TABLE %s RENAME TO test.x", full)
	ask(schema, "CREATE INDEX foo ON %s (%s)", full, first)
	ask(schema, "CREATE UNIQUE INDEX foo ON %s (%s)", full, first)
	ask(schema, "DROP INDEX `%s` ON %s", a.index, full)
	ask(schema, "RENAME TABLE %s TO test.x", full)
	ask(schema, "RENAME TABLE test.x TO %s", full)
	ask(schema, "CREATE TABLE %s (a INT)", full)
	ask(schema, "CREATE TABLE %s.foo LIKE %s", vtable.Database, full)
	ask(schema, "CREATE VIEW %s AS SELECT 1", full)
	ask(schema, "CREATE TRIGGER %s.foo BEFORE UPDATE ON %s FOR EACH ROW SET @a = 1", vtable.Database, full)
	ask(m.denied(u, "DROP", a.name), "DROP TABLE %s", full)
	if reads {
		ask(m.text(1683), "CREATE TABLE test.foo LIKE %s", full)
	}

	ask(selects, "CHECK TABLE %s", full)
	ask(selects, "CHECKSUM TABLE %s", full)
	for _, verb := range []string{"ANALYZE", "OPTIMIZE", "REPAIR"} {
		want := may(a.insert, u.root, "SELECT, INSERT")
		if a.insert && u.selects {
			want = m.denied(u, "INSERT", a.name) // it has the other
		}
		ask(want, "%s TABLE %s", verb, full)
	}
	ask(may(a.truncate, u.root || a.world, "DROP"), "TRUNCATE TABLE %s", full)
	return all
}

// schemaQuestions are what is asked about the schema as a whole.
func schemaQuestions(u accessUser, m messages) (all []question) {
	schema := m.schemaDenied(u)
	for _, s := range []string{
		"CREATE TABLE performance_schema.foo (a INT)", "CREATE TABLE performance_schema.foo AS SELECT 1",
		"CREATE TABLE IF NOT EXISTS performance_schema.foo (a INT)", "CREATE TABLE performance_schema.foo LIKE test.t",
		"CREATE VIEW performance_schema.foo AS SELECT 1", "CREATE OR REPLACE VIEW performance_schema.foo AS SELECT 1",
		"ALTER VIEW performance_schema.foo AS SELECT 1",
		"CREATE TRIGGER foo BEFORE UPDATE ON performance_schema.setup_actors FOR EACH ROW SET @a = 1",
		"CREATE PROCEDURE performance_schema.foo() SELECT 1",
		"CREATE FUNCTION performance_schema.foo() RETURNS INT RETURN 1",
		"CREATE DEFINER = root@localhost FUNCTION `performance_schema`.foo(a INT) RETURNS INT BEGIN SET @a = 1; RETURN 1; END",
		"CREATE EVENT performance_schema.foo ON SCHEDULE EVERY 1 DAY DO SELECT 1",
		"DROP EVENT performance_schema.foo",
		"RENAME TABLE test.t TO performance_schema.foo", "ALTER TABLE test.t RENAME TO performance_schema.foo",
		"DROP DATABASE performance_schema", "DROP DATABASE IF EXISTS performance_schema", "DROP SCHEMA PERFORMANCE_SCHEMA",
		"CREATE DATABASE performance_schema", "CREATE DATABASE IF NOT EXISTS performance_schema",
		"CREATE SCHEMA PERFORMANCE_SCHEMA", "ALTER DATABASE performance_schema CHARACTER SET latin1",
	} {
		all = append(all, question{s, schema})
	}
	if u.root {
		for _, s := range []string{
			"CREATE TABLE test.foo (a INT) ENGINE=PERFORMANCE_SCHEMA", "CREATE TABLE test.foo (a INT) ENGINE = performance_schema",
			"CREATE TABLE test.foo ENGINE=PERFORMANCE_SCHEMA AS SELECT 1",
		} {
			all = append(all, question{s, m.text(1683)})
		}
	}
	missing := m.text(1146, vtable.Database, "no_such_table")
	for s, command := range map[string]string{
		"SELECT * FROM performance_schema.no_such_table":                              "SELECT",
		"INSERT INTO performance_schema.no_such_table VALUES (1)":                     "INSERT",
		"REPLACE INTO performance_schema.no_such_table VALUES (1)":                    "INSERT, DELETE",
		"UPDATE performance_schema.no_such_table SET a = 1":                           "UPDATE",
		"DELETE FROM performance_schema.no_such_table":                                "DELETE",
		"TRUNCATE TABLE performance_schema.no_such_table":                             "DROP",
		"HANDLER performance_schema.no_such_table OPEN":                               "SELECT",
		"LOAD DATA INFILE '/nonexistent' INTO TABLE performance_schema.no_such_table": "INSERT",
	} {
		want := missing
		switch {
		case u.root, u.selects && command == "SELECT":
		case u.selects && (command == "UPDATE" || command == "DELETE"):
			continue // what they need is asked when the columns are known, and the table is not there
		case strings.HasPrefix(s, "LOAD"):
			want = u.loads(m, "no_such_table")
		default:
			want = m.denied(u, command, "no_such_table")
		}
		all = append(all, question{s, want})
	}
	if u.root {
		for _, s := range []string{
			"LOCK TABLES performance_schema.no_such_table READ", "SHOW CREATE TABLE performance_schema.no_such_table",
			"SHOW COLUMNS FROM performance_schema.no_such_table", "DESCRIBE performance_schema.no_such_table",
			"SHOW INDEX FROM performance_schema.no_such_table",
		} {
			all = append(all, question{s, missing})
		}
		all = append(all, question{"DROP TABLE IF EXISTS performance_schema.no_such_table", "ok"},
			question{"DROP TABLE performance_schema.no_such_table", m.text(1051, vtable.Database+".no_such_table")})
	}
	return all
}

// TestAccess asks everything.
func TestAccess(t *testing.T) {
	oneAtATime(t)
	r := serve(t, Options{Instruments: []string{"%=ON"}, Init: []string{
		"CREATE USER reader, nobody; GRANT SELECT ON performance_schema.* TO reader; GRANT CREATE ON test.* TO reader, nobody;",
	}}, tables.All()...)
	r.exec(t, "CREATE TABLE test.t (a INT)")
	m := mysqlMessages(t)
	all := accessTables(t)
	for _, u := range []accessUser{
		{name: "root", host: "localhost", root: true}, {name: "reader", host: "%", selects: true}, {name: "nobody", host: "%"},
	} {
		t.Run(u.name, func(t *testing.T) {
			c, err := r.enter(t, u.name)
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			ask := func(q question) {
				asked++
				if got := answerTo(t.Context(), c, q.statement); got != q.want {
					t.Errorf("%s\n got %s\nwant %s", q.statement, got, q.want)
				}
			}
			for _, q := range schemaQuestions(u, m) {
				ask(q)
			}
			for _, a := range all {
				rows := answerTo(t.Context(), c, "INSERT INTO test.t SELECT 1 FROM performance_schema."+a.name+" LIMIT 1") == "ok" &&
					r.query(t, "SELECT COUNT(*) FROM test.t")[0] != "0"
				r.exec(t, "DELETE FROM test.t")
				for _, q := range a.questions(u, m, rows) {
					ask(q)
				}
			}
			t.Logf("%d statements", asked)
		})
	}
}

// as opens a connection as a user without a password.
func (r *running) as(t *testing.T, user string) *sql.Conn {
	t.Helper()
	r.user(t, user)
	db, err := sql.Open("mysql", user+"@tcp("+r.addr+")/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// answerTo is "ok", or the error that a statement fails with, whether it has rows or not.
func answerTo(ctx context.Context, c *sql.Conn, statement string) string {
	rows, err := c.QueryContext(ctx, statement)
	if err != nil {
		return code(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
	}
	if rows.Err() != nil {
		return code(rows.Err())
	}
	return "ok"
}

// TestInformationSchemaShowsWhatIsGranted: tables and columns that one has no privilege on are
// not there.
func TestInformationSchemaShowsWhatIsGranted(t *testing.T) {
	r := serve(t, Options{Init: []string{
		"CREATE TABLE test.a (x INT PRIMARY KEY, y INT); CREATE TABLE test.b (x INT PRIMARY KEY);",
		"CREATE USER reader, nobody; GRANT SELECT (y) ON test.a TO reader; GRANT SELECT, UPDATE ON performance_schema.threads TO reader;",
	}}, tables.All()...)
	world := 0
	for _, a := range accessTables(t) {
		if a.world {
			world++
		}
	}
	const of = " FROM information_schema.%s WHERE TABLE_SCHEMA IN ('test', 'performance_schema')"
	for user, want := range map[string][][2]string{
		"nobody": {
			{"SELECT COUNT(*)" + fmt.Sprintf(of, "TABLES"), strconv.Itoa(world)},
			{"SELECT COUNT(*)" + fmt.Sprintf(of, "COLUMNS") + " AND TABLE_NAME IN ('a', 'b', 'threads', 'accounts')", "0"},
			{"SELECT COUNT(*)" + fmt.Sprintf(of, "STATISTICS") + " AND TABLE_NAME IN ('a', 'b', 'threads', 'accounts')", "0"},
			{"SELECT DISTINCT PRIVILEGES" + fmt.Sprintf(of, "COLUMNS"), "select"},
			{"SHOW TABLES FROM test", "1044 42000 Access denied for user 'nobody'@'%' to database 'test'"},
		},
		"reader": {
			{"SELECT COUNT(*)" + fmt.Sprintf(of, "TABLES"), strconv.Itoa(world + 2)},
			{"SELECT CONCAT(COLUMN_NAME, ' ', PRIVILEGES)" + fmt.Sprintf(of, "COLUMNS") + " AND TABLE_NAME IN ('a', 'b', 'accounts')", "y select"},
			{"SELECT DISTINCT PRIVILEGES" + fmt.Sprintf(of, "COLUMNS") + " AND TABLE_NAME = 'threads'", "select,update"},
			{"SELECT COUNT(DISTINCT TABLE_NAME)" + fmt.Sprintf(of, "STATISTICS") + " AND TABLE_NAME IN ('a', 'b', 'threads', 'accounts')", "2"},
			{"SHOW TABLES FROM test", "a"},
		},
	} {
		c, err := r.enter(t, user)
		if err != nil {
			t.Fatal(err)
		}
		check(t, c, want...)
	}
}
