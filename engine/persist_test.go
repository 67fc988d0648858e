package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// persistedFile is the file of the data directory that SET PERSIST writes.
const persistedFile = "mysqld-auto.cnf"

// What is persisted is in the file as MySQL writes it, and takes effect when the server starts again.
func TestPersist(t *testing.T) {
	oneAtATime(t)
	dir := t.TempDir()
	file := filepath.Join(dir, persistedFile)
	args := []string{"--port=0", "--datadir=" + dir, "--max-connections=50", "--wait-timeout=60", "--performance-schema-users-size=7"}
	r := serveAll(t, parse(t, args...).Options)
	r.want(t, "SELECT * FROM persisted_variables")
	r.exec(t, "SET PERSIST max_connections = 99, PERSIST wait_timeout = 70, GLOBAL net_retry_count = 3")
	r.exec(t, "SET @@persist.sql_mode = ANSI_QUOTES, @@persist_only.long_query_time = 1.5")
	r.exec(t, "SET PERSIST_ONLY performance_schema_users_size = 5, PERSIST_ONLY performance_schema_hosts_size = 6, PERSIST_ONLY back_log = 8, PERSIST_ONLY skip_name_resolve = ON")
	r.exec(t, "SET PERSIST_ONLY max_execution_time = 600000, PERSIST sort_buffer_size = DEFAULT")
	r.want(t, "SELECT @@max_connections, @@global.wait_timeout, @@wait_timeout, @@global.sql_mode, @@global.long_query_time, @@performance_schema_users_size, @@global.max_execution_time",
		"99|70|60|ANSI_QUOTES|10|7|0")
	persisted := []string{
		"back_log|8", "long_query_time|1.500000", "max_connections|99", "max_execution_time|600000", "performance_schema_hosts_size|6",
		"performance_schema_users_size|5", "skip_name_resolve|ON", "sort_buffer_size|262144", "sql_mode|ANSI_QUOTES", "wait_timeout|70",
	}
	r.want(t, "SELECT * FROM persisted_variables", persisted...)
	r.want(t, "SELECT VARIABLE_VALUE FROM persisted_variables WHERE VARIABLE_NAME = 'MAX_CONNECTIONS'", "99")
	r.want(t, "SELECT VARIABLE_NAME, VARIABLE_SOURCE, SET_USER FROM variables_info WHERE VARIABLE_NAME IN ('max_connections', 'port', 'performance_schema_users_size', 'net_retry_count', 'sql_mode', 'long_query_time')",
		"long_query_time|COMPILED|NULL", "max_connections|DYNAMIC|root", "net_retry_count|DYNAMIC|root", "performance_schema_users_size|COMMAND_LINE|NULL", "port|COMMAND_LINE|NULL", "sql_mode|DYNAMIC|root")

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Fatalf("no JSON: %s", text)
	}
	const meta = `, "Metadata": {"Host": "localhost", "User": "root", "Timestamp": #}}`
	want := `{"Version": 2` +
		`, "mysql_static_variables": {"skip_name_resolve": {"Value": "ON"` + meta + `}` +
		`, "mysql_dynamic_variables": {"long_query_time": {"Value": "1.500000"` + meta + `, "max_execution_time": {"Value": "600000"` + meta +
		`, "sort_buffer_size": {"Value": "262144"` + meta + `, "sql_mode": {"Value": "ANSI_QUOTES"` + meta + `, "wait_timeout": {"Value": "70"` + meta + `}` +
		`, "mysql_static_parse_early_variables": {"back_log": {"Value": "8"` + meta + `, "performance_schema_hosts_size": {"Value": "6"` + meta +
		`, "performance_schema_users_size": {"Value": "5"` + meta + `}` +
		`, "mysql_dynamic_parse_early_variables": {"max_connections": {"Value": "99"` + meta + `}}`
	if got := regexp.MustCompile(`\d{16}`).ReplaceAllString(unsealed(text), "#"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r = serveAll(t, parse(t, args...).Options)
	r.want(t, "SELECT @@max_connections, @@global.wait_timeout, @@wait_timeout, @@sql_mode, @@long_query_time, @@performance_schema_users_size, @@performance_schema_hosts_size, @@back_log, @@skip_name_resolve, @@max_execution_time",
		"99|70|70|ANSI_QUOTES|1.5|5|6|8|1|600000")
	r.want(t, "SELECT VARIABLE_SOURCE, VARIABLE_PATH, SET_USER, SET_HOST, SET_TIME IS NULL FROM variables_info WHERE VARIABLE_NAME IN ('max_connections', 'performance_schema_users_size')",
		"PERSISTED|"+file+"|root|localhost|0", "PERSISTED|"+file+"|root|localhost|0")
	r.want(t, "SELECT VARIABLE_SOURCE FROM variables_info WHERE VARIABLE_NAME = 'net_retry_count'", "COMPILED")
	r.want(t, "SELECT @@datadir", dir+"/")

	r.exec(t, "RESET PERSIST max_connections")
	r.exec(t, "/* one */ reset persist IF EXISTS `sql_mode`")
	r.exec(t, "RESET PERSIST Back_Log;")
	r.want(t, "SELECT COUNT(*) FROM persisted_variables", "7")
	r.fails(t, "RESET PERSIST max_connections", "3615 HY000 Variable max_connections does not exist in persisted config file")
	r.db.SetMaxOpenConns(1)
	r.exec(t, "RESET PERSIST IF EXISTS no.such")
	r.want(t, "SHOW WARNINGS", "Warning|3615|Variable no.such does not exist in persisted config file")
	r.exec(t, "RESET PERSIST")
	r.want(t, "SELECT * FROM persisted_variables")
	if text, err := os.ReadFile(file); err != nil || unsealed(text) != `{"Version": 2}` {
		t.Errorf("%s, %v", text, err)
	}
}

