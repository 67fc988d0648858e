package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// AlteredSchema is the schema of the answer to a statement, given the one that its plan has.
//
// go-mysql-server: ALTER TABLE with COMMENT alone answers OK, and says that its answer has the columns of the table.
// MySQL: ALTER TABLE answers OK.
func AlteredSchema(statement ast.Statement, schema sql.Schema) sql.Schema {
	if _, ok := statement.(*ast.AlterTable); ok && alterAnswers.On() {
		return types.OkResultSchema
	}
	return schema
}
