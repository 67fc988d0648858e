package parsing

import (
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/nodes"
	"pfsd/engine/profiling"
	"pfsd/engine/querylog"
	"pfsd/tables"
)

// serverKind returns the kind of a statement about the server that vitess parses and
// go-mysql-server cannot execute, and the text behind its first words. It returns "" for any other
// statement.
func serverKind(s ast.Statement) (kind, tail string) {
	switch s := s.(type) {
	case *ast.Flush:
		switch name := strings.ToLower(s.Option.Name); name {
		case "hosts", "privileges", "tables", "table":
		default:
			return "flush", name
		}
	case *ast.StartReplica:
		return "replica_start", ""
	case *ast.StopReplica:
		return "replica_stop", ""
	case *ast.ResetReplica:
		return "reset_replica", ""
	case *ast.ChangeReplicationSource:
		return "change_replication_source", ""
	case *ast.ChangeReplicationFilter:
		return "change_repl_filter", ""
	case *ast.PurgeBinaryLogs:
		if s.To != "" {
			return "purge", s.To
		}
		return "purge_before_date", ""
	case *ast.Binlog:
		return "binlog", ""
	case *ast.Show:
		switch strings.ToLower(s.Type) {
		case "binary logs":
			return "show_binlogs", ""
		case "replicas":
			return "show_replicas", ""
		case "replica status", "slave status":
			return "show_replica_status", ""
		}
	}
	return "", ""
}

// serverRefusals has errors of MySQL, by the kind of the statement. They fit a server without a
// binary log, replication, plugins, components and XA, such as this one.
var serverRefusals = map[string]func(tail string) *mysql.SQLError{
	"show_binlogs":              refusal("HY000", 1381, "You are not using binary logging"),
	"show_procedure_code":       refusal("HY000", 1289, "The 'SHOW PROCEDURE|FUNCTION CODE' feature is disabled; you need MySQL built with '--with-debug' to have it working"),
	"show_function_code":        refusal("HY000", 1289, "The 'SHOW PROCEDURE|FUNCTION CODE' feature is disabled; you need MySQL built with '--with-debug' to have it working"),
	"replica_start":             refusal("HY000", 1200, "The server is not configured as replica; fix in config file or with CHANGE REPLICATION SOURCE TO"),
	"change_replication_source": unsupported("CHANGE REPLICATION SOURCE"),
	"change_repl_filter":        unsupported("CHANGE REPLICATION FILTER"),
	"reset_binary_logs":         refusal("HY000", 1186, "Binlog closed, cannot RESET BINARY LOGS AND GTIDS"),
	"purge":                     refusal("HY000", 1373, "Target log not found in binlog index"),
	"binlog":                    unsupported("BINLOG"),
	"group_replication_start":   refusal("HY000", 3092, "The server is not configured properly to be an active member of the group. Please see more details on error log."),
	"group_replication_stop":    refusal("HY000", 3092, "The server is not configured properly to be an active member of the group. Please see more details on error log."),
	"xa_start":                  unsupported("XA"),
	"xa_end":                    unsupported("XA"),
	"xa_prepare":                unsupported("XA"),
	"xa_commit":                 unsupported("XA"),
	"xa_rollback":               unsupported("XA"),
	"install_plugin":            unsupported("INSTALL PLUGIN"),
	"install_component":         unsupported("INSTALL COMPONENT"),
	"import":                    unsupported("IMPORT TABLE"),
	"restart":                   refusal("HY000", 3707, "Restart server failed (mysqld is not managed by supervisor process)."),
	"assign_to_keycache":        unsupported("CACHE INDEX"),
	"preload_keys":              unsupported("LOAD INDEX INTO CACHE"),
	"uninstall_plugin": func(tail string) *mysql.SQLError {
		return mysql.NewSQLError(1305, "42000", "PLUGIN %s does not exist", strings.Trim(tail, "`"))
	},
	"uninstall_component": func(tail string) *mysql.SQLError {
		return mysql.NewSQLError(3537, "HY000", "Component specified by URN '%s' to unload has not been loaded before.", strings.Trim(tail, "'\""))
	},
}

// refusal returns a function that returns an error whatever the tail of the statement is.
func refusal(state string, number int, text string) func(string) *mysql.SQLError {
	return func(string) *mysql.SQLError { return mysql.NewSQLError(number, state, "%s", text) }
}

