package engine

import (
	"fmt"
	"strings"
	"testing"
)

// What may not be set, read or given as a value has MySQL's number, SQLSTATE and text.
func TestVariableErrors(t *testing.T) {
	r := serveAll(t, Options{})
	r.db.SetMaxOpenConns(1)
	const readOnly, global, session = "1238 HY000 Variable '%s' is a read only variable", "1238 HY000 Variable '%s' is a GLOBAL variable", "1238 HY000 Variable '%s' is a SESSION variable"
	for _, c := range []struct{ statement, want string }{
		{"SELECT @@nosuch", "1193 HY000 Unknown system variable 'nosuch'"},
		{"SELECT @@global.nosuch", "1193 HY000 Unknown system variable 'nosuch'"},
		{"SELECT @@tx_isolation", "1193 HY000 Unknown system variable 'tx_isolation'"},
		{"SELECT @@query_cache_size", "1193 HY000 Unknown system variable 'query_cache_size'"},
		{"SELECT @@disable_merge_join", "1193 HY000 Unknown system variable 'disable_merge_join'"},
		{"SELECT @@uptime", "1193 HY000 Unknown system variable 'uptime'"},
		{"SET nosuch = 1", "1193 HY000 Unknown system variable 'nosuch'"},
		{"SET GLOBAL nosuch = 1", "1193 HY000 Unknown system variable 'nosuch'"},
		{"SET PERSIST nosuch = 1", "1193 HY000 Unknown system variable 'nosuch'"},
		{"SET @@session.nosuch = 1", "1193 HY000 Unknown system variable 'nosuch'"},
		{"SET SESSION regexp_buffer_size = 1", "1193 HY000 Unknown system variable 'regexp_buffer_size'"},
		{"SELECT @@session.max_connections", fmt.Sprintf(global, "max_connections")},
		{"SELECT @@local.port", fmt.Sprintf(global, "port")},
		{"SELECT @@global.timestamp", fmt.Sprintf(session, "timestamp")},
		{"SET GLOBAL version = 'x'", fmt.Sprintf(readOnly, "version")},
		{"SET SESSION hostname = 'x'", fmt.Sprintf(readOnly, "hostname")},
		{"SET warning_count = 1", fmt.Sprintf(readOnly, "warning_count")},
		{"SET max_connections = 1", "1229 HY000 Variable 'max_connections' is a GLOBAL variable and should be set with SET GLOBAL"},
		{"SET SESSION max_connections = 1", "1229 HY000 Variable 'max_connections' is a GLOBAL variable and should be set with SET GLOBAL"},
		{"SET GLOBAL timestamp = 1", "1228 HY000 Variable 'timestamp' is a SESSION variable and can't be used with SET GLOBAL"},
		{"SET PERSIST insert_id = 1", "1228 HY000 Variable 'insert_id' is a SESSION variable and can't be used with SET GLOBAL"},
		{"SET max_allowed_packet = 1024", "1621 HY000 SESSION variable 'max_allowed_packet' is read-only. Use SET GLOBAL to assign the value"},

		{"SET GLOBAL max_connections = 'many'", "1232 42000 Incorrect argument type to variable 'max_connections'"},
		{"SET GLOBAL max_connections = '100'", "1232 42000 Incorrect argument type to variable 'max_connections'"},
		{"SET GLOBAL max_connections = 1.5", "1232 42000 Incorrect argument type to variable 'max_connections'"},
		{"SET GLOBAL max_connections = 1e2", "1232 42000 Incorrect argument type to variable 'max_connections'"},
		{"SET GLOBAL max_connections = NULL", "1232 42000 Incorrect argument type to variable 'max_connections'"},
		{"SET GLOBAL max_connections = ON", "1232 42000 Incorrect argument type to variable 'max_connections'"},
		{"SET autocommit = 1.5", "1232 42000 Incorrect argument type to variable 'autocommit'"},
		{"SET long_query_time = 'slow'", "1232 42000 Incorrect argument type to variable 'long_query_time'"},
		{"SET GLOBAL general_log_file = 1", "1232 42000 Incorrect argument type to variable 'general_log_file'"},
		{"SET autocommit = 2", "1231 42000 Variable 'autocommit' can't be set to the value of '2'"},
		{"SET autocommit = -1", "1231 42000 Variable 'autocommit' can't be set to the value of '-1'"},
		{"SET autocommit = maybe", "1231 42000 Variable 'autocommit' can't be set to the value of 'maybe'"},
		{"SET autocommit = NULL", "1231 42000 Variable 'autocommit' can't be set to the value of 'NULL'"},
		{"SET transaction_isolation = 'NONE'", "1231 42000 Variable 'transaction_isolation' can't be set to the value of 'NONE'"},
		{"SET transaction_isolation = 4", "1231 42000 Variable 'transaction_isolation' can't be set to the value of '4'"},
		{"SET sql_mode = 'ANSI,nosuch'", "1231 42000 Variable 'sql_mode' can't be set to the value of 'nosuch'"},
		{"SET sql_mode = 'NO_AUTO_CREATE_USER'", "1231 42000 Variable 'sql_mode' can't be set to the value of 'NO_AUTO_CREATE_USER'"},
		{"SET sql_mode = 16", "1231 42000 Variable 'sql_mode' can't be set to the value of '16'"},
		{"SET optimizer_switch = 'mrr=off,nosuch=on'", "1231 42000 Variable 'optimizer_switch' can't be set to the value of 'nosuch=on'"},
		{"SET character_set_client = 'ucs2'", "1231 42000 Variable 'character_set_client' can't be set to the value of 'ucs2'"},
		{"SET character_set_client = NULL", "1231 42000 Variable 'character_set_client' can't be set to the value of 'NULL'"},
		{"SET character_set_server = nosuch", "1115 42000 Unknown character set: 'nosuch'"},
		{"SET collation_connection = 'nosuch'", "1273 HY000 Unknown collation: 'nosuch'"},
		{"SET default_storage_engine = 'nosuch'", "1286 42000 Unknown storage engine 'nosuch'"},
		{"SET default_tmp_storage_engine = " + strings.Repeat("x", 70), "1286 42000 Unknown storage engine '" + strings.Repeat("x", 64) + "'"},
		{"SET default_storage_engine = NULL", "1231 42000 Variable 'default_storage_engine' can't be set to the value of 'NULL'"},
		{"SET default_storage_engine = 1", "1232 42000 Incorrect argument type to variable 'default_storage_engine'"},
		{"SET lc_time_names = 'xx_YY'", "1649 HY000 Unknown locale: 'xx_YY'"},
		{"SET GLOBAL lc_messages = 'xx_YY'", "1649 HY000 Unknown locale: 'xx_YY'"},
		{"SET gtid_next = 'nosuch'", "1774 HY000 Malformed GTID specification 'nosuch'."},
		{"SET binlog_row_value_options = 'nosuch'", "1231 42000 Variable 'binlog_row_value_options' can't be set to the value of 'nosuch'"},
		{"SET @" + strings.Repeat("x", 65) + " = 1", "3061 42000 User variable name '" + strings.Repeat("x", 65) + "' is illegal"},
		{"SET time_zone = '+14:01'", "1298 HY000 Unknown or incorrect time zone: '+14:01'"},
		{"SET time_zone = NULL", "1298 HY000 Unknown or incorrect time zone: 'NULL'"},
		{"SET GLOBAL performance_schema_show_processlist = 99", "1231 42000 Variable 'performance_schema_show_processlist' can't be set to the value of '99'"},
		{"SET SESSION performance_schema_show_processlist = 1", "1229 HY000 Variable 'performance_schema_show_processlist' is a GLOBAL variable and should be set with SET GLOBAL"},
	} {
		r.fails(t, c.statement, c.want)
	}
	r.want(t, "SELECT COUNT(*) FROM performance_schema.variables_info WHERE VARIABLE_SOURCE <> 'COMPILED'", "0")
}

