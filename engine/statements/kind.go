package statements

import (
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/accounts"
	"pfsd/engine/grammar"
	"pfsd/engine/infoschema"
	"pfsd/engine/syntax"
)

// A statement that the server carries out itself, which go-mysql-server has as an injected one, implements one of these.
type (
	// Accounts is about accounts.
	Accounts interface{ AccountStatement() *accounts.Statement }
	// Grammar is one that go-mysql-server's grammar does not have.
	Grammar interface {
		GrammarStatement() *grammar.Statement
		// PersistsFixed tells whether the file of persisted variables has a variable that is fixed: the named one, or any.
		PersistsFixed(name string) bool
	}
	// Definition makes anew what the server itself has.
	Definition interface{ Definition() ast.Statement }
	// Prepare is PREPARE.
	Prepare interface{ Prepared() *ast.Prepare }
)

// DefinesFunction reports whether s is CREATE FUNCTION or DROP FUNCTION.
func DefinesFunction(s ast.InjectedStatement) bool {
	g, ok := s.Statement.(Grammar)
	if !ok {
		return false
	}
	kind := g.GrammarStatement().Kind
	return kind == "create_function" || kind == "drop_function"
}

// Error is the kind of what cannot be parsed.
const Error = "error"

// ShowKinds are the kinds of SHOW, by what the parser calls them.
var ShowKinds = map[string]string{
	"tables": "show_tables", "databases": "show_databases", "schemas": "show_databases",
	"columns": "show_fields", "fields": "show_fields", "index": "show_keys",
	"create table": "show_create_table", "create view": "show_create_table",
	"create database": "show_create_db", "create schema": "show_create_db",
	"create procedure": "show_create_proc", "create trigger": "show_create_trigger", "create event": "show_create_event",
	"variables": "show_variables", "status": "show_status", "processlist": "show_processlist",
	"warnings": "show_warnings", "errors": "show_errors", "engines": "show_storage_engines", "plugins": "show_plugins",
	"triggers": "show_triggers", "events": "show_events", "table status": "show_table_status",
	"procedure status": "show_procedure_status", "function status": "show_function_status",
	"charset": "show_charsets", "collation": "show_collations",
	"binary logs": "show_binlogs", "binary log status": "show_binary_log_status",
	"replica status": "show_replica_status", "slave status": "show_replica_status", "replicas": "show_replicas",
}

// Kind is what MySQL calls the kind of statement s with this text, the last part of the
// name of its instrument statement/sql/KIND; "" if it has no name for it. It is one case for each type of statements.
func Kind(s ast.Statement, text string) string {
	switch s := s.(type) {
	case *ast.Select, *ast.SetOp:
		return "select"
	case *ast.ParenSelect:
		if syntax.FirstWord(text) == "show" {
			return infoschema.QueryKind(text)
		}
		return "select"
	case *ast.Insert:
		return insertKind(s)
	case *ast.Update:
		if syntax.SeveralTables(s.TableExprs) {
			return "update_multi"
		}
		return "update"
	case *ast.Delete:
		if len(s.Targets) > 0 || syntax.SeveralTables(s.TableExprs) {
			return "delete_multi"
		}
		return "delete"
	case *ast.Set:
		if grammar.DiagnosticsOf(s) != nil {
			return "get_diagnostics"
		}
		if len(s.Exprs) == 1 && s.Exprs[0].Scope == ast.SetScope_None && strings.EqualFold(s.Exprs[0].Name.Name.String(), "password") {
			return "set_password"
		}
		return "set_option"
	case *ast.DBDDL:
		return s.Action + "_db"
	case *ast.DDL:
		return ddlKind(s)
	case *ast.AlterTable:
		// The parser makes the same of CREATE INDEX, DROP INDEX and ALTER TABLE.
		switch syntax.FirstWord(text) {
		case "create":
			return "create_index"
		case "drop":
			return "drop_index"
		}
		return "alter_table"
	case *ast.Explain:
		// As in MySQL, the command is that of the statement.
		return Kind(s.Statement, "")
	case *ast.Show:
		if s.CountStar {
			return "select" // of @@warning_count
		}
		return ShowKinds[strings.ToLower(s.Type)]
	case *ast.Flush:
		return "flush"
	case *ast.PurgeBinaryLogs:
		if s.To == "" {
			return "purge_before_date"
		}
		return "purge"
	case *ast.RevokePrivilege:
		return "revoke"
	case ast.InjectedStatement:
		switch own := s.Statement.(type) {
		case Accounts:
			return own.AccountStatement().Kind
		case Definition:
			return Kind(own.Definition(), text)
		case Prepare:
			return "prepare_sql"
		case Grammar:
			s := own.GrammarStatement()
			switch s.Kind {
			case "reset_replica", "reset_binary_logs":
				return "reset"
			case "explain_in":
				return Kind(s.Explain.Statement, "")
			}
			if AboutConditions(s.Kind) && len(s.Options) > 0 {
				return "select" // of @@warning_count
			}
			return s.Kind
		}
	}
	return plainKinds(s)
}

