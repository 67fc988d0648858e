package executor

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// AlteredSchema returns the schema of the answer to a statement, given the schema of its plan.
//
// go-mysql-server: ALTER TABLE with COMMENT alone answers OK, but its schema has the columns of the
// table. MySQL: the answer is OK, without columns.
func AlteredSchema(statement ast.Statement, schema sql.Schema) sql.Schema {
	if _, ok := statement.(*ast.AlterTable); ok && mends.AlterAnswers.On() {
		return types.OkResultSchema
	}
	return schema
}
