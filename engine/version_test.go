package engine

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"pfsd/engine/config"
	"pfsd/engine/errorlog"
	"pfsd/tables"
)

// A server says that it is the version that it is told to be, and has that one's tables.
func TestMySQLVersion(t *testing.T) {
	for _, c := range []struct {
		args    []string
		version string
		major   int
	}{{nil, "8.4.8-pfsd", 8}, {[]string{"--mysql-version=8.4"}, "8.4.8-pfsd", 8}, {[]string{"--mysql-version=9.6"}, "9.6.0-pfsd", 9}} {
		line := parse(t, append(c.args, "--port=0")...)
		r := serve(t, line.Options, tables.AllOf(c.major)...)
		r.want(t, "SELECT VERSION(), @@version, @@global.version", c.version+"|"+c.version+"|"+c.version)
		if r.Version() != c.version {
			t.Error(r.Version())
		}
		if got := greetingVersion(t, r.addr); got != c.version {
			t.Errorf("the handshake says %s, want %s", got, c.version)
		}
		names := map[int][]string{8: nil, 9: {"global_variable_attributes", "setup_loggers", "temporary_account_locks", "variables_metadata"}}
		r.want(t, "SELECT TABLE_NAME FROM information_schema.tables WHERE TABLE_NAME IN ('variables_metadata', 'global_variable_attributes', 'setup_loggers', 'temporary_account_locks') ORDER BY 1", names[c.major]...)
		columns := map[int][]string{8: nil, 9: {"COUNT_ACCOUNT_LOCKED_ERRORS|25", "COUNT_TEMPORARY_ACCOUNT_LOCKED_ERRORS|26"}}
		r.want(t, "SELECT COLUMN_NAME, ORDINAL_POSITION FROM information_schema.columns WHERE TABLE_NAME = 'host_cache' AND COLUMN_NAME LIKE '%ACCOUNT_LOCKED%'", columns[c.major]...)
		log, err := os.ReadFile(r.options.LogError)
		if err != nil || !strings.Contains(string(log), "(mysqld "+c.version+") starting") {
			t.Errorf("%s, %v", log, err)
		}
	}
	if _, err := config.ParseCommandLine([]string{"--mysql-version=5.7"}, nil); message(err) != "option '--mysql-version': value '5.7' is neither 8.4 nor 9.6" {
		t.Error(err)
	}
	if _, err := New(Options{MySQLVersion: "9"}); message(err) != "unknown version '9' of MySQL" {
		t.Error(err)
	}
	s, err := New(Options{MySQLVersion: "9.6", Addr: "127.0.0.1:0", LogError: t.TempDir() + "/log", InitializeInsecure: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), context.Cause(t.Context())); err != nil {
		t.Error(err)
	}
}

// greetingVersion is the version in what a server says first.
func greetingVersion(t *testing.T, addr string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	r := bufio.NewReader(c)
	if _, err := r.Discard(5); err != nil { // the packet's header and the protocol's version
		t.Fatal(err)
	}
	text, err := r.ReadString(0)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text, "\x00")
}

func TestTablesOfNine(t *testing.T) {
	r := serve(t, Options{MySQLVersion: "9.6"}, tables.AllOf(9)...)
	r.want(t, "SELECT * FROM variables_metadata WHERE VARIABLE_NAME IN ('max_connections', 'long_query_time', 'timestamp', 'sql_mode', 'autocommit', 'event_scheduler', 'socket')",
		"autocommit|SESSION|Boolean|||OFF has a transaction go on until COMMIT or ROLLBACK.",
		"event_scheduler|GLOBAL|Enumeration|||ON has events of databases carried out.",
		"long_query_time|SESSION|Numeric|0|31536000|As in MySQL; nothing here depends on it.",
		"max_connections|GLOBAL|Integer|1|100000|The largest number of clients at a time.",
		"socket|GLOBAL|String|||The unix socket.",
		"sql_mode|SESSION|Set|||How statements are read, and what is an error in them.",
		"timestamp|SESSION_ONLY|Numeric|0|2147483647|The time of the session, seconds since 1970.")
	r.want(t, "SELECT COUNT(*) - (SELECT COUNT(*) FROM variables_info) FROM variables_metadata", "0")
	r.want(t, "SELECT * FROM global_variable_attributes")
	r.want(t, "SELECT * FROM temporary_account_locks")
	for _, table := range []string{"variables_metadata", "global_variable_attributes", "temporary_account_locks", "setup_loggers"} {
		r.fails(t, "TRUNCATE TABLE "+table, "1142 42000 DROP command denied to user 'root'@'localhost' for table '"+table+"'")
	}

	// Its level holds back what the error log would have.
	r.exec(t, "SET GLOBAL log_error_verbosity = 3")
	r.want(t, "SELECT * FROM setup_loggers", "logger/error/error_log|info|The server's error log.")
	logged := func(m errorlog.Message) bool {
		before := r.query(t, "SELECT COUNT(*) FROM error_log")
		r.log.Write(m, "test")
		return !slices.Equal(before, r.query(t, "SELECT COUNT(*) FROM error_log"))
	}
	for _, c := range []struct {
		level string
		want  [3]bool
	}{{"error", [3]bool{true}}, {"none", [3]bool{}}, {"warn", [3]bool{true, true}}, {"debug", [3]bool{true, true, true}}, {"info", [3]bool{true, true, true}}} {
		r.exec(t, "UPDATE setup_loggers SET LEVEL = '"+c.level+"' WHERE NAME = 'logger/error/error_log'")
		r.want(t, "SELECT LEVEL FROM setup_loggers", c.level)
		for i, priority := range []errorlog.Priority{errorlog.Error, errorlog.Warning, errorlog.Note} {
			if got := logged(errorlog.Message{Code: 10000, Priority: priority, Format: "%s"}); got != c.want[i] {
				t.Errorf("%s: a message of priority %d is logged: %v", c.level, priority, got)
			}
		}
	}
	if !logged(errorlog.Message{Code: 10000, Priority: errorlog.System, Format: "%s"}) {
		t.Error("a message of the system is not logged")
	}
	r.fails(t, "UPDATE setup_loggers SET LEVEL = 'loud'", "1265 01000 Data truncated for column 'LEVEL' at row 1")
	r.fails(t, "UPDATE setup_loggers SET NAME = 'x'", "1683 HY000 Invalid performance_schema usage.")
}
