package engine

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/grammar"
	"pfsd/engine/parsing"
	"pfsd/engine/statements"
	"pfsd/engine/syntax"
)

// Statements of each kind. The kinds are those that MySQL counts the statements as.
var statementsOfKinds = []struct{ kind, text string }{
	{"select", "select 1"}, {"select", "select 1 union select 2"}, {"select", "with a as (select 1) select * from a"},
	{"select", "table t"}, {"select", "values row(1)"}, {"select", "show count(*) warnings"},
	{"select", "explain select 1"}, {"select", "explain analyze select 1"},
	{"insert", "insert into t values (1)"}, {"insert", "insert into t set a=1"}, {"insert", "insert into t values row(1)"},
	{"insert", "explain insert into t values (1)"},
	{"insert_select", "insert into t select 1"}, {"insert_select", "insert into t table u"},
	{"replace", "replace into t values (1)"}, {"replace_select", "replace into t select 1"},
	{"update", "update t set a=1"}, {"update", "explain update t set a=1"},
	{"update_multi", "update t,u set t.a=1"}, {"update_multi", "update t join u using(a) set t.a=1"}, {"update_multi", "update (t,u) set t.a=1"},
	{"delete", "delete from t"}, {"delete_multi", "delete t from t"}, {"delete_multi", "delete t from t join u using(a)"},
	{"delete_multi", "delete from t using t join u using (a)"},
	{"truncate", "truncate table t"}, {"truncate", "TRUNCATE t"},
	{"set_option", "set @a=1"}, {"set_option", "set names utf8"}, {"set_option", "set autocommit=0"},
	{"set_option", "set transaction isolation level read committed"}, {"set_password", "set password='x'"},
	{"create_db", "create database d"}, {"alter_db", "alter database d collate utf8mb4_bin"}, {"drop_db", "drop database d"},
	{"create_table", "create table t (a int)"}, {"create_table", "create table t as select 1"}, {"create_table", "create table t like u"},
	{"create_table", "create temporary table t (a int)"}, {"drop_table", "drop table t"},
	{"alter_table", "alter table t add column b int"}, {"alter_table", "alter table t rename to u"}, {"alter_table", "alter table t add index i(a)"},
	{"rename_table", "rename table t to u"},
	{"create_index", "create index i on t(a)"}, {"create_index", "  /* so */ -- as\n# that\nCREATE unique index i on t(a)"},
	{"drop_index", "drop index i on t"}, {"drop_index", "/*!50000 drop*/ index i on t"},
	{"create_view", "create or replace view v as select 1"}, {"drop_view", "drop view v"},
	{"create_trigger", "create trigger tr before insert on t for each row set new.a=1"}, {"drop_trigger", "drop trigger tr"},
	{"create_procedure", "create procedure p() select 1"}, {"drop_procedure", "drop procedure p"}, {"call_procedure", "call p()"},
	{"create_event", "create event e on schedule every 1 day do select 1"}, {"alter_event", "alter event e disable"}, {"drop_event", "drop event e"},
	{"create_user", "create user u"}, {"alter_user", "alter user u identified by 'x'"}, {"rename_user", "rename user u to v"}, {"drop_user", "drop user u"},
	{"alter_user_default_role", "alter user u default role r"}, {"alter_user_default_role", "set default role all to u"},
	{"revoke_all", "revoke all privileges, grant option from u"}, {"set_role", "set role none"},
	{"set_password", "set password for u = 'x'"}, {"show_create_user", "show create user u"},
	{"create_role", "create role r"}, {"drop_role", "drop role r"},
	{"grant", "grant select on *.* to u"}, {"grant_roles", "grant r to u"}, {"revoke", "revoke select on *.* from u"}, {"revoke_roles", "revoke r from u"},
	{"change_db", "use d"}, {"begin", "begin"}, {"begin", "start transaction read only"}, {"commit", "commit"}, {"rollback", "rollback"},
	{"savepoint", "savepoint a"}, {"rollback_to_savepoint", "rollback to savepoint a"}, {"release_savepoint", "release savepoint a"},
	{"lock_tables", "lock tables t read"}, {"unlock_tables", "unlock tables"}, {"flush", "flush status"},
	{"kill", "kill query 5"}, {"prepare_sql", "prepare s from 'select 1'"}, {"execute_sql", "execute s"}, {"dealloc_sql", "drop prepare s"},
	{"show_fields", "describe t"}, {"show_fields", "show full columns from t"}, {"show_fields", "show fields from t"},
	{"show_tables", "show full tables"}, {"show_databases", "show schemas"}, {"show_keys", "show keys from t"},
	{"show_create_table", "show create table t"}, {"show_create_table", "show create view v"}, {"show_create_db", "show create database d"},
	{"show_create_proc", "show create procedure p"}, {"show_create_trigger", "show create trigger tr"}, {"show_create_event", "show create event e"},
	{"show_variables", "show global variables like 'a%'"}, {"show_status", "show global status"}, {"show_processlist", "show full processlist"},
	{"show_warnings", "show warnings"}, {"show_errors", "show errors"}, {"show_storage_engines", "show engines"}, {"show_plugins", "show plugins"},
	{"show_privileges", "show privileges"}, {"show_grants", "show grants"}, {"show_triggers", "show triggers"}, {"show_events", "show events"},
	{"show_procedure_status", "show procedure status"}, {"show_function_status", "show function status"}, {"show_table_status", "show table status"},
	{"show_charsets", "show character set"}, {"show_collations", "show collation"},
	{"show_binlogs", "show binary logs"}, {"show_binary_log_status", "show master status"},
	{"show_replica_status", "show slave status"}, {"show_replicas", "show replicas"},
	{"analyze", "analyze table t"}, {"signal", "signal sqlstate '45000'"}, {"resignal", "resignal"}, {"load", "load data infile 'x' into table t"},
	{"reset", "reset replica"}, {"purge", "purge binary logs to 'x'"}, {"purge_before_date", "purge binary logs before '2024-01-01'"},
	{"replica_start", "start replica"}, {"replica_stop", "stop replica"}, {"binlog", "binlog 'x'"},
	{"change_replication_source", "change replication source to source_host='x'"}, {"change_repl_filter", "change replication filter replicate_do_table=(a.b)"},
	{"check", "check table t"}, {"checksum", "checksum table t"}, {"optimize", "optimize table t"}, {"repair", "repair table t"},
	{"ha_open", "handler t open"}, {"ha_read", "handler t read first"}, {"ha_close", "handler t close"},
	{"show_engine_status", "show engine innodb status"}, {"show_engine_mutex", "show engine innodb mutex"}, {"show_engine_logs", "show engine innodb logs"},
	{"create_function", "create function f() returns int return 1"}, {"drop_function", "drop function f"}, {"create_view", "alter view v as select 1"},
	{"do", "do sleep(0)"}, {"help", "help 'select'"}, {"import", "import table from 'x'"},
	{"group_replication_start", "start group_replication"}, {"group_replication_stop", "stop group_replication"}, {"restart", "restart"},
	{"install_component", "install component 'x'"}, {"install_plugin", "install plugin x soname 'y'"},
	{"uninstall_component", "uninstall component 'x'"}, {"uninstall_plugin", "uninstall plugin x"},
	{"lock_instance", "lock instance for backup"}, {"unlock_instance", "unlock instance"},
	{"preload_keys", "load index into cache t"}, {"assign_to_keycache", "cache index t in x"},
	{"show_binlog_events", "show binlog events"}, {"show_relaylog_events", "show relaylog events"},
	{"show_function_code", "show function code f"}, {"show_procedure_code", "show procedure code p"},
	{"show_profile", "show profile"}, {"show_profiles", "show profiles"},
	{"xa_start", "xa start 'x'"}, {"xa_end", "xa end 'x'"}, {"xa_prepare", "xa prepare 'x'"}, {"xa_commit", "xa commit 'x'"},
	{"xa_rollback", "xa rollback 'x'"}, {"xa_recover", "xa recover"},
	{"explain_other", "explain for connection 1"}, {"get_diagnostics", "get diagnostics @n = number"},
	{"create_spatial_reference_system", "create spatial reference system 4444 name 'x' definition 'y'"},
}