// unsealed returns the text of a file of persisted variables without its checksum.
func unsealed(text []byte) string {
	return regexp.MustCompile(`, "pfsd_crc32c": "[0-9a-f]{8}"`).ReplaceAllString(string(text), "")
}

func TestPersistErrors(t *testing.T) {
	oneAtATime(t)
	none := serve(t, Options{})
	for _, s := range []string{"SET PERSIST max_connections = 5", "SET PERSIST_ONLY back_log = 5", "RESET PERSIST"} {
		none.fails(t, s, "1290 HY000 The MySQL server is running without the --datadir option so it cannot execute this statement")
	}
	none.want(t, "SELECT @@max_connections", "151")

	dir := t.TempDir()
	r := serveAll(t, Options{DataDir: dir})
	for statement, want := range map[string]string{
		"SET PERSIST back_log = 5":                            "1238 HY000 Variable 'back_log' is a read only variable",
		"SET PERSIST_ONLY datadir = '/x'":                     "1238 HY000 Variable 'datadir' is a non persistent read only variable",
		"SET PERSIST_ONLY timestamp = 5":                      "1228 HY000 Variable 'timestamp' is a SESSION variable and can't be used with SET GLOBAL",
		"SET PERSIST max_connections = 'x'":                   "1232 42000 Incorrect argument type to variable 'max_connections'",
		"SET PERSIST max_connections = 7, autocommit = 'x'":   "1231 42000 Variable 'autocommit' can't be set to the value of 'x'",
		"SET PERSIST_ONLY performance_schema_users_size = ''": "1232 42000 Incorrect argument type to variable 'performance_schema_users_size'",
	} {
		r.fails(t, statement, want)
	}
	r.want(t, "SELECT * FROM persisted_variables")
	file := filepath.Join(dir, persistedFile)
	if err := os.Mkdir(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := r.db.Exec("SET PERSIST max_connections = 8"); !strings.HasPrefix(code(err), "1026 HY000 Error writing file '"+file+"' (errno: ") {
		t.Error(code(err))
	}
	r.want(t, "SELECT @@max_connections", "151")
}

// A file that cannot be read stops the start; what it has of others stays in it.
func TestPersistedFile(t *testing.T) {
	oneAtATime(t)
	for text, why := range map[string]string{
		"nonsense":       "not JSON",
		`{"Version": 1}`: `version "1" is not 2`,
		`{}`:             `version "" is not 2`,
		`{"Version": 2, "mysql_dynamic_variables":3}`:         "mysql_dynamic_variables is not of the form NAME: {Value, Metadata}",
		`{"Version": 2, "mysql_static_variables": {"a": {}}}`: "variable 'a' has no value",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, persistedFile)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		o := Options{DataDir: dir, Addr: "127.0.0.1:0"}
		if _, err := New(o); message(err) != "persisted variables in "+file+": "+why+"; --persisted-globals-load=OFF starts without them" {
			t.Errorf("%s: %v", text, err)
		}
		r := serveAll(t, parse(t, "--port=0", "--datadir="+dir, "--skip-persisted-globals-load").Options)
		r.want(t, "SELECT @@persisted_globals_load", "0")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, persistedFile)
	const others = `"mysql_dynamic_sensitive_variables": {"key": "0x12"}`
	text := `{"Version": 2, "mysql_dynamic_variables": {"nosuch": {"Value": "1"}, "long_query_time": {"Value": "bad"}, "NET_RETRY_COUNT": {"Value": "4"}}, ` + others + `}`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := serveAll(t, Options{DataDir: dir})
	r.want(t, "SELECT @@long_query_time, @@net_retry_count", "10|4")
	r.want(t, "SELECT DATA FROM error_log WHERE ERROR_CODE = 'MY-003784' ORDER BY DATA",
		"Currently unknown variable 'long_query_time' was read from the persisted config file.",
		"Currently unknown variable 'nosuch' was read from the persisted config file.")
	r.exec(t, "RESET PERSIST long_query_time")
	if text, err := os.ReadFile(file); err != nil || !strings.HasSuffix(unsealed(text), ", "+others+"}") || strings.Contains(string(text), "long_query_time") {
		t.Errorf("%s, %v", text, err)
	}
}
