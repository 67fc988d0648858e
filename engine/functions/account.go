package functions

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
)

// sessionText is a function without arguments that returns a text about the session.
type sessionText struct {
	name string
	of   func(*sql.Context) string
}

func sessionFunction(name string, of func(*sql.Context) string) sql.Function {
	return sql.Function0{Name: name, Fn: func(*sql.Context) sql.Expression { return sessionText{name, of} }}
}

var sessionTextType = types.MustCreateString(sqltypes.VarChar, 288, collation)

// Client returns USER(): the name that the client gave, and its host.
func Client(ctx *sql.Context) string {
	c := ctx.Session.Client()
	return c.User + "@" + c.Address
}

// Account returns CURRENT_USER(): the account whose rights the statement has.
func Account(ctx *sql.Context) string {
	if access.SkipsGrants(ctx) {
		return "skip-grants user@skip-grants host"
	}
	return access.Account(ctx).String()
}

// CurrentUser is the name of CURRENT_USER().
const CurrentUser = "current_user"

// DefinerOf returns CURRENT_USER() in a view with the rights of its definer: it is the definer, not the reader.
func DefinerOf(id accounts.ID) sql.Function {
	return sessionFunction(CurrentUser, func(*sql.Context) string { return id.String() })
}

// roleNames returns CURRENT_ROLE(): the active roles.
func roleNames(ctx *sql.Context) string {
	a := access.Of(ctx)
	if a == nil || len(a.Roles) == 0 {
		return "NONE"
	}
	names := make([]string, len(a.Roles))
	for i, r := range a.Roles {
		names[i] = r.Quoted()
	}
	return strings.Join(names, ",")
}

var _ sql.FunctionExpression = sessionText{}

// FunctionName implements sql.FunctionExpression.
func (s sessionText) FunctionName() string { return s.name }

// Description implements sql.FunctionExpression.
func (s sessionText) Description() string { return "returns an account or the roles of the session" }

// Resolved implements sql.Expression.
func (sessionText) Resolved() bool { return true }

// String implements sql.Expression.
func (s sessionText) String() string { return strings.ToUpper(s.name) + "()" }

// Type implements sql.Expression.
func (sessionText) Type(*sql.Context) sql.Type { return sessionTextType }

// IsNullable implements sql.Expression.
func (sessionText) IsNullable(*sql.Context) bool { return false }

// Children implements sql.Expression.
func (sessionText) Children() []sql.Expression { return nil }

// WithChildren implements sql.Expression.
func (s sessionText) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 0 {
		return nil, sql.ErrInvalidChildrenNumber.New(s, len(children), 0)
	}
	return s, nil
}

// Eval implements sql.Expression.
func (s sessionText) Eval(ctx *sql.Context, _ sql.Row) (any, error) { return s.of(ctx), nil }

// CollationCoercibility implements sql.CollationCoercible.
func (sessionText) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_utf8mb3_general_ci, 3
}