func TestStatementKinds(t *testing.T) {
	seen := map[string]bool{"error": true, "empty_query": true} // see TestStatements
	for _, test := range statementsOfKinds {
		seen[test.kind] = true
		s, err := syntax.Parser{}.ParseSimple(test.text)
		if own := grammar.Grammar(test.text); err != nil && own != nil {
			s, err = ast.InjectedStatement{Statement: parsing.Unparsed{Statement: own}}, nil
		}
		if own, e := accounts.Parse(test.text, false); own != nil && e == nil {
			s, err = ast.InjectedStatement{Statement: parsing.AccountStatement{Statement: own}}, nil
		}
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		} else if got := statements.Kind(s, test.text); got != test.kind {
			t.Errorf("%s: got %q, want %q", test.text, got, test.kind)
		}
	}
	for _, kind := range statements.Kinds {
		if !seen[kind] {
			t.Errorf("no statement is a %s", kind)
		}
		delete(seen, kind)
	}
	for kind := range seen {
		t.Errorf("%s has no instrument", kind)
	}
}

// The instruments have MySQL's names.
func TestStatementNames(t *testing.T) {
	f, err := os.Open("../testdata/mysql84/work_instruments.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var names []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, _, _ := strings.Cut(lines.Text(), "\t")
		names = append(names, name)
	}
	r := serve(t, Options{})
	own := []string{
		"stage/sql/Creating sort index", "stage/sql/Sending data", // of 5.7: 8.4 has no stages for sorts and reading
		"stage/sql/Waiting for processor time",                          // MySQL holds no statement back
		"stage/txkv/flushing memtables", "stage/txkv/compacting tables", // of another storage
	}
	for _, c := range r.reg.Reader().Classes() {
		name := c.Name()
		if !strings.HasPrefix(name, "statement/") && !strings.HasPrefix(name, "stage/") {
			continue
		}
		if !slices.Contains(names, name) && !slices.Contains(own, name) {
			t.Errorf("MySQL has no instrument %s", name)
		}
	}
	if lost := r.query(t, "SHOW STATUS WHERE Variable_name IN ('Performance_schema_statement_classes_lost', 'Performance_schema_stage_classes_lost') AND Value > 0"); len(lost) > 0 {
		t.Errorf("instruments lost: %v", lost)
	}
}
