package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pfsd/tables"
)

var tunerColumn = regexp.MustCompile(`(?m)^.*\+-- Column .*$`)

// TestMySQLTuner: mysqltuner runs to its end without a complaint of Perl's, and no statement of it
// fails.
func TestMySQLTuner(t *testing.T) {
	needClient(t, "mysqltuner")
	r := serveClients(t)
	r.visit(t, "tuner", monitoring+"; EXECUTE ON sys.*", nil, func() {
		b := r.bracket(t, tunerFigures)
		out := runClient(t, "", "mysqltuner", "--host", "127.0.0.1", "--port", r.port(), "--user", "tuner", "--pass", clientPassword,
			"--forcemem", "1024", "--forceswap", "1024", "--nocolor", "--dbstat", "--tbstat", "--colstat", "--idxstat", "--pfstat")
		messages := tunerColumn.ReplaceAllString(out, "") // those of history have errors in their names
		for _, complaint := range []string{"Failed to execute", "FAIL Execute", "Use of uninitialized", "ERROR", "isn't installed"} {
			if at := strings.Index(messages, complaint); at >= 0 {
				t.Errorf("it says %.300s", messages[at:])
			}
		}
		for _, said := range []string{"Sys schema is installed.", "InnoDB is enabled.", "InnoDB buffer pool / data size: 64.0M/", "There is 3 Database(s)."} {
			if !strings.Contains(out, said) {
				t.Errorf("it does not say %q", said)
			}
		}
		b.check(t, func(name string) figures {
			_, section, _ := strings.Cut(out, "Performance schema: "+name+" ---")
			section, _, _ = strings.Cut(section, "\n--------")
			return ranked(section)
		})
	})
}

// tunerFigures are figures of mysqltuner's from sys, by the headings over them.
var tunerFigures = map[string]string{
	"Top 5 user per statement":             "SELECT user, statements FROM sys.x$user_summary WHERE user IN ('shop', 'billing')",
	"Top 5 user per rows modified":         "SELECT user, SUM(rows_affected) FROM sys.x$user_summary_by_statement_type WHERE user IN ('shop', 'billing') GROUP BY user",
	"Top 5 host per io":                    "SELECT host, file_ios FROM sys.x$host_summary",
	"TOP 15 most read tables":              "SELECT table_schema, table_name, rows_fetched FROM sys.x$schema_table_statistics WHERE table_schema = 'workload'",
	"TOP 15 class events by number":        "SELECT event_class, total FROM sys.x$wait_classes_global_by_latency",
	"TOP 15 class events by total latency": "SELECT event_class, total_latency FROM sys.x$wait_classes_global_by_latency",
}

var rankedLine = regexp.MustCompile(`(?m)\+-- \d+: (.*)$`)

// ranked are the figures of a list of mysqltuner's.
func ranked(section string) figures {
	all := figures{}
	for _, m := range rankedLine.FindAllStringSubmatch(section, -1) {
		words := strings.Split(strings.TrimSuffix(m[1], " stmt(s)"), "\t")
		if n, err := strconv.ParseFloat(words[len(words)-1], 64); err == nil {
			all[strings.Join(words[:len(words)-1], "|")] = n
		}
	}
	return all
}