// A number out of range becomes the nearest, with a warning, or is an error.
func TestVariableRanges(t *testing.T) {
	r := serve(t, Options{})
	r.db.SetMaxOpenConns(1)
	for _, c := range []struct{ set, get, want, given string }{
		{"GLOBAL max_connections = 0", "@@max_connections", "1", "0"},
		{"GLOBAL max_connections = 100001", "@@max_connections", "100000", "100001"},
		{"GLOBAL max_connections = 99", "@@max_connections", "99", ""},
		{"sort_buffer_size = -5", "@@sort_buffer_size", "32768", "-5"},
		{"sort_buffer_size = 18446744073709551615", "@@sort_buffer_size", "18446744073709551615", ""},
		{"net_read_timeout = 31536001", "@@net_read_timeout", "31536000", "31536001"},
		{"GLOBAL max_allowed_packet = 5000", "@@global.max_allowed_packet", "4096", "5000"},
		{"optimizer_trace_offset = -2147483649", "@@optimizer_trace_offset", "-2147483647", "-2147483649"},
		{"long_query_time = -1", "@@long_query_time", "0", "-1"},
		{"long_query_time = 0.5", "@@long_query_time", "0.5", ""},
		{"GLOBAL performance_schema_max_digest_sample_age = 1048577", "@@performance_schema_max_digest_sample_age", "1048576", "1048577"},
	} {
		r.exec(t, "SET "+c.set)
		name := strings.TrimPrefix(c.get, "@@")
		name = name[strings.Index(name, ".")+1:]
		var warning []string
		if c.given != "" {
			warning = []string{fmt.Sprintf("Warning|1292|Truncated incorrect %s value: '%s'", name, c.given)}
		}
		r.want(t, "SHOW WARNINGS", warning...)
		r.want(t, "SELECT "+c.get, c.want)
	}
	r.exec(t, "SET sql_mode = 'STRICT_ALL_TABLES'")
	r.fails(t, "SET GLOBAL max_connections = 0", "1231 42000 Variable 'max_connections' can't be set to the value of '0'")
	r.want(t, "SELECT @@max_connections", "99")
}