// unsupported returns the refusal of a statement that this server does not have.
func unsupported(what string) func(string) *mysql.SQLError {
	return refusal("42000", 1235, "This version of MySQL doesn't yet support '"+what+"'")
}

// emptyAnswers has the columns of statements that have no rows in this server, by the kind of the
// statement. A column of numbers has a bar behind its name.
var emptyAnswers = map[string]string{
	"show_replicas":        "Server_Id| Host Port| Source_Id| Replica_UUID",
	"show_binlog_events":   "Log_name Pos| Event_type Server_id| End_log_pos| Info",
	"show_relaylog_events": "Log_name Pos| Event_type Server_id| End_log_pos| Info",
	"xa_recover":           "formatID| gtrid_length| bqual_length| data",
	"help":                 "name is_it_category",
	"show_replica_status": `Replica_IO_State Source_Host Source_User Source_Port| Connect_Retry| Source_Log_File Read_Source_Log_Pos|
		Relay_Log_File Relay_Log_Pos| Relay_Source_Log_File Replica_IO_Running Replica_SQL_Running Replicate_Do_DB
		Replicate_Ignore_DB Replicate_Do_Table Replicate_Ignore_Table Replicate_Wild_Do_Table Replicate_Wild_Ignore_Table
		Last_Errno| Last_Error Skip_Counter| Exec_Source_Log_Pos| Relay_Log_Space| Until_Condition Until_Log_File
		Until_Log_Pos| Source_SSL_Allowed Source_SSL_CA_File Source_SSL_CA_Path Source_SSL_Cert Source_SSL_Cipher
		Source_SSL_Key Seconds_Behind_Source| Source_SSL_Verify_Server_Cert Last_IO_Errno| Last_IO_Error
		Last_SQL_Errno| Last_SQL_Error Replicate_Ignore_Server_Ids Source_Server_Id| Source_UUID Source_Info_File
		SQL_Delay| SQL_Remaining_Delay| Replica_SQL_Running_State Source_Retry_Count| Source_Bind Last_IO_Error_Timestamp
		Last_SQL_Error_Timestamp Source_SSL_Crl Source_SSL_Crlpath Retrieved_Gtid_Set Executed_Gtid_Set Auto_Position
		Replicate_Rewrite_DB Channel_Name Source_TLS_Version Source_public_key_path Get_Source_public_key Network_Namespace`,
}

// namedChannel matches FOR CHANNEL with a name that is not empty.
var namedChannel = regexp.MustCompile(`(?i)^for\s+channel\s+['"](.+)['"]$`)

// server makes the node of the plan of a statement about the server.
func (u Unparsed) server(ctx *sql.Context, children []any) (any, error) {
	if refused := serverRefusals[u.Kind]; refused != nil {
		return nil, refused(u.Tail)
	}
	columns, empty := emptyAnswers[u.Kind]
	switch u.Kind {
	case "show_replica_status":
		if m := namedChannel.FindStringSubmatch(u.Tail); m != nil {
			return nil, mysql.NewSQLError(3074, "HY000", "Replica channel '%s' does not exist.", m[1])
		}
	case "clone":
		if words := strings.Fields(strings.ToUpper(u.Text)); len(words) > 1 && words[1] != "LOCAL" {
			return nil, unsupported("CLONE INSTANCE")("")
		}
	case "do":
		n := doNode{Answer: nodes.Answer{Kind: u.Kind, Columns: types.OkResultSchema}}
		for _, c := range children {
			n.exprs = append(n.exprs, c.(sql.Expression))
		}
		return n, nil
	case "show_profile":
		n := nodes.Answer{Kind: u.Kind}
		if err := profiling.Show(&n, u.Tail); err != nil {
			return nil, err
		}
		return n, nil
	case "show_profiles":
		n := nodes.Answer{Kind: u.Kind}
		profiling.ShowAll(&n)
		return n, nil
	}
	n := nodes.Answer{Kind: u.Kind, Columns: types.OkResultSchema}
	n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
		if err := u.carryOut(ctx); err != nil || empty {
			return nil, err
		}
		return []sql.Row{sql.NewRow(types.NewOkResult(0))}, nil
	}
	if empty {
		n.Columns = nil
		for _, c := range strings.Fields(columns) {
			name, number := strings.CutSuffix(c, "|")
			column := &sql.Column{Name: name, Type: types.MustCreateString(querypb.Type_VARCHAR, 255, sql.Collation_Default), Nullable: true}
			if number {
				column.Type = types.Int64
			}
			n.Columns = append(n.Columns, column)
		}
	}
	return n, nil
}