// TestPtMySQLSummary: Percona Toolkit's summary says what there is. It asks some things that MySQL 8.4 has no more.
func TestPtMySQLSummary(t *testing.T) {
	needClient(t, "pt-mysql-summary")
	r := serveClients(t)
	config := filepath.Join(t.TempDir(), "my.cnf")
	if err := os.WriteFile(config, []byte("[client]\nuser=toolkit\npassword="+clientPassword+"\nhost=127.0.0.1\nport="+r.port()+"\nssl=0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expected := []string{"SHOW SLAVE", "SHOW MASTER", "NDB STATUS", "password NOT LIKE", "FNV_64", "/*M!", "SHOW BINARY LOGS"}
	r.visit(t, "toolkit", "ALL ON *.*", expected, func() {
		b := r.bracket(t, map[string]string{
			"Databases": "SELECT COUNT(*) FROM information_schema.SCHEMATA",
			"Size":      "SELECT @@table_open_cache",
		})
		out := runClient(t, "", "pt-mysql-summary", "--sleep", "1", "--databases", "test,workload", "--", "--defaults-file="+config)
		for _, said := range []string{r.Version(), "# InnoDB ####", "# The End ####", "workload      5"} {
			if !strings.Contains(out, said) {
				t.Errorf("it does not say %q", said)
			}
		}
		b.check(t, func(name string) figures {
			m := regexp.MustCompile(`(?m)^ *` + name + ` \| (\d+)`).FindStringSubmatch(out)
			if m == nil {
				t.Fatalf("%s is not in\n%s", name, out)
			}
			n, _ := strconv.ParseFloat(m[1], 64)
			return figures{"": n}
		})
	})
}

// TestMariaDBTools: the tools that come with the mariadb client work, and what mariadb-dump writes, another
// server reads.
func TestMariaDBTools(t *testing.T) {
	needClient(t, "mariadb-tools")
	r := serveClients(t)
	r.exec(t, "CREATE DATABASE d")
	for _, q := range []string{
		"CREATE TABLE d.t (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) NOT NULL DEFAULT 'x', amount DECIMAL(10,2), at DATETIME, data BLOB, KEY (name))",
		`INSERT INTO d.t VALUES (1, 'é''"\\', -1.50, '2026-11-21 23:59:59', x'00ff'), (18446744073709551615, '', NULL, NULL, NULL)`,
		"CREATE TRIGGER d.tr BEFORE INSERT ON d.t FOR EACH ROW SET @inserted = NEW.id",
		"CREATE PROCEDURE d.p(n INT) BEGIN SELECT n; SELECT name FROM d.t WHERE id = n; END",
		"CREATE TABLE d.u (id INT NOT NULL, kind ENUM('a','b') DEFAULT 'b', tags SET('x','y') DEFAULT 'x,y', facts JSON, source BIGINT UNSIGNED, PRIMARY KEY (id), " +
			"CONSTRAINT k FOREIGN KEY (source) REFERENCES t (id) ON DELETE CASCADE) COMMENT='of all kinds'",
		`INSERT INTO d.u VALUES (1, 'a', 'y', '{"a": [1, null]}', 1), (2, DEFAULT, DEFAULT, NULL, NULL)`,
		"CREATE VIEW d.v AS SELECT t.id, u.kind FROM d.t JOIN d.u ON u.source = t.id",
		"CREATE EVENT d.e ON SCHEDULE EVERY 1 DAY STARTS '2026-11-21 00:00:00' DISABLE COMMENT 'by night' DO DELETE FROM d.t WHERE id = 0",
	} {
		r.exec(t, q)
	}
	tool := func(to *running, name, in string, args ...string) string {
		t.Helper()
		return runClient(t, in, name, append([]string{"--no-defaults", "--skip-ssl", "-h127.0.0.1", "-P" + to.port(), "-utool", "-p" + clientPassword}, args...)...)
	}
	r.visit(t, "tool", "ALL ON *.*", []string{"/*M!", "LOCK TABLES mysql.proc", "LOCK TABLES mysql.event"}, func() {
		for _, c := range []struct {
			name, args string
			says       []string
		}{
			{"mariadb-admin", "ping", []string{"mysqld is alive"}},
			{"mariadb-admin", "status", []string{"Uptime: ", "Questions: "}},
			{"mariadb-admin", "version", []string{r.Version(), "127.0.0.1 via TCP/IP"}},
			{"mariadb-admin", "extended-status", []string{"| Questions ", "| Uptime "}},
			{"mariadb-admin", "variables", []string{"| max_connections ", "| innodb_buffer_pool_size "}},
			{"mariadb-admin", "processlist", []string{"| shop ", "show processlist"}},
			{"mariadb-admin", "flush-status flush-tables flush-privileges flush-logs debug", nil},
			{"mariadb-admin", "create made", nil},
			{"mariadb-admin", "--force drop made", []string{`Database "made" dropped`}},
			{"mariadb-show", "", []string{"| d ", "| performance_schema |", "| sys "}},
			{"mariadb-show", "d", []string{"| t "}},
			{"mariadb-show", "--verbose --verbose test", []string{"| numbered |        2 |          3 |"}},
			{"mariadb-show", "--status d", []string{"InnoDB", "Collation"}},
			{"mariadb-show", "--keys d t", []string{"| amount ", "PRIMARY"}},
			{"mariadb-show", "performance_schema thr%", []string{"threads"}},
			{"mariadb-check", "--databases d test", []string{"d.t ", "OK"}},
			{"mariadb-check", "--analyze d", []string{"OK"}},
			{"mariadb-check", "--optimize d", []string{"OK"}},
			{"mariadb-slap", "--concurrency=4 --iterations=1 --auto-generate-sql --number-of-queries=40", []string{"Number of clients running queries: 4"}},
		} {
			out := tool(r, c.name, "", strings.Fields(c.args)...)
			for _, s := range c.says {
				if !strings.Contains(out, s) {
					t.Errorf("%s %s does not say %q:\n%.2000s", c.name, c.args, s, out)
				}
			}
		}
		all := tool(r, "mariadb-dump", "", "--all-databases")
		if !strings.Contains(all, "INSERT INTO `numbered`") || strings.Contains(all, "`events_waits_current`") {
			t.Errorf("the dump of all is %.2000s", all)
		}
		dump := []string{"--databases", "d", "--routines", "--triggers", "--events", "--skip-dump-date", "--skip-comments", "--hex-blob"}
		written := tool(r, "mariadb-dump", "", dump...)
		other := serve(t, Options{}, tables.All()...)
		other.exec(t, "CREATE USER tool IDENTIFIED BY '"+clientPassword+"'")
		other.exec(t, "GRANT ALL ON *.* TO tool WITH GRANT OPTION")
		tool(other, "mariadb", written)
		if again := tool(other, "mariadb-dump", "", dump...); again != written {
			t.Errorf("what is dumped again differs\n got %s\nwant %s", again, written)
		}
		for _, q := range []string{"SELECT * FROM d.t", "SHOW CREATE TABLE d.t", "SHOW TRIGGERS FROM d WHERE `Trigger` = 'tr'", "CALL d.p(1)", "SELECT * FROM d.v", "SELECT * FROM d.u"} {
			if got, want := strings.Join(other.query(t, q), "\n"), strings.Join(r.query(t, q), "\n"); !alike(got, want) {
				t.Errorf("%s after the dump\n got %s\nwant %s", q, got, want)
			}
		}
	})
}

var moments = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?`)

// alike tells whether two answers are the same but for moments.
func alike(a, b string) bool {
	return moments.ReplaceAllString(a, "") == moments.ReplaceAllString(b, "")
}

// TestSysbench: the load that sysbench makes with several connections runs without an error, and is counted.
func TestSysbench(t *testing.T) {
	needClient(t, "sysbench")
	r := serveClients(t)
	bench := func(test, command string) string {
		t.Helper()
		return runClient(t, "", "sysbench", test, "--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-port="+r.port(), "--mysql-user=bench", "--mysql-password="+clientPassword,
			"--mysql-db=test", "--mysql-ssl=off", "--tables=2", "--table-size=100", "--threads=4", "--events=40", "--time=0", command)
	}
	// Of its statements, MySQL does not prepare BEGIN, either. What is a deadlock's victim sysbench does again.
	r.visit(t, "bench", "ALL ON test.*", []string{"BEGIN", "1213|"}, func() {
		bench("oltp_read_write", "prepare")
		for _, test := range []string{"oltp_read_write", "oltp_point_select", "oltp_update_index", "select_random_ranges"} {
			b := r.bracket(t, map[string]string{test: "SELECT SUM(COUNT_STAR) FROM events_statements_summary_by_user_by_event_name WHERE USER = 'bench' AND EVENT_NAME LIKE 'statement/com/%'"})
			out := bench(test, "run")
			if !strings.Contains(out, "total number of events:              40") {
				t.Errorf("%s says\n%s", test, out)
			}
			queries := regexp.MustCompile(`total: +(\d+)`).FindStringSubmatch(out)
			if queries == nil {
				t.Fatalf("%s says\n%s", test, out)
			}
			n, _ := strconv.ParseFloat(queries[1], 64)
			b.check(t, func(string) figures { return figures{"": b.before[test][""] + n} })
		}
		bench("oltp_read_write", "cleanup")
	})
}