// What a variable is set to can be written in several ways, and DEFAULT is what it is in MySQL.
func TestVariableValues(t *testing.T) {
	r := serve(t, parse(t, "--port=0", "--wait-timeout=77", "--maximum-net_write_timeout=100").Options)
	r.db.SetMaxOpenConns(1)
	const modes = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
	for _, c := range []struct{ set, get, want string }{
		{"", "@@sql_mode", modes},
		{"sql_mode = ansi", "@@sql_mode", "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY,ANSI"},
		{"sql_mode = 'traditional'", "@@sql_mode", "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,TRADITIONAL,NO_ENGINE_SUBSTITUTION"},
		{"sql_mode = 3", "@@sql_mode", "REAL_AS_FLOAT,PIPES_AS_CONCAT"},
		{"sql_mode = ''", "@@sql_mode", ""},
		{"sql_mode = CONCAT(@@sql_mode, ',NO_ZERO_DATE')", "@@sql_mode", "NO_ZERO_DATE"},
		{"sql_mode = DEFAULT", "@@sql_mode", modes},
		{"autocommit = OFF", "@@autocommit", "0"},
		{"autocommit = true", "@@autocommit", "1"},
		{"autocommit = 'off'", "@@autocommit", "0"},
		{"@@autocommit = 1", "@@session.autocommit", "1"},
		{"transaction_isolation = 'read-committed'", "@@transaction_isolation", "READ-COMMITTED"},
		{"transaction_isolation = 0", "@@transaction_isolation", "READ-UNCOMMITTED"},
		{"SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE", "@@transaction_isolation", "SERIALIZABLE"},
		{"optimizer_switch = 'mrr=off'", "@@optimizer_switch LIKE '%,mrr=off,%' AND @@optimizer_switch LIKE '%hash_join=on%'", "1"},
		{"optimizer_switch = 'hash_join=off,mrr=default'", "@@optimizer_switch LIKE '%,mrr=on,%' AND @@optimizer_switch LIKE '%hash_join=off%'", "1"},
		{"optimizer_switch = 'default'", "@@optimizer_switch = @@global.optimizer_switch", "1"},
		{"NAMES latin1", "CONCAT_WS(' ', @@character_set_client, @@character_set_results, @@character_set_connection, @@collation_connection)", "latin1 latin1 latin1 latin1_swedish_ci"},
		{"NAMES utf8mb4", "CONCAT_WS(' ', @@character_set_client, @@character_set_results, @@character_set_connection, @@collation_connection)", "utf8mb4 utf8mb4 utf8mb4 utf8mb4_0900_ai_ci"},
		{"NAMES utf8mb4 COLLATE utf8mb4_bin", "CONCAT_WS(' ', @@character_set_client, @@collation_connection, 'a' = 'A')", "utf8mb4 utf8mb4_bin 0"},
		{"NAMES 'utf8mb4' COLLATE 'utf8mb4_general_ci', @x = 'COLLATE'", "CONCAT_WS(' ', @@collation_connection, 'a' = 'A')", "utf8mb4_general_ci 1"},
		{"NAMES utf8mb4", "CONCAT_WS(' ', @@collation_connection, 'a' = 'A')", "utf8mb4_0900_ai_ci 1"},
		{"collation_connection = utf8mb4_bin", "@@character_set_connection", "utf8mb4"},
		{"character_set_results = NULL", "@@character_set_results", "NULL"},
		{"character_set_results = utf8mb4", "@@character_set_results", "utf8mb4"},
		{"", "@@wait_timeout", "77"},
		{"wait_timeout = 5", "@@wait_timeout", "5"},
		{"wait_timeout = DEFAULT", "@@wait_timeout", "77"},
		{"GLOBAL wait_timeout = DEFAULT", "@@global.wait_timeout", "28800"},
		{"net_write_timeout = 1000", "@@net_write_timeout", "100"},
		{"default_storage_engine = innodb, default_tmp_storage_engine = 'Memory'", "CONCAT(@@default_storage_engine, @@default_tmp_storage_engine)", "InnoDBMEMORY"},
		{"lc_time_names = 'de_de'", "@@lc_time_names", "de_DE"},
		{"gtid_next = '3E11FA47-71CA-11E1-9E33-C80AA9429562:23'", "@@gtid_next", "3e11fa47-71ca-11e1-9e33-c80aa9429562:23"},
		{"gtid_next = automatic", "@@gtid_next", "AUTOMATIC"},
		{"binlog_row_value_options = partial_json", "@@binlog_row_value_options", "PARTIAL_JSON"},
		{"timestamp = 12.5", "@@timestamp", "12.5"},
		{"timestamp = DEFAULT", "@@timestamp > 1e9", "1"},
		{"", "@@pseudo_thread_id = CONNECTION_ID()", "1"},
		{"GLOBAL time_zone = '+01:00', SESSION time_zone = '-02:00'", "CONCAT(@@global.time_zone, @@time_zone)", "+01:00-02:00"},
		{"GLOBAL flush_time = 1, net_retry_count = 2", "CONCAT(@@global.flush_time, @@global.net_retry_count, @@session.net_retry_count)", "1210"},
		{"@a = 3, SESSION max_sort_length = 55, @b = @a + 1", "CONCAT(@a, @@max_sort_length, @b)", "3554"},
	} {
		if c.set != "" {
			r.exec(t, "SET "+c.set)
		}
		r.want(t, "SELECT "+c.get, c.want)
	}
	// Nothing is set where one of several cannot be.
	r.fails(t, "SET max_sort_length = 66, autocommit = 7", "1231 42000 Variable 'autocommit' can't be set to the value of '7'")
	r.want(t, "SELECT @@max_sort_length", "55")
	// Prepared, and in a program.
	if _, err := r.db.Exec("SET SESSION max_sort_length = ?", 88); err != nil {
		t.Error(err)
	}
	r.want(t, "SELECT @@max_sort_length", "88")
	r.exec(t, "CREATE PROCEDURE test.p(n INT) BEGIN SET SESSION max_sort_length = n; SET @@session.sql_notes = OFF; END")
	r.exec(t, "CALL test.p(99)")
	r.want(t, "SELECT @@max_sort_length, @@sql_notes", "99|0")
	r.exec(t, "CREATE PROCEDURE test.q() SET GLOBAL version = 'x'")
	r.fails(t, "CALL test.q()", "1238 HY000 Variable 'version' is a read only variable")
}

// Servers have variables of their own, and a change of some has an effect at once.
func TestVariablesOfServers(t *testing.T) {
	one, other := serve(t, Options{MaxConnections: 9}), serve(t, Options{})
	one.exec(t, "SET GLOBAL sort_buffer_size = 40000, max_connections = 3")
	one.want(t, "SELECT @@global.sort_buffer_size, @@max_connections", "40000|3")
	other.want(t, "SELECT @@global.sort_buffer_size, @@max_connections", "262144|151")
	var last error
	for range 5 { // and one is an administrator's
		db := one.open(t, "")
		last = db.Ping()
	}
	if got := code(last); got != "1040 08004 Too many connections" {
		t.Error(got)
	}
	one.exec(t, "SET GLOBAL max_connections = 20")
	if err := one.open(t, "").Ping(); err != nil {
		t.Error(err)
	}
}
