package rights

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/grammar"
	"pfsd/engine/infoschema"
	"pfsd/engine/mdl"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/privilege"
	"pfsd/engine/routine"
	"pfsd/engine/session"
	"pfsd/engine/statements"
	"pfsd/engine/syntax"
	"pfsd/engine/sys"
	"pfsd/engine/vtable"
)

// Use is a clause of a statement, and the object that the clause uses.
type Use struct {
	Kind   string // the kind that has the rules, "" for the statement's kind
	Clause string
	privilege.Object
	// lasting means that the clause never uses a temporary table, even if the session has one with
	// this name.
	lasting bool
}

// uses collects the clauses of a statement that need privileges. Owned by one goroutine.
type uses struct {
	ctx    *sql.Context
	Rights *Rights
	all    []Use
}

// UsesOf returns the clauses of a statement of this kind that need privileges, in the order of the
// checks. The tables of queries are not among them: they are checked while the plan is made.
func UsesOf(ctx *sql.Context, r *Rights, s ast.Statement, kind string) []Use {
	u := &uses{ctx: ctx, Rights: r, all: []Use{{Clause: privilege.Whole}}}
	u.statement(s, kind)
	if len(u.all) > 1 && len(privilege.For(kind, privilege.Whole)) == 0 {
		u.all = u.all[1:] // the statement itself has no rules, only its clauses do
	}
	return u.all
}

func (u *uses) add(clause, schema, name string) *Use {
	u.all = append(u.all, Use{Clause: clause, Object: privilege.Object{Schema: session.OrCurrent(u.ctx, schema), Name: name}})
	return &u.all[len(u.all)-1]
}

func (u *uses) table(clause string, n ast.TableName) *Use {
	return u.add(clause, n.DbQualifier.String(), n.Name.String())
}

func (u *uses) tables(clause string, all ast.TableNames) {
	for _, n := range all {
		u.table(clause, n)
	}
}

func (u *uses) statement(s ast.Statement, kind string) {
	switch s := s.(type) {
	case *ast.Select, *ast.SetOp, *ast.ParenSelect:
		if into := s.(ast.SelectStatement).GetInto(); into != nil && (into.Outfile != "" || into.Dumpfile != "") {
			u.add("file", "", "")
		}
		u.locked(s)
	case *ast.Insert:
		u.updated(s)
	case *ast.Explain:
		u.explained(s)
	case *ast.Load:
		if !bool(s.Local) {
			u.add("file", "", "")
		}
		u.table("table", s.Table)
		if strings.EqualFold(strings.TrimSpace(s.IgnoreOrReplace), ast.ReplaceStr) {
			u.table("replaced", s.Table)
		}
	case *ast.Use:
		u.add("database", s.DBName.String(), "")
	case *ast.DBDDL:
		u.add("database", s.DBName, "")
	case *ast.Call:
		u.add("routine", s.ProcName.Qualifier.String(), s.ProcName.Name.String())
	case *ast.DDL:
		u.ddl(s, kind)
	case *ast.AlterTable:
		u.alterTable(s, kind)
	case *ast.LockTables:
		for _, t := range s.Tables {
			if a, ok := t.Table.(*ast.AliasedTableExpr); ok {
				if n, ok := a.Expr.(ast.TableName); ok {
					u.table("table", n)
				}
			}
		}
	case *ast.Analyze:
		u.tables("table", s.Tables)
	case *ast.Flush:
		u.flush(s.Option.Name)
		for _, t := range s.Option.Tables {
			if s.Option.ReadLock {
				u.table("locked", t)
			}
		}
	case *ast.Set:
		for _, e := range s.Exprs {
			u.set(e)
		}
	case *ast.Show:
		u.show(s, kind)
	case ast.InjectedStatement:
		switch own := s.Statement.(type) {
		case statements.Definition:
			u.statement(own.Definition(), kind)
		case statements.Grammar:
			u.grammar(own)
		case statements.Accounts:
			if own.AccountStatement().Kind == "flush" {
				u.flush("privileges")
			}
		}
	}
}