// ConditionKind is statementKind of what may be about the conditions, whatever MySQL counts it as; "" of
// anything else.
func ConditionKind(s ast.Statement) string {
	switch s := s.(type) {
	case *ast.Show:
		if u := grammar.ShowConditions(s); u != nil {
			return u.Kind
		}
	case *ast.Set:
		if grammar.DiagnosticsOf(s) != nil {
			return "get_diagnostics"
		}
	case ast.InjectedStatement:
		if own, ok := s.Statement.(Grammar); ok {
			return own.GrammarStatement().Kind
		}
	}
	return ""
}

// plainKinds is statementKind of what the type of the syntax tree is enough for.
func plainKinds(s ast.Statement) string {
	switch s.(type) {
	case *ast.Use:
		return "change_db"
	case *ast.Begin:
		return "begin"
	case *ast.Commit:
		return "commit"
	case *ast.Rollback:
		return "rollback"
	case *ast.Savepoint:
		return "savepoint"
	case *ast.RollbackSavepoint:
		return "rollback_to_savepoint"
	case *ast.ReleaseSavepoint:
		return "release_savepoint"
	case *ast.LockTables:
		return "lock_tables"
	case *ast.UnlockTables:
		return "unlock_tables"
	case *ast.Kill:
		return "kill"
	case *ast.Prepare:
		return "prepare_sql"
	case *ast.Execute:
		return "execute_sql"
	case *ast.Deallocate:
		return "dealloc_sql"
	case *ast.Call:
		return "call_procedure"
	case *ast.Load:
		return "load"
	case *ast.Analyze:
		return "analyze"
	case *ast.Signal:
		return "signal"
	case *ast.Resignal:
		return "resignal"
	case *ast.CreateUser:
		return "create_user"
	case *ast.RenameUser:
		return "rename_user"
	case *ast.DropUser:
		return "drop_user"
	case *ast.CreateRole:
		return "create_role"
	case *ast.DropRole:
		return "drop_role"
	case *ast.GrantPrivilege, *ast.GrantProxy:
		return "grant"
	case *ast.GrantRole:
		return "grant_roles"
	case *ast.RevokeProxy:
		return "revoke"
	case *ast.RevokeRole:
		return "revoke_roles"
	case *ast.ShowGrants:
		return "show_grants"
	case *ast.ShowPrivileges:
		return "show_privileges"
	case *ast.Binlog:
		return "binlog"
	case *ast.ChangeReplicationSource:
		return "change_replication_source"
	case *ast.ChangeReplicationFilter:
		return "change_repl_filter"
	case *ast.StartReplica:
		return "replica_start"
	case *ast.StopReplica:
		return "replica_stop"
	case *ast.ResetReplica:
		return "reset"
	case *ast.CreateSpatialRefSys:
		return "create_spatial_reference_system"
	}
	return ""
}

func insertKind(s *ast.Insert) string {
	kind := "insert"
	if s.Action == ast.ReplaceStr {
		kind = "replace"
	}
	switch s.Rows.(type) {
	case ast.AliasedValues, *ast.AliasedValues, ast.Values:
		return kind
	}
	return kind + "_select"
}

