package parsing

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/catalog"
	"pfsd/engine/diagnostics"
	"pfsd/engine/grammar"
	"pfsd/engine/moment"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/session"
	"pfsd/engine/syntax"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/vtable"
	"pfsd/tables"
)

// Unparsed is a statement that vitess's grammar does not have, or that go-mysql-server cannot
// execute. This server executes it itself. Safe for concurrent use.
type Unparsed struct {
	*grammar.Statement
	provider  *catalog.Provider
	variables *sysvar.Server
}

// GrammarStatement returns the statement as package grammar parses it. Packages statements and
// rights call it.
func (u Unparsed) GrammarStatement() *grammar.Statement { return u.Statement }

// PersistsFixed reports whether the file of persisted variables has the read-only variable name; ""
// means any read-only variable. Package rights calls it for RESET PERSIST.
func (u Unparsed) PersistsFixed(name string) bool { return u.variables.PersistsFixed(name) }

// recognise returns the statement with which query begins, the text of the statement, and the text
// that follows it. err is the error with which vitess refuses query. recognise returns err if the
// server cannot execute the statement either.
func (p Parser) recognise(ctx *sql.Context, query string, multi bool, err error) (ast.Statement, string, string, error) {
	if syntax.Refused(err) {
		return nil, query, "", err
	}
	s := grammar.Grammar(query)
	if s != nil && s.Kind == "create_function" && multi {
		s.Text, s.Rest = routine.CutFunction(ctx, syntax.Default, s.Text, syntax.Options(ctx))
	}
	if s == nil || s.Rest != "" && !multi {
		return nil, query, "", err
	}
	if s.Kind == "create_table" {
		db := session.OrCurrent(ctx, s.Names[0].Database)
		instead := s.Instead
		if s.Instead = ""; !vtable.Is(db) && !vtable.Is(s.Engine) {
			parsed, _, _, failed := p.Parser.Parse(ctx, instead, false)
			if instead == "" || failed != nil {
				return nil, query, "", err // the fault is in another part of the statement
			}
			rewriteTree(instead, parsed)
			parsed, failed = p.executable(ctx, instead, parsed)
			return parsed, s.Text, s.Rest, failed
		}
	}
	if s.Kind == "do" {
		text := "SELECT " + s.Tail
		parsed, _, _, failed := p.Parser.Parse(ctx, text, false)
		rewriteTree(text, parsed)
		exprs, ok := expressions(parsed)
		if failed != nil || !ok {
			return nil, query, "", err
		}
		if column := matchColumn(exprs); column != "" {
			return nil, query, "", mysqlerr.UnknownColumn(column, "field list")
		}
		do := p.injected(s).(ast.InjectedStatement)
		do.Children = exprs
		return do, s.Text, s.Rest, nil
	}
	if s.Kind == "create_function" && len(s.Options) == 0 && !sys.Is(session.OrCurrent(ctx, s.Names[0].Database)) {
		f, failed := routine.ParseFunction(ctx, syntax.Default, s.Text, syntax.Options(ctx))
		if failed != nil || f == nil {
			return nil, query, "", cmp.Or(failed, err)
		}
	}
	if s.Kind == "explain" || s.Kind == "explain_other" {
		parsed, failed := p.explainStatement(ctx, s)
		return parsed, s.Text, s.Rest, failed
	}
	if s.Instead != "" {
		parsed, _, _, failed := p.Parser.Parse(ctx, s.Instead, false)
		if set, ok := parsed.(*ast.Set); ok && failed == nil && s.Kind == "get_diagnostics" {
			s.Diagnostics = grammar.DiagnosticsOf(set)
			return p.injected(s), s.Text, s.Rest, nil
		}
		if failed != nil && (s.Kind == "get_diagnostics" || s.Kind == "create_procedure") {
			return nil, query, "", err
		}
		return parsed, s.Text, s.Rest, failed
	}
	return p.injected(s), s.Text, s.Rest, nil
}

