package parsing

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/bounds"
	"pfsd/engine/builtins"
	"pfsd/engine/catalog"
	"pfsd/engine/grammar"
	"pfsd/engine/infoschema"
	"pfsd/engine/mysqldb"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/panics"
	"pfsd/engine/rights"
	"pfsd/engine/routine"
	"pfsd/engine/session"
	"pfsd/engine/sqltree"
	"pfsd/engine/syntax"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/vtable"
)

// Parser parses the statements of clients. It also refuses statements that MySQL refuses before it
// looks at any table, and that go-mysql-server does not refuse. Safe for concurrent use.
type Parser struct {
	sql.Parser
	provider  *catalog.Provider
	variables *sysvar.Server
}

// New returns the parser of a server that has these databases and variables.
func New(provider *catalog.Provider, variables *sysvar.Server) Parser {
	return Parser{syntax.Default, provider, variables}
}

// firstPart is how many bytes of a text with several statements are read at first, if a program is the first of them: nothing but its
// syntax tree says where it ends.
const firstPart = 8 << 10

// First returns what a text with several statements begins with: its first statement, and at the most a few others behind it. It is all of
// the text if there is only one.
func First(ctx *sql.Context, query string) string {
	end := bounds.FirstEnd(query, syntax.Options(ctx).AnsiQuotes, firstPart)
	if strings.TrimLeft(query[end:], "; \t\r\n\v\f") == "" {
		return query
	}
	return query[:end]
}

// Parse implements sql.Parser. Of several statements, it reads only the first, so that the time for
// all of them grows with the length of the text, not with its square. If the first one cannot be
// parsed, it reads all of the text, because the error quotes what follows.
func (p Parser) Parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	for near := firstPart; multi; near *= 2 { // the last part is half as long as all of them
		end := bounds.FirstEnd(query, syntax.Options(ctx).AnsiQuotes, near)
		if sql.RemoveSpaceAndDelimiter(query[end:], ';') == "" {
			break
		}
		s, one, more, err := p.parse(ctx, query[:end], true)
		if err == nil {
			return s, one, sql.RemoveSpaceAndDelimiter(query[end-len(more):], ';'), nil
		}
		if syntax.Refused(err) || end < near {
			break
		}
	}
	return p.parse(ctx, query, multi)
}

// parse is [Parser.Parse], but always reads all of the text.
func (p Parser) parse(ctx *sql.Context, query string, multi bool) (ast.Statement, string, string, error) {
	query = syntax.MariaDBComments(query)
	if s, one, rest, ok, err := p.aboutAccounts(ctx, query, multi); ok {
		return s, one, rest, err
	}
	s, one, rest, err := p.Parser.Parse(ctx, query, multi)
	if err != nil {
		return p.recognise(ctx, query, multi, err)
	}
	rewriteTree(sql.RemoveSpaceAndDelimiter(query, ';'), s)
	s, err = p.executable(ctx, query, s)
	return s, one, rest, err
}

// ParseOneWithOptions implements sql.Parser.
func (p Parser) ParseOneWithOptions(ctx context.Context, query string, o ast.ParserOptions) (ast.Statement, int, error) {
	sc, ok := ctx.(*sql.Context)
	if !ok {
		return p.Parser.ParseOneWithOptions(ctx, query, o)
	}
	query = syntax.MariaDBComments(query)
	if s, _, rest, ok, err := p.aboutAccounts(sc, query, true); ok {
		return s, len(query) - len(rest), err
	}
	s, n, err := p.Parser.ParseOneWithOptions(ctx, query, o)
	if err != nil {
		s, _, rest, err := p.recognise(sc, query, true, err)
		return s, len(query) - len(rest), err
	}
	rewriteTree(query, s)
	s, err = p.executable(sc, query, s)
	return s, n, err
}

// ParseWithOptions implements sql.Parser. go-mysql-server's planner calls it for definitions of views, triggers and
// procedures, and drops the error of a procedure's. So an error that ends the statement, because it was killed or
// has reached a limit, goes past the planner.
func (p Parser) ParseWithOptions(ctx context.Context, query string, delimiter rune, multi bool, o ast.ParserOptions) (ast.Statement, string, string, error) {
	s, one, rest, err := routine.ParseProgram(ctx, p.Parser, query, delimiter, multi, o)
	if syntax.Refused(err) {
		panic(panics.Stop{Err: err})
	}
	if sc, ok := ctx.(*sql.Context); ok && err != nil {
		return p.recognise(sc, query, multi, err)
	}
	if e, ok := s.(*ast.Explain); ok && err == nil {
		if sc, ok := ctx.(*sql.Context); ok {
			err = p.setExplainFormat(sc, e, e.ExplainFormat)
		}
	}
	rewriteTree(sql.RemoveSpaceAndDelimiter(query, delimiter), s)
	routine.Procedure(s)
	rights.ViewDefiner(ctx, s)
	if sc, ok := ctx.(*sql.Context); ok {
		if reader, ok := sc.ProcessList.(Session); ok {
			if refused := reader.ReadsView(sc, s); refused != nil {
				return nil, one, rest, refused
			}
		}
	}
	sysschema.TypeView(s)
	return s, one, rest, err
}