// locked adds the tables whose rows a query locks.
func (u *uses) locked(s ast.SQLNode) {
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		q, ok := n.(*ast.Select)
		if !ok || q.Lock == nil || !strings.HasPrefix(q.Lock.Type, ast.ForUpdateStr) {
			return true, nil
		}
		_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
			a, ok := n.(*ast.AliasedTableExpr)
			if !ok {
				return true, nil
			}
			name, ok := a.Expr.(ast.TableName)
			if !ok || a.Auth.AuthType != ast.AuthType_SELECT {
				return false, nil // a derived or common table, which the statement itself defines
			}
			of := func(t ast.TableName) bool {
				return strings.EqualFold(t.Name.String(), cmp.Or(a.As.String(), name.Name.String()))
			}
			if len(q.Lock.Tables) == 0 || slices.ContainsFunc(q.Lock.Tables, of) {
				u.table("locked", name).Kind = privilege.Row
			}
			return false, nil
		}, q.From)
		return true, nil
	}, s)
}

// updated adds the table of ON DUPLICATE KEY UPDATE. AuthorizeColumns checks the columns that it
// changes and reads.
func (u *uses) updated(s *ast.Insert) {
	if len(s.OnDup) == 0 {
		return
	}
	to := u.table("updated", s.Table)
	to.Kind = privilege.Row
	if may := u.Rights.Access(); to.Schema != "" && !access.TableRights(may, to.Schema, to.Name).HasAll(accounts.SetOf(accounts.Select, accounts.Update)) {
		u.Rights.usesPartly(may, to.Schema, to.Name)
	}
}

// explained adds the statement of an EXPLAIN, and each view that the statement names: the account
// needs the right to see the view's text.
func (u *uses) explained(s *ast.Explain) {
	u.statement(s.Statement, statements.Kind(s.Statement, ""))
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if a, ok := n.(*ast.AliasedTableExpr); ok {
			if name, ok := a.Expr.(ast.TableName); ok {
				if db := session.OrCurrent(u.ctx, name.DbQualifier.String()); u.isView(db, name.Name.String()) {
					u.add("view", db, name.Name.String()).Kind = privilege.Explain
				}
			}
		}
		return true, nil
	}, s.Statement)
}

// isView reports whether there is a view with this name.
func (u *uses) isView(db, name string) bool {
	if u.Rights.Databases == nil || db == "" || vtable.Is(db) || sys.Is(db) || strings.EqualFold(db, sql.InformationSchemaDatabaseName) {
		return false
	}
	d, err := u.Rights.Databases.Database(u.ctx, db)
	views, ok := d.(sql.ViewDatabase)
	if err != nil || !ok {
		return false
	}
	all, err := views.AllViews(u.ctx)
	return err == nil && slices.ContainsFunc(all, func(v sql.ViewDefinition) bool { return strings.EqualFold(v.Name, name) })
}

func (u *uses) ddl(s *ast.DDL, kind string) {
	switch {
	case s.ViewSpec != nil:
		u.table("view", s.ViewSpec.ViewName).lasting = true
		if s.OrReplace && kind == "create_view" {
			u.table("replaced", s.ViewSpec.ViewName).lasting = true
		}
		u.definer(s.ViewSpec.Definer)
		if kind == "alter_view" && s.ViewSpec.Definer == "" {
			u.definer(u.viewDefiner(s.ViewSpec.ViewName))
		}
	case len(s.FromViews) > 0:
		for _, n := range s.FromViews {
			u.table("view", n).lasting = true
		}
	case s.TriggerSpec != nil:
		u.trigger(s)
	case s.ProcedureSpec != nil:
		name := s.ProcedureSpec.ProcName
		if kind == "drop_procedure" {
			u.add("routine", name.Qualifier.String(), name.Name.String())
			return
		}
		u.add("schema", name.Qualifier.String(), "")
		u.definer(s.ProcedureSpec.Definer)
	case s.EventSpec != nil:
		u.add("schema", s.EventSpec.EventName.Qualifier.String(), "")
		if to := s.EventSpec.RenameName.Qualifier.String(); to != "" {
			u.add("schema", to, "")
		}
		u.definer(s.EventSpec.Definer)
	case s.Action == ast.CreateStr:
		u.createTable(s)
	case s.Action == ast.DropStr:
		for _, n := range s.FromTables {
			if s.Temporary {
				u.table("temporary", n)
			} else {
				u.table("table", n)
			}
		}
	case s.Action == ast.RenameStr:
		for i, n := range s.FromTables {
			u.table("table", n).lasting = true
			if i < len(s.ToTables) {
				u.table("renamed", s.ToTables[i]).lasting = true
			}
		}
	default:
		u.table("table", s.Table)
	}
}