// injected returns an injected statement for s, with the privileges that go-mysql-server checks.
func (p Parser) injected(s *grammar.Statement) ast.Statement {
	info := ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore}
	switch s.Kind {
	case "analyze", "optimize", "repair":
		info.AuthType = rights.SelectInsert
	case "check", "checksum", "ha_open":
		info.AuthType = ast.AuthType_SELECT
	case "show_engine_status", "show_engine_mutex", "show_engine_logs":
		info.AuthType, info.TargetType = ast.AuthType_PROCESS, ast.AuthTargetType_Global
	}
	if info.AuthType != ast.AuthType_IGNORE && info.TargetType == ast.AuthTargetType_Ignore {
		info.TargetType = ast.AuthTargetType_MultipleTableIdentifiers
		for _, n := range s.Names {
			info.TargetNames = append(info.TargetNames, n.Database, n.Name)
		}
	}
	injected := ast.InjectedStatement{Statement: Unparsed{s, p.provider, p.variables}, Auth: info}
	if s.Diagnostics != nil && s.Diagnostics.Condition != nil {
		injected.Children = ast.Exprs{s.Diagnostics.Condition}
	}
	if s.Signal != nil {
		for _, item := range s.Signal.Info {
			injected.Children = append(injected.Children, item.Value)
		}
	}
	return injected
}

// WithResolvedChildren implements ast.Injectable. It makes the node of the statement's plan, in one
// case for each kind.
func (u Unparsed) WithResolvedChildren(ctx context.Context, children []any) (any, error) {
	sc := ctx.(*sql.Context)
	n := nodes.Answer{Kind: u.Kind}
	text := func(name string, length int64) *sql.Column {
		return &sql.Column{Name: name, Type: types.MustCreateString(querypb.Type_VARCHAR, length, sql.Collation_Default)}
	}
	if u.Server {
		return u.server(sc, children)
	}
	switch u.Kind {
	case "create_function":
		if db := session.OrCurrent(sc, u.Names[0].Database); !vtable.Is(db) && !u.provider.IsHistory(db) && !sys.Is(db) {
			if len(u.Options) > 0 {
				return nil, mysql.NewSQLError(1235, "42000", "This version of MySQL doesn't yet support 'CREATE FUNCTION ... SONAME'")
			}
			n.Columns = types.OkResultSchema
			n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
				return []sql.Row{sql.NewRow(types.NewOkResult(0))}, u.createFunction(ctx, db)
			}
			return n, nil
		}
		if f := sysschema.Functions[strings.ToLower(u.Names[0].Name)]; f != nil && sys.Is(session.OrCurrent(sc, u.Names[0].Database)) {
			n.Columns, n.Rows = types.OkResultSchema, rejectChange(sys.Schema)
			return n, nil
		}
		return nil, access.ErrSchemaDenied(sc, strings.ToLower(session.OrCurrent(sc, u.Names[0].Database)))
	case "show_create_func":
		if session.OrCurrent(sc, u.Names[0].Database) == "" {
			return nil, mysqlerr.NoDatabase()
		}
		db, err := u.provider.Database(sc, session.OrCurrent(sc, u.Names[0].Database))
		if err != nil {
			return nil, err
		}
		row, err := u.provider.Info.FunctionText(sc, db, u.Names[0].Name)
		if err != nil {
			return nil, err
		}
		n.Columns = sql.Schema{
			text("Function", 64), text("sql_mode", 256), text("Create Function", 1024), text("character_set_client", 32), text("collation_connection", 32), text("Database Collation", 32),
		}
		n.Rows = func(*sql.Context) ([]sql.Row, error) { return []sql.Row{row}, nil }
	case "create_table":
		if vtable.Is(session.OrCurrent(sc, u.Names[0].Database)) {
			return nil, access.ErrOwnSchema(sc)
		}
		return nil, mysqlerr.WrongUsage()
	case "drop_function":
		if sys.Is(session.OrCurrent(sc, u.Names[0].Database)) && sysschema.Functions[strings.ToLower(u.Names[0].Name)] != nil {
			if len(u.Options) > 0 {
				n.Columns, n.Rows = types.OkResultSchema, rejectChange(sys.Schema)
				return n, nil
			}
			return nil, access.ErrSchemaDenied(sc, sys.Schema)
		}
		if db := u.provider.FunctionsOf(sc, session.OrCurrent(sc, u.Names[0].Database)); db != nil {
			if f, found, err := db.GetStoredFunction(sc, u.Names[0].Name); err != nil || found {
				n.Columns = types.OkResultSchema
				n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
					return []sql.Row{sql.NewRow(types.NewOkResult(0))}, u.dropFunction(ctx, db, f.Name)
				}
				return n, err
			}
		}
		name := "FUNCTION " + session.OrCurrent(sc, u.Names[0].Database) + "." + u.Names[0].Name
		if session.OrCurrent(sc, u.Names[0].Database) == "" {
			name = "FUNCTION (UDF) " + u.Names[0].Name
		}
		if len(u.Options) == 0 {
			return nil, mysql.NewSQLError(1305, "42000", "%s does not exist", name)
		}
		n.Columns = types.OkResultSchema
		n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: 1305, Message: name + " does not exist"})
			return []sql.Row{sql.NewRow(types.NewOkResult(0))}, nil
		}
	case "reset":
		n.Columns = types.OkResultSchema
		n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
			return []sql.Row{sql.NewRow(types.NewOkResult(0))}, u.variables.ResetPersist(ctx, u.Statement)
		}
	case "alter_instance":
		n.Columns = types.OkResultSchema
		n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
			return []sql.Row{sql.NewRow(types.NewOkResult(0))}, u.reloadTLS(ctx)
		}
	case "ha_open":
		if _, _, err := u.table(sc, u.Names[0]); err != nil {
			return nil, err
		}
		return nil, mysqlerr.NoOption(u.Names[0].Name)
	case "ha_close", "ha_read":
		return nil, mysql.NewSQLError(1109, "42S02", "Unknown table '%s' in HANDLER", u.Names[0].Name)
	case "show_engine_status", "show_engine_mutex", "show_engine_logs":
		n.Columns = sql.Schema{text("Type", 10), text("Name", 512), text("Status", 10)}
		n.Rows = u.engineRows
	case "show_warnings", "show_errors":
		diagnostics.Show(u.Statement, &n)
	case "explain_other":
		u.explainOther(&n)
	case "explain_in":
		u.explainIn(&n)
	case "signal":
		n.Columns = types.OkResultSchema
		n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
			return []sql.Row{sql.NewRow(types.NewOkResult(0))}, diagnostics.Signal(ctx, u.Statement, children)
		}
	case "get_diagnostics":
		n.Columns = types.OkResultSchema
		n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
			return []sql.Row{sql.NewRow(types.NewOkResult(0))}, diagnostics.Get(ctx, u.Statement, children)
		}
	case "show_plugins":
		n.Columns = sql.Schema{text("Name", 64), text("Status", 10), text("Type", 80), text("Library", 64), text("License", 80)}
		n.Rows = u.provider.Info.PluginRows
	case "checksum":
		n.Columns = sql.Schema{text("Table", 128), {Name: "Checksum", Type: types.Int64, Nullable: true}}
		n.Rows = u.checksums
	default:
		n.Columns = sql.Schema{text("Table", 128), text("Op", 10), text("Msg_type", 10), {Name: "Msg_text", Type: types.LongText}}
		n.Rows = u.maintenance
	}
	return n, nil
}

