package engine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/compat"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sys"
	"pfsd/instr"
	"pfsd/tables"
)

// sysParameter is a parameter of a function of sys.
type sysParameter struct {
	name string
	kind sysKind
}

// sysKind is a type in a declaration of a function of sys: how it is declared, and what it is.
type sysKind struct {
	declared string
	kind     sql.Type
}

// The types that functions of sys take and return.
var (
	sysText        = sysKind{"TEXT", types.CreateText(sysCollation)}
	sysLongText    = sysKind{"LONGTEXT", types.CreateLongText(sysCollation)}
	sysLatin1      = sysKind{"LONGTEXT CHARSET latin1", types.CreateLongText(sql.Collation_latin1_swedish_ci)}
	sysBigUnsigned = sysKind{"BIGINT UNSIGNED", types.Uint64}
	sysBoolean     = sysKind{"BOOLEAN", types.Boolean}
	sysTinyInt     = sysKind{"TINYINT UNSIGNED", types.Uint8}
	sysYesNo       = sysKind{"ENUM('YES','NO')", compat.NewChoice("", []string{"YES", "NO"}, false)}
	sysYesNoOther  = sysKind{"ENUM('YES','NO','UNKNOWN')", compat.NewChoice("", []string{"YES", "NO", "UNKNOWN"}, false)}
	sysVarchar32   = sysVarchar("32", 32)
	sysVarchar64   = sysVarchar("64", 64)
	sysVarchar128  = sysVarchar("128", 128)
	sysVarchar255  = sysVarchar("255", 255)
	sysVarchar512  = sysVarchar("512", 512)
)

func sysVarchar(length string, n int64) sysKind {
	return sysKind{"VARCHAR(" + length + ")", types.MustCreateString(sqltypes.VarChar, n, sysCollation)}
}

// sysServer is what the functions of sys ask of the server. Safe for concurrent use.
type sysServer struct {
	registry *instr.Registry
	// table is a table of performance_schema, nil if there is none of the name.
	table func(name string) tables.Table
	// variable is the value of a system variable for the whole server.
	variable func(name string) any
	// version is what the server says it is, config the settings of sys.
	version string
	config  *sysConfig
}

// sysDo is what a function of sys does with its arguments, values of the types of its parameters.
type sysDo func(ctx *sql.Context, s *sysServer, args []any) (any, error)

// sysFunction is a function of sys. It has the rights of who calls it.
type sysFunction struct {
	name    string
	params  []sysParameter
	returns sysKind
	// data is what it does with data, in MySQL's words; varies tells that it is NOT DETERMINISTIC.
	data   string
	varies bool
	doc    string
	// reads are the tables of performance_schema that it reads, for which its caller needs SELECT.
	reads []string
	do    sysDo
}

// What functions of sys do with data.
const (
	noSQL       = "NO SQL"
	containsSQL = "CONTAINS SQL"
	readsData   = "READS SQL DATA"
)

// sysFunctions are the functions of sys, by their names.
var sysFunctions = func() map[string]*sysFunction {
	all := map[string]*sysFunction{}
	for _, list := range [][]sysFunction{sysFormatting, sysLists, sysAboutThreads, sysAboutSetup, sysAboutServer} {
		for i := range list {
			all[list[i].name] = &list[i]
		}
	}
	return all
}()

// function returns the function of sys that a statement names name, which may be qualified: db.f, else
// it is of the current database. The error is why the session may not call it.
func (s *sysServer) function(ctx *sql.Context, name string) (sql.Function, bool) {
	db, base, qualified := strings.Cut(name, ".")
	if !qualified {
		db, base = ctx.GetCurrentDatabase(), name
	}
	if !strings.EqualFold(db, sys.Schema) {
		return nil, false
	}
	f := sysFunctions[base]
	if f == nil {
		return nil, false
	}
	refused := f.refused(ctx)
	return sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if refused != nil {
			return nil, refused
		}
		if len(args) != len(f.params) {
			return nil, mysql.NewSQLError(1318, "42000", "Incorrect number of arguments for FUNCTION %s.%s; expected %d, got %d", sys.Schema, f.name, len(f.params), len(args))
		}
		return &sysCall{sysFunction: f, server: s, args: args}, nil
	}}, true
}

// refused tells why the session of ctx may not call the function; nil if it may.
func (f *sysFunction) refused(ctx *sql.Context) error {
	may := access.In(ctx, ast.AuthInformation{AuthType: ast.AuthType_SELECT})
	if may.Unrestricted() {
		return nil
	}
	if !may.Routine(sys.Schema, f.name, true).Has(accounts.Execute) {
		return access.ErrRoutineDenied(ctx, "execute", sys.Schema, f.name)
	}
	for _, t := range f.reads {
		if db, table, _ := strings.Cut(t, "."); !may.Table(db, table).Has(accounts.Select) {
			return mysqlerr.TableDenied(ctx, "SELECT", table)
		}
	}
	return nil
}

// sysCall is a call of a function of sys. Safe for concurrent use.
type sysCall struct {
	*sysFunction
	server *sysServer
	args   []sql.Expression
}

var (
	_ sql.FunctionExpression = (*sysCall)(nil)
	_ sql.CollationCoercible = (*sysCall)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (c *sysCall) FunctionName() string { return sys.Schema + "." + c.name }

// Description implements sql.FunctionExpression.
func (c *sysCall) Description() string { return c.doc }

// CollationCoercibility implements sql.CollationCoercible.
func (c *sysCall) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if s, ok := c.returns.kind.(sql.StringType); ok {
		return s.Collation(), 4
	}
	return sql.Collation_binary, 5
}

// Resolved implements sql.Expression.
func (c *sysCall) Resolved() bool {
	for _, a := range c.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (c *sysCall) String() string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = a.String()
	}
	return c.FunctionName() + "(" + strings.Join(texts, ",") + ")"
}

// Type implements sql.Expression.
func (c *sysCall) Type(*sql.Context) sql.Type { return c.returns.kind }

// IsNullable implements sql.Expression.
func (c *sysCall) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (c *sysCall) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *sysCall) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.args))
	}
	other := *c
	other.args = children
	return &other, nil
}

// Eval implements sql.Expression.
func (c *sysCall) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var few [3]any
	args := few[:len(c.args)]
	for i, a := range c.args {
		v, err := a.Eval(ctx, row)
		if err == nil {
			v, err = c.params[i].convert(ctx, v)
		}
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return c.do(ctx, c.server, args)
}

// convert is a value as one of the parameter's type. What is no number is 0, as an assignment is
// without a strict mode.
func (p *sysParameter) convert(ctx *sql.Context, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	if s, ok := v.(string); ok && types.IsText(p.kind.kind) {
		if n := p.kind.kind.(sql.StringType).MaxCharacterLength(); int64(len(s)) <= n {
			return s, nil
		}
	}
	converted, _, err := compat.Target(p.kind.kind).Convert(ctx, v)
	if err != nil {
		if types.IsText(p.kind.kind) {
			return nil, mysql.NewSQLError(1406, "22001", "Data too long for column '%s' at row 1", p.name)
		}
		return p.kind.kind.Zero(), nil
	}
	return sql.UnwrapAny(ctx, converted)
}