// carryOut executes a statement about the server that serverRefusals does not refuse. Many of them
// have no effect in this server.
func (u Unparsed) carryOut(ctx *sql.Context) error {
	switch u.Kind {
	case "flush":
		switch strings.ToLower(u.Tail) {
		case "status":
			tables.ResetStatus(tables.Of(u.provider.Registry))
		case "logs": // if somebody has moved a file away, the log continues in a new one
			u.provider.QueryLogs.Reopen(querylog.Slow)
			u.provider.QueryLogs.Reopen(querylog.General)
			return u.provider.Log.Reopen()
		case "user_resources":
			if u.provider.Accounts != nil {
				u.provider.Accounts.BeginHour()
			}
		case "error logs":
			return u.provider.Log.Reopen()
		case "slow logs":
			u.provider.QueryLogs.Reopen(querylog.Slow)
		case "general logs":
			u.provider.QueryLogs.Reopen(querylog.General)
		}
	case "clone":
		path, err := cloneDirectory(u.Tail)
		if err != nil {
			return err
		}
		return u.provider.Clone(path)
	case "shutdown":
		if s, ok := ctx.ProcessList.(Session); ok {
			s.ShutDown()
		}
	case "lock_instance":
		if s, ok := ctx.ProcessList.(Session); ok {
			return s.LockInstance(ctx)
		}
	case "unlock_instance":
		if s, ok := ctx.ProcessList.(Session); ok {
			s.UnlockInstance()
		}
	case "replica_stop":
		ctx.Session.Warn(&sql.Warning{Level: "Note", Code: 3084, Message: "Replication thread(s) for channel '' are already stopped."})
	}
	return nil
}

// cloneTo matches what follows CLONE LOCAL.
var cloneTo = regexp.MustCompile(`(?is)^data\s+directory\s*=?\s*(?:'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)")$`)

var unquoted = strings.NewReplacer("''", "'", `""`, `"`, `\\`, `\`, `\'`, "'", `\"`, `"`)

// cloneDirectory returns the directory that CLONE LOCAL names. tail is the text behind these words.
func cloneDirectory(tail string) (string, error) {
	m := cloneTo.FindStringSubmatch(strings.TrimSpace(tail))
	if m == nil {
		return "", mysql.NewSQLError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line 1", tail)
	}
	return unquoted.Replace(m[1] + m[2]), nil
}

// expressions returns the expressions of a SELECT that has nothing but expressions. It returns
// false for any other statement.
func expressions(s ast.Statement) (all ast.Exprs, ok bool) {
	sel, ok := s.(*ast.Select)
	if !ok || len(sel.From) > 0 && ast.String(sel.From) != "dual" || sel.Where != nil || sel.Into != nil || sel.Limit != nil || sel.GroupBy != nil {
		return nil, false
	}
	for _, e := range sel.SelectExprs {
		a, ok := e.(*ast.AliasedExpr)
		if !ok {
			return nil, false
		}
		all = append(all, a.Expr)
	}
	return all, true
}

// doNode is the node of DO. It evaluates expressions for their side effects. Safe for concurrent
// use.
type doNode struct {
	nodes.Answer
	exprs []sql.Expression
}

var (
	_ sql.ExecSourceRel = doNode{}
	_ sql.Expressioner  = doNode{}
)

// Resolved implements sql.Node.
func (n doNode) Resolved() bool {
	for _, e := range n.exprs {
		if !e.Resolved() {
			return false
		}
	}
	return true
}

// Expressions implements sql.Expressioner.
func (n doNode) Expressions() []sql.Expression { return n.exprs }

// WithExpressions implements sql.Expressioner.
func (n doNode) WithExpressions(_ *sql.Context, exprs ...sql.Expression) (sql.Node, error) {
	n.exprs = exprs
	return n, nil
}

// WithChildren implements sql.Node.
func (n doNode) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(n, len(children), 0)
	}
	return n, nil
}

// RowIter implements sql.ExecSourceRel. It evaluates the expressions. If one fails, the evaluation
// adds a warning where MySQL has one. Any other failure is an error.
func (n doNode) RowIter(ctx *sql.Context, row sql.Row) (sql.RowIter, error) {
	for _, e := range n.exprs {
		if _, err := e.Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	return sql.RowsToRowIter(sql.NewRow(types.NewOkResult(0))), nil
}
