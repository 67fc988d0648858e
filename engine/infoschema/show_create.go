package infoschema

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/routine"
	"pfsd/engine/sqltree"
	"pfsd/engine/syntax"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/sysvar"
	"pfsd/engine/vtable"
)

// ShowCreate returns the rows of SHOW CREATE for a view, a procedure, a trigger or an event; ok is
// false for any other n.
//
// go-mysql-server: shows the statement as it was written, to everybody, without the sql_mode.
// MySQL: generates the statement, with its definer, and requires privileges.
func (s *Server) ShowCreate(ctx *sql.Context, n sql.Node) (rows sql.RowIter, ok bool, err error) {
	if !mends.ShownPrograms.On() {
		return nil, false, nil
	}
	charset := vtable.Collation.CharacterSet().Name()
	switch n := n.(type) {
	case *plan.ShowCreateTable:
		v, err := s.viewOfShow(ctx, n)
		if v == nil || err != nil {
			return nil, err != nil, err
		}
		have := access.Of(ctx).Table(v.DB, v.Name)
		for _, p := range []accounts.Privilege{accounts.Select, accounts.ShowView} {
			if !have.Has(p) {
				return nil, true, mysqlerr.TableDenied(ctx, strings.ToUpper(p.String()), v.Name)
			}
		}
		return sql.RowsToRowIter(sql.NewRow(v.Name, v.create(ctx.GetCurrentDatabase()), charset, vtable.Collation.Name())), true, nil
	case *plan.ShowCreateProcedure:
		text, mode, err := s.procedureText(ctx, n.Database(), n.ProcedureName)
		if err != nil {
			return nil, true, err
		}
		return sql.RowsToRowIter(sql.NewRow(n.ProcedureName, mode, text, charset, vtable.Collation.Name(), vtable.Collation.Name())), true, nil
	case *plan.ShowCreateTrigger:
		d, ok := n.Database().(sql.TriggerDatabase)
		if !ok {
			return nil, false, nil
		}
		all, err := TriggersOf(ctx, d)
		if err != nil {
			return nil, true, err
		}
		at := slices.IndexFunc(all, func(t definedTrigger) bool { return strings.EqualFold(t.Name, n.TriggerName) })
		if at < 0 || !access.Of(ctx).Table(n.Database().Name(), all[at].DDL.Table.Name.String()).Has(accounts.Trigger) {
			return nil, true, mysql.NewSQLError(1360, "HY000", "Trigger does not exist")
		}
		t := all[at]
		return sql.RowsToRowIter(sql.NewRow(t.Name, ModeText(t.SqlMode), t.create(), charset, vtable.Collation.Name(), vtable.Collation.Name(), t.CreatedAt)), true, nil
	}
	return nil, false, nil
}

// viewOfShow returns the view of a SHOW CREATE, nil for a table. The plan does not have the view's
// database: the statement names it, or the view's text identifies it.
func (s *Server) viewOfShow(ctx *sql.Context, n *plan.ShowCreateTable) (*View, error) {
	alias, ok := n.Child.(*plan.SubqueryAlias)
	if !ok {
		return nil, nil
	}
	db := ctx.GetCurrentDatabase()
	if show, ok := mysqlerr.TreeOf(ctx).(*ast.Show); ok && strings.EqualFold(show.Table.Name.String(), alias.Name()) {
		db = cmp.Or(show.Database, show.Table.DbQualifier.String(), db)
	}
	var found *View
	for _, d := range s.Databases.AllDatabases(ctx) {
		views, ok := d.(sql.ViewDatabase)
		if !ok {
			continue
		}
		all, err := views.AllViews(ctx)
		if err != nil {
			return nil, err
		}
		for _, v := range all {
			if strings.EqualFold(v.Name, alias.Name()) && v.TextDefinition == alias.TextDefinition && (found == nil || strings.EqualFold(d.Name(), db)) {
				found = &View{v, d.Name()}
			}
		}
	}
	return found, nil
}