func ddlKind(s *ast.DDL) string {
	action := strings.ToLower(s.Action)
	switch {
	case action == ast.TruncateStr:
		return "truncate"
	case s.ViewSpec != nil, len(s.FromViews) > 0:
		return action + "_view"
	case s.TriggerSpec != nil:
		return action + "_trigger"
	case s.ProcedureSpec != nil:
		return action + "_procedure"
	case s.EventSpec != nil:
		return action + "_event"
	case action == ast.AlterStr && (s.Authentication != nil || s.User.Name != ""):
		return "alter_user"
	}
	return action + "_table"
}

// Kinds are all kinds of statements that the server can tell apart, and so has
// instruments for.
var Kinds = []string{
	"alter_db", "alter_event", "alter_table", "alter_user", "alter_user_default_role", "analyze", "begin", "binlog", "call_procedure", "change_db",
	"change_repl_filter", "change_replication_source", "check", "checksum", "commit", "create_db", "create_event",
	"create_function", "create_index", "create_procedure", "create_role", "create_spatial_reference_system",
	"create_table", "create_trigger", "create_user", "create_view", "dealloc_sql", "delete", "delete_multi", "drop_db",
	"drop_event", "drop_function", "drop_index", "drop_procedure", "drop_role", "drop_table", "drop_trigger", "drop_user",
	"drop_view", "empty_query", "error", "execute_sql", "explain_other", "flush", "get_diagnostics", "grant", "grant_roles", "ha_close", "ha_open", "ha_read",
	"insert", "insert_select", "kill", "load", "lock_tables", "optimize", "prepare_sql", "purge", "purge_before_date",
	"release_savepoint", "rename_table", "rename_user", "repair", "replace", "replace_select", "replica_start",
	"replica_stop", "reset", "resignal", "revoke", "revoke_all", "revoke_roles", "rollback", "rollback_to_savepoint", "savepoint",
	"select", "set_option", "set_password", "set_role", "show_binary_log_status", "show_binlogs", "show_charsets", "show_collations",
	"show_create_db", "show_create_event", "show_create_proc", "show_create_table", "show_create_trigger", "show_create_user",
	"show_databases", "show_engine_logs", "show_engine_mutex", "show_engine_status", "show_errors", "show_events",
	"show_fields", "show_function_status", "show_grants", "show_keys", "show_plugins", "show_privileges",
	"show_procedure_status", "show_processlist", "show_replica_status", "show_replicas", "show_status",
	"show_storage_engines", "show_table_status", "show_tables", "show_triggers", "show_variables", "show_warnings",
	"signal", "truncate", "unlock_tables", "update", "update_multi",
	"do", "group_replication_start", "group_replication_stop", "help", "import", "install_component",
	"install_plugin", "lock_instance", "unlock_instance", "preload_keys", "assign_to_keycache", "restart", "show_binlog_events",
	"show_function_code", "show_procedure_code", "show_profile", "show_profiles", "show_relaylog_events", "uninstall_component", "uninstall_plugin",
	"xa_commit", "xa_end", "xa_prepare", "xa_recover", "xa_rollback", "xa_start",
}

// ChangesData tells whether statements of a kind change data, accounts or definitions: MAX_UPDATES_PER_HOUR counts them.
func ChangesData(kind string) bool {
	what, _, _ := strings.Cut(kind, "_")
	switch what {
	case "alter", "create", "delete", "drop", "grant", "import", "insert", "install", "load", "optimize", "rename", "replace", "revoke", "truncate", "uninstall", "update":
		return true
	}
	return false
}

// TextAboutConditions tells whether a statement is about the conditions, so that it keeps them.
func TextAboutConditions(text string) bool {
	switch syntax.FirstWord(text) {
	case "show":
		s, err := syntax.Default.ParseSimple(text)
		return err == nil && AboutConditions(ConditionKind(s))
	case "get":
		return true
	}
	return false
}

// AboutConditions tells whether statements of a kind are about the conditions.
func AboutConditions(kind string) bool {
	return kind == "show_warnings" || kind == "show_errors" || kind == "get_diagnostics"
}

// Trimmed is the text of a statement without what MySQL takes off its ends.
func Trimmed(text string) string {
	return strings.TrimRight(strings.TrimLeft(text, " \t\r\n\v\f"), "; \t\r\n\v\f")
}