// trigger adds the table of a trigger, which DROP TRIGGER does not name.
func (u *uses) trigger(s *ast.DDL) {
	name := s.TriggerSpec.TrigName
	if s.Action == ast.CreateStr {
		n := s.Table
		if n.DbQualifier.IsEmpty() {
			n.DbQualifier = name.Qualifier
		}
		u.table("table", n).lasting = true
		u.definer(s.TriggerSpec.Definer)
		return
	}
	db := session.OrCurrent(u.ctx, name.Qualifier.String())
	if u.Rights.Databases == nil || db == "" {
		return
	}
	found, err := u.Rights.Databases.Database(u.ctx, db)
	triggers, ok := found.(sql.TriggerDatabase)
	if err != nil || !ok {
		return
	}
	all, err := infoschema.TriggersOf(u.ctx, triggers)
	if err != nil {
		return
	}
	for _, t := range all {
		if strings.EqualFold(t.Name, name.Name.String()) {
			u.add("table", db, t.DDL.Table.Name.String()).lasting = true
		}
	}
}

func (u *uses) createTable(s *ast.DDL) {
	if s.Temporary {
		u.add("temporary", s.Table.DbQualifier.String(), "")
	} else {
		u.table("table", s.Table).lasting = true
		if s.OptSelect != nil {
			u.table("filled", s.Table).lasting = true
		}
	}
	if s.OptLike != nil {
		u.tables("like", s.OptLike.LikeTables)
	}
	u.spec(s.TableSpec, s.Table)
}

// spec adds what the definition of a table refers to: directories and other tables.
func (u *uses) spec(spec *ast.TableSpec, of ast.TableName) {
	if spec == nil {
		return
	}
	for _, o := range spec.TableOpts {
		if strings.HasSuffix(strings.ToLower(o.Name), "directory") {
			u.add("directory", "", "")
		}
	}
	for _, c := range spec.Columns {
		u.references(c.Type.ForeignKeyDef, of)
	}
	for _, c := range spec.Constraints {
		if k, ok := c.Details.(*ast.ForeignKeyDefinition); ok {
			u.references(k, of)
		}
	}
}

func (u *uses) references(k *ast.ForeignKeyDefinition, of ast.TableName) {
	if k == nil {
		return
	}
	n := k.ReferencedTable
	if n.DbQualifier.IsEmpty() {
		n.DbQualifier = of.DbQualifier
	}
	if session.OrCurrent(u.ctx, n.DbQualifier.String()) == session.OrCurrent(u.ctx, of.DbQualifier.String()) && n.Name.String() == of.Name.String() {
		return // a foreign key to the table itself
	}
	to := u.table("references", n)
	to.lasting = true
	for _, c := range k.ReferencedColumns {
		to.Columns = append(to.Columns, c.String())
	}
}

func (u *uses) alterTable(s *ast.AlterTable, kind string) {
	u.table("table", s.Table)
	if kind != "alter_table" {
		return // CREATE INDEX and DROP INDEX
	}
	for _, part := range s.Statements {
		if part.Action == ast.RenameStr && len(part.ToTables) > 0 {
			u.table("dropped", s.Table)
			to := part.ToTables[0]
			if to.DbQualifier.IsEmpty() {
				to.DbQualifier = s.Table.DbQualifier
			}
			u.table("renamed", to)
		}
		u.spec(part.TableSpec, s.Table)
	}
	for _, p := range s.PartitionSpecs {
		switch p.Action {
		case ast.DropStr, ast.TruncateStr:
			u.table("dropped", s.Table)
		case ast.ExchangeStr:
			u.table("exchanged", s.Table)
			u.table("exchanged", p.TableName)
		case ast.AnalyzeStr, ast.OptimizeStr, ast.RepairStr:
			u.table("maintained", s.Table)
		}
	}
}

