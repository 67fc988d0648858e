package infoschema

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/access"
	"pfsd/engine/accounts"
	"pfsd/engine/moment"
	"pfsd/engine/routine"
	"pfsd/engine/syntax"
	"pfsd/engine/sys"
	"pfsd/engine/sysschema"
	"pfsd/engine/vtable"
)

// routineInfo is a procedure or a function as information_schema shows it.
type routineInfo struct {
	name     string
	function bool
	params   []routineParam // the first parameter of a function is its result, which has no name and no mode
	body     string
	Definer  string
	security string // DEFINER or INVOKER
	// deterministic, access and comment are its characteristics.
	deterministic    bool
	access, comment  string
	sqlMode          string
	returns          string // the declared result type of a function
	created, altered time.Time
}

// routineParam is a parameter: IN, OUT or INOUT.
type routineParam struct {
	mode, name string
	typ        sql.Type
}

// routinesOf returns the routines of a database, by kind and name.
func (s *Server) routinesOf(ctx *sql.Context, db sql.Database) (all []routineInfo, err error) {
	if sys.Is(db.Name()) {
		for _, f := range sysschema.Functions {
			all = append(all, functionInfo(f, s.Created, s.Settings.Mode))
		}
	}
	stored, err := StoredRoutines(ctx, db)
	if err != nil {
		return nil, err
	}
	all = append(all, stored...)
	slices.SortFunc(all, func(a, b routineInfo) int {
		return cmp.Or(cmp.Compare(kindOf(a), kindOf(b)), cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)))
	})
	return all, nil
}

// StoredRoutines describes the procedures and functions that a database keeps.
func StoredRoutines(ctx *sql.Context, db sql.Database) (all []routineInfo, err error) {
	add := func(found []sql.StoredProcedureDetails, failed error, describe func(sql.StoredProcedureDetails) routineInfo) {
		err = cmp.Or(err, failed)
		for _, d := range found {
			all = append(all, describe(d))
		}
	}
	if d, ok := db.(sql.StoredProcedureDatabase); ok {
		found, failed := d.GetStoredProcedures(ctx)
		add(found, failed, describeProcedure)
	}
	if d, ok := db.(routine.StoredFunctions); ok {
		found, failed := d.GetStoredFunctions(ctx)
		add(found, failed, describeFunction)
	}
	return all, err
}

func kindOf(r routineInfo) string {
	if r.function {
		return "FUNCTION"
	}
	return "PROCEDURE"
}

// functionInfo describes a function of sys; created is its creation time, mode its sql_mode.
func functionInfo(f *sysschema.Function, created time.Time, mode string) routineInfo {
	r := routineInfo{
		name: f.Name, function: true, params: []routineParam{{typ: f.Returns.Type}}, Definer: strings.ReplaceAll(sys.Definer, "`", ""),
		returns: f.Returns.Declared, sqlMode: mode, security: "INVOKER", deterministic: !f.Varies, access: f.Data, comment: f.Doc, created: created, altered: created,
	}
	for _, p := range f.Params {
		r.params = append(r.params, routineParam{"IN", p.Name, p.Kind.Type})
	}
	return r
}

// describeFunction describes a function by parsing its CREATE FUNCTION.
func describeFunction(d sql.StoredProcedureDetails) routineInfo {
	r := stored(d)
	r.function = true
	f, err := routine.ParseFunction(context.Background(), syntax.Default, d.CreateStatement, ast.ParserOptions{})
	if err != nil || f == nil {
		return r
	}
	result, err := types.ColumnTypeToType(&f.Result)
	if err != nil {
		result = types.Null
	}
	r.params = []routineParam{{typ: result}}
	r.returns = declaredResult(result)
	r.define(d, f.DDL)
	for i := range r.params[1:] {
		r.params[i+1].mode = "IN"
	}
	return r
}

