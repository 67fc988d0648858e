package rights

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/privilege"
	"pfsd/engine/session"
)

// Authorize returns the error if the session may not execute a part of a statement. It checks the
// use of rows of tables, while go-mysql-server makes the plan and knows what each name means.
// AuthorizeStatement has checked everything else before.
func Authorize(ctx *sql.Context, info ast.AuthInformation) error {
	r := Of(ctx)
	may := r.AccessIn(ctx, info)
	if err := informationOnly(ctx, info); err != nil || may.Unrestricted() {
		return err
	}
	return r.AuthorizeRows(ctx, may, info)
}

// AuthorizeRows is Authorize for an account that may not do everything.
func (r *Rights) AuthorizeRows(ctx *sql.Context, may *accounts.Access, info ast.AuthInformation) error {
	part := privilege.For(privilege.Part, info.AuthType)
	switch {
	case len(part) == 0:
		return access.ErrNeeds(accounts.Super)
	case part[0].Scope == privilege.Everybody:
		return nil
	}
	step := 2
	switch info.TargetType {
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers:
	case ast.AuthTargetType_TableColumn:
		step = 3
	case ast.AuthTargetType_Ignore:
		return nil
	default:
		return access.ErrNeeds(accounts.Super)
	}
	for i := 0; i+1 < len(info.TargetNames); i += step {
		db := session.OrCurrent(ctx, info.TargetNames[i])
		if err := r.authorizeTable(ctx, may, info, db, info.TargetNames[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// authorizeTable is Authorize for a table. If the answer depends on the columns, it leaves it to
// AuthorizeColumns.
func (r *Rights) authorizeTable(ctx *sql.Context, may *accounts.Access, info ast.AuthInformation, db, table string) error {
	row := privilege.For(privilege.Row, info.AuthType)
	if len(row) == 0 {
		return access.ErrNeeds(accounts.Super)
	}
	if strings.EqualFold(db, sql.InformationSchemaDatabaseName) {
		return nil
	}
	need := row[0].Needs
	if hides(ctx, session.TableKey(db, table)) {
		return nil // a temporary table belongs to the session
	}
	have := access.TableRights(may, db, table)
	switch info.AuthType {
	case ast.AuthType_SELECT, ast.AuthType_INSERT, ast.AuthType_REPLACE:
		if !have.HasAll(need) && have.With(may.AnyColumn(db, table)).HasAll(need) {
			r.usesPartly(may, db, table)
			return nil
		}
	case ast.AuthType_UPDATE, ast.AuthType_DELETE:
		// The parser gives this type to all tables of the statement, also to those that it only
		// reads. The columns that it reads need SELECT.
		need = need.With(accounts.SetOf(accounts.Select))
		if !have.HasAll(need) && have.With(may.AnyColumn(db, table)).HasAny(need) {
			r.usesPartly(may, db, table)
			return nil
		}
		need = row[0].Needs
	}
	if have.HasAll(need) {
		return nil
	}
	return mysqlerr.TableDenied(ctx, strings.Join(need.Without(have).Names(), ", "), table)
}

// informationOnly returns the error for a change in information_schema.
func informationOnly(ctx *sql.Context, info ast.AuthInformation) error {
	switch info.AuthType {
	case ast.AuthType_SELECT, ast.AuthType_SHOW, ast.AuthType_VISIBLE, ast.AuthType_IGNORE, ast.AuthType_LOCK, ast.AuthType_CALL,
		ast.AuthType_SHOW_CREATE_PROCEDURE, "":
		return nil
	}
	step := 0
	switch info.TargetType {
	case ast.AuthTargetType_DatabaseIdentifiers:
		step = 1
	case ast.AuthTargetType_SingleTableIdentifier, ast.AuthTargetType_MultipleTableIdentifiers:
		step = 2
	case ast.AuthTargetType_TableColumn:
		step = 3
	default:
		return nil
	}
	for i := 0; i < len(info.TargetNames); i += step {
		if strings.EqualFold(session.OrCurrent(ctx, info.TargetNames[i]), sql.InformationSchemaDatabaseName) {
			return access.ErrSchemaDenied(ctx, sql.InformationSchemaDatabaseName)
		}
	}
	return nil
}

// errDenied is error 1045, for an operation that needs a privilege on the whole server.
func errDenied(ctx *sql.Context) error {
	id := access.Account(ctx)
	r := Of(ctx)
	return mysqlerr.Login(id.User, id.Host, r != nil && r.Password)
}