// definer adds the definer that a program or a view gets, unless that is the account that makes it.
func (u *uses) definer(name string) {
	if name == "" || u.Rights.Store == nil {
		return
	}
	if strings.EqualFold(strings.TrimSuffix(name, "()"), "current_user") {
		return
	}
	access := u.Rights.Access()
	if known := u.Rights.Store.Definer(accounts.ParseID(name)); known != access.Account.ID {
		u.add("other", "", "").Kind = privilege.Definer
		switch a := u.Rights.Store.Account(known); {
		case a == nil:
			u.add("missing", "", "").Kind = privilege.Definer
		case u.Rights.Store.Protected(known):
			u.add("protected", "", "").Kind = privilege.Definer
		}
	}
}

// viewDefiner returns the definer of a view, "" if there is no such view.
func (u *uses) viewDefiner(n ast.TableName) string {
	db := session.OrCurrent(u.ctx, n.DbQualifier.String())
	if !u.isView(db, n.Name.String()) {
		return ""
	}
	views, err := u.Rights.Databases.Views(u.ctx, db, n.Name.String())
	if err != nil || len(views) == 0 {
		return ""
	}
	if spec := views[0].Spec(); spec != nil {
		return spec.Definer
	}
	return ""
}

// flush adds what FLUSH empties. option is an option, or the whole text of a statement.
func (u *uses) flush(option string) {
	for _, word := range strings.Fields(strings.ToLower(option)) {
		word = strings.TrimRight(word, ";")
		switch word {
		case "flush", "local", "no_write_to_binlog":
			continue
		case "table":
			word = "tables"
		case "binary", "engine", "error", "general", "slow", "relay", "log", "logs", "hosts":
			word = "logs"
		}
		u.add(word, "", "")
		return
	}
	u.add("logs", "", "")
}

// set adds a variable that SET changes, with its scope.
func (u *uses) set(e *ast.SetVarExpr) {
	name := strings.ToLower(e.Name.Name.String())
	switch e.Scope {
	case ast.SetScope_Global, ast.SetScope_Persist:
		u.add("global", "", name)
	case ast.SetScope_PersistOnly:
		u.add("persist_only", "", name)
	case ast.SetScope_User:
	default:
		if strings.HasPrefix(name, "@@") {
			var scope string
			if bare, _, given, err := ast.VarScope(name); err == nil {
				name, scope = bare, strings.ToLower(given)
			}
			switch scope {
			case "global", "persist":
				u.add("global", "", name)
				return
			case "persist_only":
				u.add("persist_only", "", name)
				return
			}
		}
		if privilege.Restricted(name) {
			u.add("session", "", name)
		}
	}
}

func (u *uses) show(s *ast.Show, kind string) {
	db := s.Database
	if o := s.ShowTablesOpt; db == "" && o != nil {
		db = o.DbName
	}
	n := s.Table
	if n.DbQualifier.IsEmpty() && db != "" {
		n.DbQualifier = ast.NewTableIdent(db)
	}
	switch kind {
	case "show_tables", "show_table_status", "show_triggers", "show_create_db":
		u.add("database", db, "")
	case "show_events":
		u.add("schema", db, "")
	case "show_create_event":
		u.add("schema", n.DbQualifier.String(), "")
	case "show_fields", "show_keys":
		u.table("table", n)
	case "show_create_table":
		if strings.EqualFold(s.Type, "create view") {
			u.table("view", n)
			return
		}
		u.table("table", n)
		if u.isView(session.OrCurrent(u.ctx, n.DbQualifier.String()), n.Name.String()) {
			u.table("view", n)
		}
	}
}

