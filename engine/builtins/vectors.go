package builtins

import "github.com/dolthub/go-mysql-server/sql"

// vectorNames are the names of go-mysql-server's functions on vectors.
var vectorNames = [...]string{
	"distance", "from_vector", "string_to_vector", "to_vector", "vec_distance", "vec_distance_cosine", "vec_distance_euclidean",
	"vec_distance_l2_squared", "vec_fromtext", "vec_totext", "vector_to_string",
}

// VectorFunctions has functions with these names that do not exist.
//
// go-mysql-server: has them, and panics at an empty vector. MySQL 8.4: has no vectors.
func VectorFunctions() map[string]sql.Function {
	all := map[string]sql.Function{}
	for _, name := range vectorNames {
		all[name] = sql.FunctionN{Name: name, Fn: func(*sql.Context, ...sql.Expression) (sql.Expression, error) {
			return nil, sql.ErrFunctionNotFound.New(name)
		}}
	}
	return all
}
