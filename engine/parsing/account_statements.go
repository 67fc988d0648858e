package parsing

import (
	"context"
	"errors"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/catalog"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/nodes"
	"pfsd/engine/rights"
)

// AccountStatement is a statement about accounts. This server executes it itself. Safe for
// concurrent use.
type AccountStatement struct {
	*accounts.Statement
	provider *catalog.Provider
}

// AccountStatement returns the statement as package accounts parses it. Packages statements and
// rights call it.
func (s AccountStatement) AccountStatement() *accounts.Statement { return s.Statement }

// aboutAccounts parses the first statement of query if that is about accounts. It returns the
// statement, its text, and the text that follows it. ok is false if the statement is not about
// accounts.
func (p Parser) aboutAccounts(ctx *sql.Context, query string, multi bool) (s ast.Statement, text, rest string, ok bool, err error) {
	if !accounts.MayBe(query) {
		return nil, "", "", false, nil
	}
	st, err := accounts.Parse(query, sql.LoadSqlMode(ctx).AnsiQuotes())
	if err != nil {
		if errors.Is(err, accounts.ErrSyntax) {
			err = mysqlerr.Syntax(err.Error())
		}
		return nil, query, "", true, err
	}
	if st == nil {
		return nil, "", "", false, nil
	}
	rest = strings.TrimLeft(query[st.End:], "; \t\r\n")
	if rest != "" && !multi {
		return nil, query, "", true, mysqlerr.Syntax(" near " + rest)
	}
	info := ast.AuthInformation{AuthType: ast.AuthType_IGNORE, TargetType: ast.AuthTargetType_Ignore}
	return ast.InjectedStatement{Statement: AccountStatement{st, p.provider}, Auth: info}, st.Text, rest, true, nil
}

// WithResolvedChildren implements ast.Injectable. It makes the node of the statement's plan.
func (s AccountStatement) WithResolvedChildren(context.Context, []any) (any, error) {
	n := nodes.Answer{Kind: s.Kind, Columns: types.OkResultSchema}
	if !s.Rows() {
		n.Rows = func(ctx *sql.Context) ([]sql.Row, error) {
			_, err := s.run(ctx)
			return []sql.Row{sql.NewRow(types.NewOkResult(0))}, err
		}
		return n, nil
	}
	return accountAnswer{s}, nil
}

// run executes the statement.
func (s AccountStatement) run(ctx *sql.Context) (*accounts.Rows, error) {
	r, store := rights.Of(ctx), s.provider.Accounts
	if r != nil && r.Skipped {
		return nil, mysql.NewSQLError(1290, "HY000", "The MySQL server is running with the --skip-grant-tables option so it cannot execute this statement")
	}
	if s.changes() && s.provider.MySQL.Edited() {
		// In MySQL, the tables of the database mysql are the accounts. Here their edits must become
		// accounts before the statement changes accounts.
		if !rights.MayWriteAccounts(ctx) {
			return nil, errTablesWritten()
		}
		if err := s.reload(ctx); err != nil {
			return nil, err
		}
	}
	client := ctx.Session.Client()
	return store.Run(s.Statement, &accounts.Session{
		Access: r.Access(), User: client.User, Host: client.Address, Password: r != nil && r.Password,
		Database: ctx.GetCurrentDatabase(), Forbidden: s.provider.Forbidden,
		Columns: func(db, table string) ([]string, bool) { return s.provider.Columns(ctx, db, table) },
		Defines: func(id accounts.ID) string { return s.provider.DefinedBy(ctx, id) },
		SetRoles: func(roles []accounts.ID) {
			if r != nil {
				r.SetRoles(roles)
			}
		},
		Reload: func() error { return s.reload(ctx) },
		Note: func(number int, message string) {
			ctx.Session.Warn(&sql.Warning{Level: "Note", Code: number, Message: message})
		},
	})
}

// reload makes accounts of the edits of the tables of the database mysql.
func (s AccountStatement) reload(ctx *sql.Context) error {
	return s.provider.MySQL.Reload(func(number int, message string) {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: number, Message: message})
	})
}

// changes reports whether the statement changes accounts.
func (s AccountStatement) changes() bool {
	switch s.Kind {
	case "flush", "set_role":
		return false
	}
	return !strings.HasPrefix(s.Kind, "show_")
}

// errTablesWritten returns the error for a statement that changes accounts while the tables of the
// database mysql have edits that are not accounts yet.
func errTablesWritten() error {
	return mysql.NewSQLError(1105, "HY000", "The tables of accounts have been written to: FLUSH PRIVILEGES must come before this statement")
}

// accountAnswer is the node of a statement about accounts that returns rows. The name of its column
// depends on the account that executes it.
type accountAnswer struct{ AccountStatement }

var _ sql.ExecSourceRel = accountAnswer{}

// Resolved implements sql.Node.
func (accountAnswer) Resolved() bool { return true }

// String implements sql.Node.
func (a accountAnswer) String() string { return a.Kind }

// Schema implements sql.Node.
func (a accountAnswer) Schema(ctx *sql.Context) sql.Schema {
	var self accounts.ID
	if access := access.Of(ctx); access != nil {
		self = access.Account.ID
	}
	return sql.Schema{{Name: a.Header(self), Type: types.LongText}}
}

// Children implements sql.Node.
func (accountAnswer) Children() []sql.Node { return nil }

// WithChildren implements sql.Node.
func (a accountAnswer) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) > 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), 0)
	}
	return a, nil
}

// IsReadOnly implements sql.Node.
func (accountAnswer) IsReadOnly() bool { return true }

// RowIter implements sql.ExecSourceRel.
func (a accountAnswer) RowIter(ctx *sql.Context, _ sql.Row) (sql.RowIter, error) {
	answer, err := a.run(ctx)
	if err != nil {
		return nil, err
	}
	var rows []sql.Row
	for _, r := range answer.Rows {
		rows = append(rows, sql.NewRow(r[0]))
	}
	return sql.RowsToRowIter(rows...), nil
}