// grammar adds the clauses of a statement that go-mysql-server's grammar does not have.
func (u *uses) grammar(own statements.Grammar) {
	s := own.GrammarStatement()
	names := func(clause string) {
		for _, n := range s.Names {
			u.add(clause, n.Database, n.Name)
		}
	}
	switch s.Kind {
	case "explain_in":
		if s.Explain.Schema != "" {
			u.add("database", s.Explain.Schema, "").Kind = privilege.Explain
		}
	case "create_function":
		u.add("schema", s.Names[0].Database, "")
		if f, err := routine.ParseFunction(u.ctx, syntax.Default, s.Text, syntax.Options(u.ctx)); err == nil && f != nil {
			u.definer(f.ProcedureSpec.Definer)
		}
	case "drop_function":
		names("routine")
	case "analyze", "repair", "check", "checksum", "ha_open":
		names("table")
	case "optimize":
		if slices.Contains(s.Options, "LOCAL") {
			u.add("local", "", "")
		}
		names("table")
	case "create_table":
		names("table")
	case "reset":
		u.reset(s, own)
	case "reset_replica":
		u.add("replica", "", "")
	case "reset_binary_logs":
		u.add("binary_logs", "", "")
	case "flush":
		u.flush(cmp.Or(s.Tail, s.Text))
	case "clone":
		clause := "instance"
		if words := strings.Fields(strings.ToUpper(s.Text)); len(words) > 1 && words[1] == "LOCAL" {
			clause = "local"
		}
		u.add(clause, "", "")
	case "alter_instance":
		u.add("reload_tls", "", "")
	case "assign_to_keycache", "preload_keys":
		name, _, _ := strings.Cut(strings.ReplaceAll(strings.ReplaceAll(s.Tail, ",", " "), "(", " "), " ")
		db, table, qualified := strings.Cut(strings.ReplaceAll(name, "`", ""), ".")
		if !qualified {
			db, table = "", db
		}
		u.add("table", db, table)
	case "install_plugin", "uninstall_plugin":
		u.add("registered", "mysql", "plugin")
	case "install_component", "uninstall_component":
		u.add("registered", "mysql", "component")
	}
}

// reset adds the variables that RESET PERSIST removes from the file. Read-only variables need more
// privileges.
func (u *uses) reset(s *grammar.Statement, own statements.Grammar) {
	u.add("persist", "", "")
	name := ""
	if len(s.Names) > 0 {
		name = s.Names[0].Name
	}
	if own.PersistsFixed(name) {
		u.add("persist_fixed", "", "")
	}
}

// AuthorizeStatement returns the error if the session may not execute a statement, whose text is
// text: it lacks what package privilege requires for the statement, or package privilege has no
// rule for the statement.
func (r *Rights) AuthorizeStatement(ctx *sql.Context, s ast.Statement, text string) error {
	switch s := s.(type) { // the most frequent statements; they have no other clauses
	case *ast.Select:
		if s.Into == nil && (s.Lock == nil || s.Lock.Type == "") && text != "" && !mentionsUpdate(text) {
			return nil
		}
	case *ast.Insert:
		if len(s.OnDup) == 0 {
			return nil
		}
	case *ast.Update, *ast.Delete:
		return nil
	}
	may := r.Access()
	unrestricted := may.Unrestricted()
	kind := AuthorizedKind(s, text)
	if unrestricted {
		if kind == UnknownStatement {
			return mysqlerr.Syntax(" near '" + syntax.FirstWord(text) + "'")
		}
		return nil
	}
	for _, u := range UsesOf(ctx, r, s, kind) {
		if err := AuthorizeUse(ctx, may, kind, u); err != nil {
			return err
		}
	}
	return nil
}