// reloadTLS executes ALTER INSTANCE RELOAD TLS: new connections use the current values of the
// variables ssl_* and tls_version. If that is impossible, it returns an error, and the previous
// values stay in use. With NO ROLLBACK ON ERROR, it adds a warning instead, and turns TLS off.
func (u Unparsed) reloadTLS(ctx *sql.Context) error {
	err := u.provider.Channel.Reload(u.variables)
	switch {
	case err == nil:
		return nil
	case len(u.Options) > 0:
		u.provider.Channel.TurnOff()
		ctx.Warn(3888, "Failed to set up SSL because of the following SSL library error: %s", err)
		return nil
	}
	return mysql.NewSQLError(3888, "HY000", "Failed to set up SSL because of the following SSL library error: %s", err)
}

// table returns the table n, and its name with the database. It returns an error if there is none.
func (u Unparsed) table(ctx *sql.Context, n grammar.Name) (t sql.Table, name string, err error) {
	dbName := session.OrCurrent(ctx, n.Database)
	if dbName == "" {
		return nil, "", mysql.NewSQLError(1046, "3D000", "No database selected")
	}
	name = dbName + "." + n.Name
	db, err := u.provider.Database(ctx, dbName)
	if err != nil {
		return nil, name, err
	}
	t, ok, err := db.GetTableInsensitive(ctx, n.Name)
	if err == nil && !ok {
		err = mysql.NewSQLError(1146, "42S02", "Table '%s' doesn't exist", name)
	}
	return t, name, err
}

