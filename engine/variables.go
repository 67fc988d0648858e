package engine

import (
	"math"
	"net"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/instr"
)

// variablePrefix begins the names of the variables that are ours.
const variablePrefix = "performance_schema_"

// setVariables gives the system variables, which all servers of a process share, the
// values of this one.
func setVariables(o Options, addr net.Addr) error {
	sql.SystemVariables.AddSystemVariables(sizeVariables(o))
	performanceSchema := int8(1)
	if o.Off {
		performanceSchema = 0
	}
	scheduler := "ON"
	if o.NoEvents {
		scheduler = "OFF"
	}
	values := map[string]any{
		"event_scheduler":      scheduler,
		"version":              Version,
		"version_comment":      "pfsd",
		"performance_schema":   performanceSchema,
		"max_allowed_packet":   o.MaxAllowedPacket,
		"max_connections":      int64(o.MaxConnections),
		"max_digest_length":    int64(o.Registry.MaxDigestLength()),
		"socket":               o.Socket,
		"datadir":              o.DataDir,
		"collation_server":     collation.Name(),
		"collation_connection": collation.Name(),
		"collation_database":   collation.Name(),
		// Closes LOAD_FILE, LOAD DATA INFILE and INTO OUTFILE off: no file is below it.
		"secure_file_priv": "/nonexistent",
	}
	if a, ok := addr.(*net.TCPAddr); ok {
		values["port"] = int64(a.Port)
	}
	return sql.SystemVariables.AssignValues(values)
}

// sizeVariables is a variable for each size, with the value that is in force.
func sizeVariables(o Options) []sql.SystemVariable {
	vars := []sql.SystemVariable{
		sizeVariable("events_waits_history_size", true, o.Registry.HistorySize()),
		sizeVariable("events_waits_history_long_size", true, o.Registry.HistoryLongSize()),
	}
	for l := range instr.LimitCount {
		vars = append(vars, sizeVariable(l.String(), l.Default() < 0, o.Registry.Limit(l)))
	}
	for i := range workSizes {
		vars = append(vars, workSizes[i].variable(o.Registry))
	}
	for _, u := range unused {
		n, given := o.UnusedSizes[u.name]
		if !given {
			n = u.def
		}
		vars = append(vars, sizeVariable(u.name, u.def < 0, n))
	}
	return vars
}

// sizeVariable is the variable performance_schema_NAME. Nothing sets it, so that its type
// needs no bounds.
func sizeVariable(name string, signed bool, n int) *sql.MysqlSystemVariable {
	v := &sql.MysqlSystemVariable{Name: variablePrefix + name, Scope: sql.GetMysqlScope(sql.SystemVariableScope_Global)}
	if signed {
		v.Type, v.Default = types.NewSystemIntType(v.Name, math.MinInt64, math.MaxInt64, false), int64(n)
	} else {
		v.Type, v.Default = types.NewSystemUintType(v.Name, 0, math.MaxUint64), uint64(n)
	}
	return v
}

// refusedVariable is why statement s may not use a variable of ours as it does; the SQL
// engine would let it, or refuse it in other words.
func refusedVariable(query string, s ast.Statement) (err error) {
	if set, ok := s.(*ast.Set); ok {
		for _, e := range set.Exprs {
			name := e.Name.Name.String()
			if e.Scope == ast.SetScope_User || !ours(name) {
				continue
			}
			v, _, known := sql.SystemVariables.GetGlobal(name)
			if !known {
				return mysql.NewSQLError(1193, "HY000", "Unknown system variable '%s'", name)
			}
			if v.IsReadOnly() {
				return mysql.NewSQLError(1238, "HY000", "Variable '%s' is a read only variable", v.GetName())
			}
		}
	}
	if !strings.Contains(query, "@@") {
		return nil
	}
	_ = ast.Walk(func(n ast.SQLNode) (bool, error) {
		if c, ok := n.(*ast.ColName); ok {
			name, _, scope, _ := ast.VarScope(c.Name.String())
			v, _, known := sql.SystemVariables.GetGlobal(name)
			if known && ours(name) && v.IsGlobalOnly() && (strings.EqualFold(scope, "session") || strings.EqualFold(scope, "local")) {
				err = mysql.NewSQLError(1238, "HY000", "Variable '%s' is a GLOBAL variable", v.GetName())
			}
		}
		return err == nil, nil
	}, s)
	return err
}

// ours tells whether a variable's name is performance_schema or begins so.
func ours(name string) bool {
	return strings.EqualFold(name, schemaName) || len(name) > len(variablePrefix) && strings.EqualFold(name[:len(variablePrefix)], variablePrefix)
}