// ParseSimple implements sql.Parser.
func (p Parser) ParseSimple(query string) (ast.Statement, error) {
	s, err := p.Parser.ParseSimple(query)
	sqltree.CommonTables(query, s)
	sqltree.GroupWindows(query, s)
	sqltree.Operators(query, s)
	sqltree.SpatialTypes(query, s)
	builtins.InnerAggregates(query, s)
	return s, err
}

// rewriteTree changes the syntax tree s where go-mysql-server would execute it with another
// meaning. query begins with the text of s.
func rewriteTree(query string, s ast.Statement) {
	if s == nil {
		return
	}
	sqltree.Writes(s)
	sqltree.Flush(s)
	sqltree.References(s)
	sqltree.SubStatement(s, query)
	sqltree.Names(s, query)
	routine.Trigger(s)
	sqltree.CommonTables(query, s)
	sqltree.GroupWindows(query, s)
	sqltree.Operators(query, s)
	sqltree.SpatialTypes(query, s)
	builtins.InnerAggregates(query, s)
	sqltree.SetNames(query, s)
}

// executable returns the statement that go-mysql-server executes for s, which is often s itself. It
// returns an error if MySQL refuses s.
func (p Parser) executable(ctx *sql.Context, query string, s ast.Statement) (ast.Statement, error) {
	if o := p.ownDefinition(ctx, s); o != nil {
		return o, nil
	}
	if err := sqltree.RefusedVectors(query, s); err != nil {
		return s, err
	}
	if err := p.check(ctx, query, s); err != nil {
		return p.ownStatement(ctx, s), err
	}
	if show, ok := s.(*ast.Show); ok {
		if selected, err := p.showSelected(ctx, show); selected != nil || err != nil {
			return selected, err
		}
	}
	return p.ownStatement(ctx, s), nil
}

// ownStatement returns an injected statement in the place of s if this server executes s itself. It
// returns s if go-mysql-server executes it.
func (p Parser) ownStatement(ctx *sql.Context, s ast.Statement) ast.Statement {
	if kind, tail := serverKind(s); kind != "" {
		return p.injected(&grammar.Statement{Kind: kind, Tail: tail, Server: true})
	}
	if show, ok := s.(*ast.Show); ok {
		if u := grammar.ShowConditions(show); u != nil {
			return p.injected(u)
		}
	}
	if signal, ok := s.(*ast.Signal); ok {
		return p.injected(&grammar.Statement{Kind: "signal", Signal: signal})
	}
	if show, ok := s.(*ast.Show); ok && strings.EqualFold(show.Type, "plugins") {
		return p.injected(&grammar.Statement{Kind: "show_plugins"})
	}
	a, ok := s.(*ast.Analyze)
	if !ok || a.Action != "" {
		return s
	}
	u := &grammar.Statement{Kind: "analyze"}
	for _, t := range a.Tables {
		u.Names = append(u.Names, grammar.Name{Database: t.DbQualifier.String(), Name: t.Name.String()})
	}
	return p.injected(u)
}

var masterStatus = regexp.MustCompile(`(?i)^\s*SHOW\s+(MASTER\s+STATUS)`)