// declaredResult returns the type of a function's result as SHOW CREATE FUNCTION has it: with its character set.
func declaredResult(t sql.Type) string {
	whole, _, _ := strings.Cut(t.String(), " CHARACTER SET ")
	whole, _, _ = strings.Cut(whole, " COLLATE ")
	c, ok := t.(sql.TypeWithCollation)
	if !ok || types.IsBinaryType(t) {
		return whole
	}
	whole += " CHARSET " + c.Collation().CharacterSet().Name()
	if c.Collation() != c.Collation().CharacterSet().DefaultCollation() {
		whole += " COLLATE " + c.Collation().Name()
	}
	return whole
}

// describeProcedure describes a procedure by parsing its CREATE PROCEDURE.
func describeProcedure(d sql.StoredProcedureDetails) routineInfo {
	r := stored(d)
	s, _, _, err := routine.ParseProgram(context.Background(), syntax.Default, d.CreateStatement, ';', false, ast.ParserOptions{})
	ddl, ok := s.(*ast.DDL)
	if err != nil || !ok || ddl.ProcedureSpec == nil {
		return r
	}
	routine.Procedure(s)
	r.define(d, ddl)
	return r
}

// stored describes a routine without its definition.
func stored(d sql.StoredProcedureDetails) routineInfo {
	return routineInfo{name: d.Name, security: "DEFINER", access: "CONTAINS SQL", sqlMode: d.SqlMode, created: d.CreatedAt, altered: d.ModifiedAt}
}

// define adds the definition of a routine that is stored in MySQL's way.
func (r *routineInfo) define(d sql.StoredProcedureDetails, ddl *ast.DDL) {
	r.body = routine.ProgramBody(d.CreateStatement, ddl)
	r.Definer = strings.ReplaceAll(ddl.ProcedureSpec.Definer, "`", "")
	for _, param := range ddl.ProcedureSpec.Params {
		t := param.Type
		typ, err := types.ColumnTypeToType(&t)
		if err != nil {
			typ = types.Null
		}
		r.params = append(r.params, routineParam{strings.ToUpper(string(param.Direction)), param.Name, typ})
	}
	for _, c := range ddl.ProcedureSpec.Characteristics {
		switch c.Type {
		case ast.CharacteristicValue_Comment:
			r.comment = c.Comment
		case ast.CharacteristicValue_Deterministic:
			r.deterministic = true
		case ast.CharacteristicValue_NotDeterministic:
			r.deterministic = false
		case ast.CharacteristicValue_ContainsSql:
			r.access = "CONTAINS SQL"
		case ast.CharacteristicValue_NoSql:
			r.access = "NO SQL"
		case ast.CharacteristicValue_ReadsSqlData:
			r.access = "READS SQL DATA"
		case ast.CharacteristicValue_ModifiesSqlData:
			r.access = "MODIFIES SQL DATA"
		case ast.CharacteristicValue_SqlSecurityInvoker:
			r.security = "INVOKER"
		}
	}
}

// visibility reports whether the session may know that the routine exists, and whether it may see
// its body.
func (r routineInfo) visibility(ctx *sql.Context, db string) (sees, whole bool) {
	may := access.Of(ctx)
	whole = may.HasAny(accounts.ShowRoutine, accounts.Select) || may != nil && r.Definer == may.Account.String()
	have := may.Routine(db, r.name, r.function)
	return whole || have.HasAny(accounts.SetOf(accounts.Execute, accounts.AlterRoutine, accounts.CreateRoutine)), whole
}

// eachRoutine calls fn with each routine that the session may see; whole is true if it may see the
// body.
func (s *Server) eachRoutine(ctx *sql.Context, schema, name string, fn func(db string, r routineInfo, whole bool)) error {
	for _, db := range s.schemas(ctx, schema) {
		all, err := s.routinesOf(ctx, db)
		if err != nil {
			return err
		}
		for _, r := range all {
			if !inScope(db.Name(), r.name, schema, name) {
				continue
			}
			if sees, whole := r.visibility(ctx, db.Name()); sees {
				fn(db.Name(), r, whole)
			}
		}
	}
	return nil
}