// mentionsUpdate reports whether a text may contain FOR UPDATE.
func mentionsUpdate(text string) bool {
	const word = "update"
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// AuthorizedKind returns the kind of a statement whose rules authorize it.
func AuthorizedKind(s ast.Statement, text string) string {
	kind := statements.Kind(s, text)
	switch s := s.(type) {
	case *ast.ParenSelect:
		kind = "select" // a SHOW that became a query was authorized before
	case *ast.DDL:
		if s.ViewSpec != nil && syntax.FirstWord(text) == "alter" {
			kind = "alter_view"
		}
	}
	if !privilege.Known(kind) {
		return UnknownStatement
	}
	return kind
}

// UnknownStatement is the kind of a statement that go-mysql-server's grammar has and MySQL's does
// not have.
const UnknownStatement = "unknown"

// AuthorizeUse returns the error if the session may not do what a clause of a statement does.
func AuthorizeUse(ctx *sql.Context, may *accounts.Access, kind string, u Use) error {
	all := privilege.For(cmp.Or(u.Kind, kind), u.Clause)
	if len(all) == 0 {
		return access.ErrNeeds(accounts.Super)
	}
	for i := range all {
		if err := authorizeRule(ctx, may, &all[i], u); err != nil {
			return err
		}
	}
	if kind == "set_option" && u.Clause != "session" {
		for _, r := range privilege.ForVariable(u.Name) {
			if lacks := r.Missing(may, u.Object); lacks != "" {
				return accounts.ErrNeeds(lacks)
			}
		}
	}
	return nil
}

func authorizeRule(ctx *sql.Context, may *accounts.Access, r *privilege.Rule, u Use) error {
	switch r.Scope {
	case privilege.Everybody, privilege.Tables, privilege.Accounts:
		return nil
	case privilege.Schema, privilege.SchemaSeen, privilege.Table, privilege.TablePart, privilege.TableSeen, privilege.TableAny, privilege.Columns,
		privilege.Routine, privilege.Function:
		if u.Schema == "" {
			return mysqlerr.NoDatabase()
		}
		if u.Name != "" && !u.lasting && r.Scope >= privilege.Table && r.Scope <= privilege.Columns &&
			hides(ctx, mdl.Key{Namespace: mdl.Table, Schema: strings.ToLower(u.Schema), Name: strings.ToLower(u.Name)}) {
			return nil // a temporary table belongs to the session
		}
	}
	u.GrantedToAll = grantedToAll(r, u.Schema, u.Name)
	lacks := r.Missing(may, u.Object)
	if lacks == "" {
		return nil
	}
	return errLacks(ctx, r, u.Object, lacks)
}

// grantedToAll returns the privileges that everybody has on an object of the server itself.
func grantedToAll(r *privilege.Rule, schema, name string) accounts.Set {
	read := accounts.SetOf(accounts.Select)
	switch {
	case strings.EqualFold(schema, sql.InformationSchemaDatabaseName) && r.Kind == privilege.Row:
		return r.Needs // the SQL engine knows which tables it has
	case strings.EqualFold(schema, sql.InformationSchemaDatabaseName):
		if r.Scope == privilege.Schema || r.Scope == privilege.Table || r.Scope == privilege.TablePart {
			return read
		}
		return read.With(accounts.SetOf(accounts.ShowView))
	case !vtable.Is(schema):
		return accounts.Set{}
	case r.Scope == privilege.SchemaSeen:
		return read
	case r.Scope == privilege.TableAny:
		return access.WorldRights(name)
	}
	if given := access.WorldRights(name); given.HasAll(r.Needs) {
		return given
	}
	return accounts.Set{} // the error then names all privileges that are needed, as in MySQL
}

// errLacks returns the error for a user who lacks privileges that a rule requires.
func errLacks(ctx *sql.Context, r *privilege.Rule, o privilege.Object, lacks string) error {
	switch r.Scope {
	case privilege.File:
		return errDenied(ctx)
	case privilege.All:
		return mysqlerr.NeedsAll(lacks)
	case privilege.Recovery:
		ctx.Session.Warn(&sql.Warning{Level: "Error", Code: 1227, Message: accounts.ErrNeeds(lacks).Error()})
		return mysqlerr.NeedsXARecoverAdmin()
	case privilege.Schema, privilege.SchemaSeen:
		if vtable.Is(o.Schema) {
			return access.ErrOwnSchema(ctx)
		}
		return access.ErrSchemaDenied(ctx, o.Schema)
	case privilege.Table, privilege.TablePart, privilege.TableSeen, privilege.TableAny, privilege.Columns:
		if vtable.Is(o.Schema) {
			// If nobody can have one of the privileges, the error names all of them.
			onSchema, onTable := Of(ctx).Databases.Forbidden(o.Schema, o.Name)
			if r.Scope != privilege.TableAny && r.Needs.HasAny(onSchema) {
				return access.ErrOwnSchema(ctx)
			}
			if (r.Scope == privilege.Table || r.Scope == privilege.TablePart) && r.Needs.HasAny(onTable) {
				lacks = strings.Join(r.Needs.Names(), ", ")
			}
		}
		if strings.EqualFold(o.Schema, sql.InformationSchemaDatabaseName) {
			return access.ErrSchemaDenied(ctx, sql.InformationSchemaDatabaseName)
		}
		if r.Kind == privilege.Explain && r.Needs.Has(accounts.ShowView) {
			return mysqlerr.ViewHidden()
		}
		return mysqlerr.TableDenied(ctx, lacks, o.Name)
	case privilege.Routine, privilege.Function:
		return access.ErrRoutineDenied(ctx, lacks, o.Schema, o.Name)
	}
	return accounts.ErrNeeds(lacks)
}