// maintenance returns the rows with which MySQL answers CHECK, OPTIMIZE, REPAIR and ANALYZE TABLE.
// It does nothing else: tables of performance_schema do not support these statements, and tables in
// memory do not need them.
func (u Unparsed) maintenance(ctx *sql.Context) (rows []sql.Row, err error) {
	for _, n := range u.Names {
		t, name, err := u.table(ctx, n)
		switch own := t.(type) {
		case nil:
			if name == "" {
				return nil, err
			}
			if views, _ := u.provider.Info.Views(ctx, session.OrCurrent(ctx, n.Database), n.Name); len(views) > 0 {
				if u.Kind == "check" {
					rows = append(rows, sql.Row{name, u.Kind, "status", "OK"})
					continue
				}
				err = mysql.NewSQLError(1347, "HY000", "'%s' is not BASE TABLE", name)
			}
			rows = append(rows, sql.Row{name, u.Kind, "Error", mysqlerr.Of(ctx, err).Message},
				sql.Row{name, u.Kind, "status", "Operation failed"})
		case *vtable.Table:
			name = own.DB + "." + own.Name()
			rows = append(rows, sql.Row{name, u.Kind, "note", "The storage engine for the table doesn't support " + u.Kind})
		default:
			if u.Kind == "repair" {
				rows = append(rows, sql.Row{name, u.Kind, "note", "The storage engine for the table doesn't support repair"})
				continue
			}
			if u.Kind == "optimize" {
				rows = append(rows, sql.Row{name, u.Kind, "note", "Table does not support optimize, doing recreate + analyze instead"})
			}
			rows = append(rows, sql.Row{name, u.Kind, "status", "OK"})
		}
	}
	return rows, nil
}

// checksums returns the rows of CHECKSUM TABLE. A checksum is that of the rows that the table has
// now. It is NULL if there is no table, and for QUICK, which needs a checksum that the table keeps.
func (u Unparsed) checksums(ctx *sql.Context) (rows []sql.Row, err error) {
	quick := len(u.Options) > 0 && u.Options[0] == "QUICK"
	for _, n := range u.Names {
		t, name, err := u.table(ctx, n)
		if name == "" {
			return nil, err
		}
		if err != nil {
			e := mysqlerr.Of(ctx, err)
			ctx.Warn(e.Num, "%s", e.Message)
		}
		if err != nil || quick {
			rows = append(rows, sql.Row{name, nil})
			continue
		}
		sum, err := checksum(ctx, t)
		if err != nil {
			return nil, err
		}
		rows = append(rows, sql.Row{name, int64(sum)})
	}
	return rows, nil
}

// checksum returns the sum of the checksums of a table's rows. It does not depend on their order.
func checksum(ctx *sql.Context, t sql.Table) (sum uint32, err error) {
	partitions, err := t.Partitions(ctx)
	if err != nil {
		return 0, err
	}
	rows := sql.NewTableRowIter(ctx, t, partitions)
	defer func() {
		if e := rows.Close(ctx); err == nil {
			err = e
		}
	}()
	for {
		row, err := rows.Next(ctx)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return 0, err
		}
		sum += crc32.ChecksumIEEE(fmt.Appendf(nil, "%v", []any(row)))
	}
}

// engineRows returns the rows of SHOW ENGINE. For performance_schema, they say how much memory its
// parts take, in bytes. For InnoDB, they have the text of its monitor, in MySQL's form. There are
// no rows for other engines.
func (u Unparsed) engineRows(ctx *sql.Context) (rows []sql.Row, err error) {
	engine := strings.ToUpper(u.Engine)
	switch engine {
	case "INNODB", "MEMORY", tables.Engine, "ALL":
	default:
		return nil, mysql.NewSQLError(1286, "42000", "Unknown storage engine '%s'", u.Engine)
	}
	if u.Kind != "show_engine_status" {
		return nil, nil
	}
	if engine == "INNODB" || engine == "ALL" {
		now := time.Now()
		rows = append(rows, sql.Row{"InnoDB", "", u.provider.Info.InnoDB.Monitor(now.In(moment.Zone(ctx)))})
	}
	if engine == "INNODB" || engine == "MEMORY" {
		return rows, nil
	}
	total := 0
	add := func(name string, n int) { rows = append(rows, sql.Row{vtable.Database, name, strconv.Itoa(n)}) }
	for _, b := range u.provider.Registry.Reader().Buffers() {
		add(b.Name+".size", b.RowSize)
		add(b.Name+".count", b.Rows)
		add(b.Name+".memory", b.Bytes)
		total += b.Bytes
	}
	add(vtable.Database+".memory", total)
	return rows, nil
}

// matchColumn returns a column that MATCH searches in expressions without a table, or "" if there
// is none. go-mysql-server does not find the table then, so the caller must return an error.
func matchColumn(all ast.Exprs) (column string) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if m, ok := n.(*ast.MatchExpr); ok && len(m.Columns) > 0 {
			column = ast.String(m.Columns[0])
		}
		return true, nil
	}, all)
	return column
}
