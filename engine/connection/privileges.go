package connection

import (
	"github.com/dolthub/go-mysql-server/sql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/rights"
	"pfsd/engine/sqlvalue"
)

// Authorizers makes handlers that check privileges as MySQL does, in place of go-mysql-server's.
type Authorizers struct{}

// CreateHandler implements sql.AuthorizationHandlerFactory.
func (Authorizers) CreateHandler(c sql.Catalog) sql.AuthorizationHandler {
	return authorizer{catalog: c}
}

// authorizer checks the privileges for each table that a statement names, before the statement runs. Safe for concurrent use.
type authorizer struct {
	sql.NoopAuthorizationHandler
	catalog sql.Catalog
}

// HandleAuth implements sql.AuthorizationHandler.
func (a authorizer) HandleAuth(ctx *sql.Context, state sql.AuthorizationQueryState, info ast.AuthInformation) error {
	if err := sqlvalue.Ended(ctx); err != nil { // while what stands before was bound
		return err
	}
	info = rights.InView(ctx, info)
	w := workOf(ctx)
	if w != nil && w.Rights.Private() {
		return nil
	}
	if w != nil && w.plans.Trial() {
		w.plans.Checked(ctx, info)
		return nil
	}
	if w != nil {
		w.Thread.StartStage(w.Stages.Permissions)
	}
	if info.AuthType == ast.AuthType_CREATE_VIEW {
		if set, _ := ctx.Session.GetPrivilegeSet(); set != nil {
			// go-mysql-server plans a view that exists as if it was created in the current database.
			return rights.Authorize(ctx, info)
		}
	}
	if w != nil {
		defer w.plans.Checked(ctx, info)
	}
	first := func(ctx *sql.Context, info ast.AuthInformation) error { return rights.CheckOwn(ctx, a.catalog, info) }
	then := rights.Authorize
	if info.AuthType == ast.AuthType_LOCK {
		first, then = then, first // as what it needs is granted on the database
	}
	err := first(ctx, info)
	if err == nil {
		err = then(ctx, info)
	}
	if err == nil {
		err = rights.CheckMySQL(ctx, info)
	}
	if err == nil && rights.Writes(info.AuthType) {
		if tx := ctx.GetTransaction(); tx != nil && tx.IsReadOnly() {
			// go-mysql-server does not find out which tables are temporary.
			err = sql.ErrReadOnlyTransaction.New()
		}
	}
	if err == nil && w != nil {
		w.Thread.StartStage(w.Stages.Opening) // of what has been asked about
		err = w.lock(ctx, info)
	}
	return err
}