// checkOption matches the part of WITH CHECK OPTION that go-mysql-server leaves at the end of a
// view's text.
var checkOption = regexp.MustCompile(`(?i)\s+WITH(\s+(CASCADED|LOCAL))?(\s+CHECK(\s+OPTION)?)?\s*$`)

// text returns the query of the view.
//
// go-mysql-server: the text ends with the WITH of WITH CHECK OPTION. MySQL: it does not.
func (v View) text() string {
	if _, _, check := v.definer(); check != "NONE" && mends.ViewTexts.On() {
		return checkOption.ReplaceAllString(v.TextDefinition, "")
	}
	return v.TextDefinition
}

// textIn returns the query of the view as it is shown in a database: without the database before its tables, if it is theirs and that of
// the view. So the view can be loaded into another one.
func (v View) textIn(current string) string {
	text, spec := v.text(), v.Spec()
	other := func(t schemaAndName) bool { return !strings.EqualFold(t.schema, v.DB) }
	if spec == nil || !strings.EqualFold(current, v.DB) || slices.ContainsFunc(tablesOf(spec.ViewExpr, v.DB), other) {
		return text
	}
	return sqltree.Unqualify(context.Background(), v.DB, text, sql.NewSqlModeFromString(v.SqlMode).ParserOptions())
}

// create returns the CREATE VIEW of the view; current is the current database.
func (v View) create(current string) string {
	definer, security, check := v.definer()
	algorithm, columns, name := "UNDEFINED", "", "`"+v.Name+"`"
	if !strings.EqualFold(current, v.DB) {
		name = "`" + v.DB + "`." + name
	}
	if spec := v.Spec(); spec != nil {
		if spec.Algorithm != "" {
			algorithm = strings.ToUpper(spec.Algorithm)
		}
		for i, c := range spec.Columns {
			columns += []string{" (", ","}[min(i, 1)] + "`" + c.String() + "`"
		}
		if columns != "" {
			columns += ")"
		}
	}
	text := fmt.Sprintf("CREATE ALGORITHM=%s DEFINER=%s SQL SECURITY %s VIEW %s%s AS %s", algorithm, quotedAccount(definer), security, name, columns, v.textIn(current))
	if check != "NONE" {
		text += " WITH " + check + " CHECK OPTION"
	}
	return text
}

// quotedAccount returns user@host in backticks.
func quotedAccount(account string) string {
	at := max(strings.LastIndexByte(account, '@'), 0)
	return accounts.ID{User: account[:at], Host: strings.TrimPrefix(account[at:], "@")}.Quoted()
}

// procedureText returns the CREATE PROCEDURE of a procedure and its sql_mode. text is nil if the
// session may call the procedure but not see its body.
func (s *Server) procedureText(ctx *sql.Context, db sql.Database, name string) (text any, mode string, err error) {
	none := mysql.NewSQLError(1305, "42000", "PROCEDURE %s does not exist", name)
	d, ok := db.(sql.StoredProcedureDatabase)
	if !ok {
		return nil, "", none
	}
	all, err := d.GetStoredProcedures(ctx)
	if err != nil {
		return nil, "", err
	}
	at := slices.IndexFunc(all, func(s sql.StoredProcedureDetails) bool { return strings.EqualFold(s.Name, name) })
	if at < 0 {
		return nil, "", none
	}
	r := describeProcedure(all[at])
	sees, whole := r.visibility(ctx, db.Name())
	switch {
	case !sees:
		return nil, "", none
	case whole:
		text = r.create(parameterList(all[at].CreateStatement))
	}
	return text, ModeText(r.sqlMode), nil
}

// create returns the statement that creates the routine; params is its parameter list as written.
func (r routineInfo) create(params string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "CREATE DEFINER=%s %s `%s`(%s)", quotedAccount(r.Definer), kindOf(r), r.name, params)
	if r.returns != "" {
		text.WriteString(" RETURNS " + r.returns)
	}
	text.WriteString("\n")
	for _, c := range []struct {
		is   bool
		text string
	}{
		{r.access != sysschema.ContainsSQL, r.access},
		{r.deterministic, "DETERMINISTIC"},
		{r.security == "INVOKER", "SQL SECURITY INVOKER"},
		{r.comment != "", "COMMENT '" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(r.comment) + "'"},
	} {
		if c.is {
			text.WriteString("    " + c.text + "\n")
		}
	}
	return text.String() + r.body
}