// check returns the error if MySQL refuses the statement s, and nil if s can run.
func (p Parser) check(ctx *sql.Context, query string, s ast.Statement) error {
	switch s := s.(type) {
	case *ast.DDL:
		return p.checkDDL(ctx, s)
	case *ast.AlterTable:
		return p.checkAlter(ctx, s)
	case *ast.Resignal:
		return routine.ErrNoHandler
	case *ast.Explain:
		format := s.ExplainFormat
		if s.Analyze {
			format = ""
		}
		return p.setExplainFormat(ctx, s, format)
	case *ast.Load:
		if bool(s.Local) {
			return mysql.NewSQLError(3948, "42000", "Loading local data is disabled; this must be enabled on both the client and server sides")
		}
		if mysqldb.Is(session.OrCurrent(ctx, s.Table.DbQualifier.String())) && access.May(ctx, accounts.File) {
			return mysqldb.ErrTable(s.Table.Name.String())
		}
		// An account without the privilege FILE gets the error about that, which comes later.
		if name := s.Table.Name.String(); vtable.Is(session.OrCurrent(ctx, s.Table.DbQualifier.String())) && access.May(ctx, accounts.File) {
			if t, ok := p.provider.Schema.Tables[strings.ToLower(name)]; ok && !t.Def.Insertable() {
				return mysqlerr.TableDenied(ctx, "INSERT", name)
			}
		}
	case *ast.Call:
		db := session.OrCurrent(ctx, s.ProcName.Qualifier.String())
		if db == "" {
			return sql.ErrNoDatabaseSelected.New()
		}
		s.ProcName.Qualifier = ast.NewTableIdent(db) // a prepared CALL keeps the database that is current now
	case *ast.DBDDL:
		if s.Action == ast.AlterStr && session.OrCurrent(ctx, s.DBName) == "" {
			return sql.ErrNoDatabaseSelected.New()
		}
		if s.Action == ast.CreateStr && vtable.Is(s.DBName) {
			return access.ErrOwnSchema(ctx)
		}
	case *ast.Show:
		if strings.HasPrefix(strings.ToLower(s.Type), "create ") && !s.Table.Name.IsEmpty() && session.OrCurrent(ctx, s.Table.DbQualifier.String()) == "" {
			return sql.ErrNoDatabaseSelected.New()
		}
		if m := masterStatus.FindStringSubmatch(query); m != nil { // MySQL 8.4 does not have it
			return mysqlerr.Syntax(" near '" + m[1] + "'")
		}
	case *ast.Flush:
		if slices.ContainsFunc(s.Option.Tables, func(t ast.TableName) bool { return session.OrCurrent(ctx, t.DbQualifier.String()) == "" }) {
			return sql.ErrNoDatabaseSelected.New()
		}
		if name := s.Option.Name; strings.EqualFold(name, "hosts") { // MySQL 8.4 has TRUNCATE TABLE host_cache instead
			return mysqlerr.Syntax(" near '" + name + "'")
		}
	}
	if err := sqltree.RefusedQuery(query, s); err != nil {
		return err
	}
	return p.variables.CheckStatement(query, s)
}

// checkAlter returns an error if an ALTER TABLE changes a table of performance_schema or sys, or
// renames a table into or out of performance_schema or mysql.
func (p Parser) checkAlter(ctx *sql.Context, s *ast.AlterTable) error {
	if vtable.Is(session.OrCurrent(ctx, s.Table.DbQualifier.String())) {
		return access.ErrOwnSchema(ctx)
	}
	if sys.Is(session.OrCurrent(ctx, s.Table.DbQualifier.String())) {
		return access.ErrSchemaDenied(ctx, sys.Schema)
	}
	for _, ddl := range s.Statements {
		if err := p.checkDDL(ctx, ddl); err != nil {
			return err
		}
	}
	return nil
}

// checkDDL returns an error if MySQL refuses a CREATE or RENAME, or what a change of a table adds.
func (p Parser) checkDDL(ctx *sql.Context, ddl *ast.DDL) error {
	switch ddl.Action {
	case ast.RenameStr:
		for _, t := range append(append(ast.TableNames{}, ddl.FromTables...), ddl.ToTables...) {
			switch db := session.OrCurrent(ctx, t.DbQualifier.String()); {
			case vtable.Is(db):
				return access.ErrOwnSchema(ctx)
			case mysqldb.Is(db):
				return mysqldb.ErrTable(t.Name.String())
			}
		}
	case ast.CreateStr:
		if err := checkCreate(ctx, ddl); err != nil {
			return err
		}
	}
	return p.checkExpressions(ctx, ddl)
}

// checkCreate returns an error if a CREATE makes a table in performance_schema, a table like one of
// performance_schema, or a table with its engine.
func checkCreate(ctx *sql.Context, ddl *ast.DDL) error {
	if vtable.Is(session.OrCurrent(ctx, ddl.Table.DbQualifier.String())) && (ddl.TableSpec != nil || ddl.OptLike != nil) {
		return access.ErrOwnSchema(ctx)
	}
	if ddl.OptLike != nil {
		for _, t := range ddl.OptLike.LikeTables {
			if vtable.Is(session.OrCurrent(ctx, t.DbQualifier.String())) {
				return mysqlerr.WrongUsage()
			}
		}
	}
	if ddl.TableSpec != nil {
		for _, o := range ddl.TableSpec.TableOpts {
			if strings.EqualFold(o.Name, "engine") && vtable.Is(o.Value) {
				return mysqlerr.WrongUsage()
			}
		}
	}
	return nil
}

// showSelected returns the query of information_schema that replaces a SHOW. It returns nil if
// go-mysql-server executes the SHOW itself.
func (p Parser) showSelected(ctx *sql.Context, s *ast.Show) (ast.Statement, error) {
	if r := rights.Of(ctx); r != nil && infoschema.IsQuery(s) {
		// The query that replaces the SHOW does not say which privileges the SHOW needs.
		if err := r.AuthorizeStatement(ctx, s, ""); err != nil {
			return nil, err
		}
	}
	return infoschema.QueryOfShow(ctx, s, p.provider)
}