// routineRows are the rows of ROUTINES.
func (s *Server) routineRows(ctx *sql.Context, schema, name string) (rows []sql.Row, err error) {
	zone := moment.Zone(ctx)
	err = s.eachRoutine(ctx, schema, name, func(db string, r routineInfo, whole bool) {
		dataType, described := "", make([]any, 8)
		if r.function && len(r.params) > 0 {
			dataType, described = describeType(ctx, r.params[0].typ)
		}
		var body any
		if whole && r.body != "" {
			body = r.body
		}
		row := sql.Row{r.name, catalogName, db, r.name, kindOf(r), dataType}
		row = append(row, described...)
		rows = append(rows, append(row,
			"SQL", body, nil, "SQL", "SQL", yesNo(r.deterministic), r.access, nil, r.security,
			moment.Wall(r.created, 0, zone), moment.Wall(r.altered, 0, zone), ModeText(r.sqlMode), r.comment, r.Definer,
			"utf8mb4", vtable.Collation.Name(), vtable.Collation.Name(),
		))
	})
	return rows, err
}

// parameterRows are the rows of PARAMETERS.
func (s *Server) parameterRows(ctx *sql.Context, schema, name string) (rows []sql.Row, err error) {
	err = s.eachRoutine(ctx, schema, name, func(db string, r routineInfo, _ bool) {
		for i, param := range r.params {
			ordinal, mode, paramName := uint64(i+1), any(param.mode), any(param.name)
			if r.function {
				ordinal = uint64(i)
				if i == 0 {
					mode, paramName = nil, nil
				}
			}
			dataType, described := describeType(ctx, param.typ)
			row := sql.Row{catalogName, db, r.name, ordinal, mode, paramName, dataType}
			rows = append(rows, append(append(row, described...), kindOf(r)))
		}
	})
	return rows, err
}

// describeType returns DATA_TYPE of a type, and the columns that follow it in ROUTINES and
// PARAMETERS: CHARACTER_MAXIMUM_LENGTH to DTD_IDENTIFIER.
func describeType(ctx *sql.Context, t sql.Type) (name string, described []any) {
	whole, _, _ := strings.Cut(t.String(), " CHARACTER SET ")
	whole, _, _ = strings.Cut(whole, " COLLATE ")
	name, _, _ = strings.Cut(whole, "(")
	name, _, _ = strings.Cut(name, " ")
	described = make([]any, 8)
	if c, ok := t.(sql.TypeWithCollation); ok && !types.IsBinaryType(t) {
		described[5], described[6] = c.Collation().CharacterSet().Name(), c.Collation().Name()
		described[0], described[1] = int64(t.MaxTextResponseByteLength(ctx))/c.Collation().CharacterSet().MaxLength(), int64(t.MaxTextResponseByteLength(ctx))
	}
	if s, ok := t.(sql.StringType); ok {
		described[0], described[1] = s.MaxCharacterLength(), s.MaxByteLength()
	}
	switch n := t.(type) {
	case sql.DecimalType:
		described[2], described[3] = uint32(n.Precision()), int64(n.Scale())
	case sql.NumberType:
		described[2], described[3] = numberDigits(name, strings.Contains(whole, "unsigned")), int64(0)
		if types.IsFloat(t) {
			described[3] = nil
		}
	case sql.DatetimeType:
		if name != "date" {
			described[4] = uint32(n.Precision())
		}
	}
	described[7] = whole
	return name, described
}

// numberDigits returns NUMERIC_PRECISION of a type.
func numberDigits(name string, unsigned bool) uint32 {
	switch {
	case name == "bigint" && unsigned:
		return 20
	case name == "bigint":
		return 19
	}
	return map[string]uint32{"tinyint": 3, "smallint": 5, "mediumint": 7, "int": 10, "float": 12, "double": 22}[name]
}