// parameterList returns the parameter list of a CREATE PROCEDURE or a CREATE FUNCTION.
func parameterList(text string) string {
	r := syntax.Reader{Text: text}
	for r.Next(); r.Kind != syntax.End && !(r.Kind == syntax.Word && (r.Word == "PROCEDURE" || r.Word == "FUNCTION")); r.Next() {
	}
	from, depth := 0, 0
	for r.Next(); r.Kind != syntax.End; r.Next() {
		switch {
		case r.IsMark("("):
			if depth++; depth == 1 {
				from = r.End
			}
		case r.IsMark(")"):
			if depth--; depth == 0 {
				return strings.TrimSpace(text[from:r.At])
			}
		}
	}
	return ""
}

// create returns the CREATE TRIGGER of the trigger.
func (t definedTrigger) create() string {
	spec, order := t.DDL.TriggerSpec, ""
	if spec.Order != nil {
		order = strings.ToUpper(spec.Order.PrecedesOrFollows) + " `" + spec.Order.OtherTriggerName + "` "
	}
	return fmt.Sprintf("CREATE DEFINER=%s TRIGGER `%s` %s %s ON `%s` FOR EACH ROW %s%s",
		quotedAccount(t.definer()), t.Name, strings.ToUpper(spec.Time), strings.ToUpper(spec.Event), t.DDL.Table.Name, order, t.body())
}

// ModeText returns a sql_mode with its modes in MySQL's order.
//
// go-mysql-server: sorts them by name. MySQL: sorts them by their bits.
func ModeText(mode string) string {
	var in []string
	have := strings.Split(strings.ToUpper(mode), ",")
	for _, m := range sysvar.SQLModes {
		if slices.Contains(have, m) {
			in = append(in, m)
		}
	}
	return strings.Join(in, ",")
}

// FunctionText returns the row of SHOW CREATE FUNCTION for a function of db. For one of sys it has only the declaration, because its body is
// not SQL; for one of users the text is nil if the session may call it but not see its body.
func (s *Server) FunctionText(ctx *sql.Context, db sql.Database, name string) (sql.Row, error) {
	if stored, ok := db.(routine.StoredFunctions); ok && !sys.Is(db.Name()) {
		return s.storedFunctionText(ctx, stored, db.Name(), name)
	}
	f := sysschema.Functions[strings.ToLower(name)]
	if db == nil || !sys.Is(db.Name()) || f == nil || f.CheckCaller(ctx) != nil {
		return nil, mysql.NewSQLError(1305, "42000", "FUNCTION %s does not exist", name)
	}
	params := make([]string, len(f.Params))
	for i, p := range f.Params {
		params[i] = p.Name + " " + p.Kind.Declared
	}
	create := functionInfo(f, time.Time{}, s.Settings.Mode).create(strings.Join(params, ", "))
	return sql.NewRow(f.Name, s.Settings.Mode, create, "utf8mb4", vtable.Collation.Name(), vtable.Collation.Name()), nil
}

// storedFunctionText returns the row of SHOW CREATE FUNCTION for a function of users.
func (s *Server) storedFunctionText(ctx *sql.Context, stored routine.StoredFunctions, schema, name string) (sql.Row, error) {
	details, found, err := stored.GetStoredFunction(ctx, name)
	if err != nil {
		return nil, err
	}
	r := describeFunction(details)
	sees, whole := r.visibility(ctx, schema)
	if !found || !sees {
		return nil, mysql.NewSQLError(1305, "42000", "FUNCTION %s does not exist", name)
	}
	var text any
	if whole {
		text = r.create(parameterList(details.CreateStatement))
	}
	return sql.NewRow(r.name, ModeText(r.sqlMode), text, "utf8mb4", vtable.Collation.Name(), vtable.Collation.Name()), nil
}
