package sysschema

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/sqlvalue"
	"pfsd/engine/sys"
	"pfsd/instr"
	"pfsd/tables"
)

// Parameter is a parameter of a function of sys.
type Parameter struct {
	Name string
	Kind Kind
}

// Kind is a type in the declaration of a function of sys. Declared is its text in the declaration,
// Type is go-mysql-server's type.
type Kind struct {
	Declared string
	Type     sql.Type
}

// The types that functions of sys take and return.
var (
	textKind     = Kind{"TEXT", types.CreateText(collation)}
	longText     = Kind{"LONGTEXT", types.CreateLongText(collation)}
	latin1       = Kind{"LONGTEXT CHARSET latin1", types.CreateLongText(sql.Collation_latin1_swedish_ci)}
	bigUnsigned  = Kind{"BIGINT UNSIGNED", types.Uint64}
	boolean      = Kind{"BOOLEAN", types.Boolean}
	tinyInt      = Kind{"TINYINT UNSIGNED", types.Uint8}
	yesNo        = Kind{"ENUM('YES','NO')", sqlvalue.NewChoice("", []string{"YES", "NO"}, false)}
	yesNoUnknown = Kind{"ENUM('YES','NO','UNKNOWN')", sqlvalue.NewChoice("", []string{"YES", "NO", "UNKNOWN"}, false)}
	varchar32    = varchar("32", 32)
	varchar64    = varchar("64", 64)
	varchar128   = varchar("128", 128)
	varchar255   = varchar("255", 255)
	varchar512   = varchar("512", 512)
)

func varchar(length string, n int64) Kind {
	return Kind{"VARCHAR(" + length + ")", types.MustCreateString(sqltypes.VarChar, n, collation)}
}

// Server is the part of the server that the functions of sys use. Safe for concurrent use.
type Server struct {
	Registry *instr.Registry
	// Model is what the tables of performance_schema show: the registry, or a recording.
	Model tables.Model
	// Table returns a table of performance_schema, nil if there is none with this name.
	Table func(name string) tables.Table
	// Variable returns the global value of a system variable.
	Variable func(name string) any
	// Version is the server's version as it reports it. Config has the settings of sys.
	Version string
	Config  *Config
}

// action computes the result of a function of sys. args have the types of its parameters.
type action func(ctx *sql.Context, s *Server, args []any) (any, error)

// Function is a function of sys. It runs with the rights of its caller.
type Function struct {
	// Name is the function's name, Params are its parameters, and Returns is the type of its
	// result.
	Name    string
	Params  []Parameter
	Returns Kind
	// Data says how the function uses data, in MySQL's words. Varies means NOT DETERMINISTIC.
	Data   string
	Varies bool
	Doc    string
	// reads are the tables of performance_schema that the function reads. Its caller needs SELECT
	// on them.
	reads []string
	do    action
}

// How functions of sys use data. MySQL takes ContainsSQL for a routine that does not declare this.
const (
	noSQL       = "NO SQL"
	ContainsSQL = "CONTAINS SQL"
	readsData   = "READS SQL DATA"
)

// Functions are the functions of sys, by name.
var Functions = func() map[string]*Function {
	all := map[string]*Function{}
	for _, list := range [][]Function{formatFunctions, listFunctions, threadFunctions, setupFunctions, serverFunctions} {
		for i := range list {
			all[list[i].Name] = &list[i]
		}
	}
	return all
}()

// Function returns the function of sys that a statement calls by name. name is db.f, or f for a
// function of the current database. If the session may not call the function, each call is an
// error.
func (s *Server) Function(ctx *sql.Context, name string) (sql.Function, bool) {
	db, base, qualified := strings.Cut(name, ".")
	if !qualified {
		db, base = access.CurrentDatabase(ctx), name
	}
	if !strings.EqualFold(db, sys.Schema) {
		return nil, false
	}
	f := Functions[base]
	if f == nil {
		return nil, false
	}
	refused := f.CheckCaller(ctx)
	return sql.FunctionN{Name: name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if refused != nil {
			return nil, refused
		}
		if len(args) != len(f.Params) {
			return nil, mysql.NewSQLError(1318, "42000", "Incorrect number of arguments for FUNCTION %s.%s; expected %d, got %d", sys.Schema, f.Name, len(f.Params), len(args))
		}
		return &call{Function: f, server: s, args: args}, nil
	}}, true
}

// CheckCaller returns the error of a session that may not call the function; nil if it may.
func (f *Function) CheckCaller(ctx *sql.Context) error {
	may := access.In(ctx, ast.AuthInformation{AuthType: ast.AuthType_SELECT})
	if may.Unrestricted() {
		return nil
	}
	if !may.Routine(sys.Schema, f.Name, true).Has(accounts.Execute) {
		return access.ErrRoutineDenied(ctx, "execute", sys.Schema, f.Name)
	}
	for _, t := range f.reads {
		if db, table, _ := strings.Cut(t, "."); !may.Table(db, table).Has(accounts.Select) {
			return mysqlerr.TableDenied(ctx, "SELECT", table)
		}
	}
	return nil
}

// call is a call of a function of sys. Safe for concurrent use.
type call struct {
	*Function
	server *Server
	args   []sql.Expression
}

var (
	_ sql.FunctionExpression = (*call)(nil)
	_ sql.CollationCoercible = (*call)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (c *call) FunctionName() string { return sys.Schema + "." + c.Name }

// Description implements sql.FunctionExpression.
func (c *call) Description() string { return c.Doc }

// CollationCoercibility implements sql.CollationCoercible.
func (c *call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if s, ok := c.Returns.Type.(sql.StringType); ok {
		return s.Collation(), 4
	}
	return sql.Collation_binary, 5
}

// Resolved implements sql.Expression.
func (c *call) Resolved() bool { return expression.ExpressionsResolved(c.args...) }

// String implements sql.Expression.
func (c *call) String() string {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		texts[i] = a.String()
	}
	return c.FunctionName() + "(" + strings.Join(texts, ",") + ")"
}

// Type implements sql.Expression.
func (c *call) Type(*sql.Context) sql.Type { return c.Returns.Type }

// IsNullable implements sql.Expression.
func (c *call) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (c *call) Children() []sql.Expression { return c.args }

// WithChildren implements sql.Expression.
func (c *call) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	if len(children) != len(c.args) {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), len(c.args))
	}
	other := *c
	other.args = children
	return &other, nil
}

// Eval implements sql.Expression.
func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	var few [3]any
	args := few[:len(c.args)]
	for i, a := range c.args {
		v, err := a.Eval(ctx, row)
		if err == nil {
			v, err = c.Params[i].convert(ctx, v)
		}
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return c.do(ctx, c.server, args)
}

// convert returns a value as one of the parameter's type. A text that is not a number becomes 0, as
// in an assignment without a strict mode.
func (p *Parameter) convert(ctx *sql.Context, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	if s, ok := v.(string); ok && types.IsText(p.Kind.Type) {
		if n := p.Kind.Type.(sql.StringType).MaxCharacterLength(); int64(len(s)) <= n {
			return s, nil
		}
	}
	converted, _, err := sqlvalue.Target(p.Kind.Type).Convert(ctx, v)
	if err != nil {
		if types.IsText(p.Kind.Type) {
			return nil, mysql.NewSQLError(1406, "22001", "Data too long for column '%s' at row 1", p.Name)
		}
		return p.Kind.Type.Zero(), nil
	}
	return sql.UnwrapAny(ctx, converted)
}
