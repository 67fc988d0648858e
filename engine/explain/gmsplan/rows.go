package gmsplan

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/explain"
	"pfsd/engine/sqlvalue"
)

// explainSchema is the schema of the formats JSON and TREE.
var explainSchema = sql.Schema{{Name: "EXPLAIN", Type: types.LongText}}

// explainTable is the schema of the traditional format.
var explainTable = func() sql.Schema {
	s := plan.DescribeSchema.Copy()
	for _, c := range s {
		c.Nullable = c.Name != "id" && c.Name != "select_type"
		if c.Name == "filtered" {
			c.Type = sqlvalue.NewDouble(10, 2)
		}
	}
	return s
}()

// SchemaOf returns MySQL's schema for a result of go-mysql-server's EXPLAIN; any other schema stays as it is.
func SchemaOf(s sql.Schema) sql.Schema {
	switch {
	case len(s) == 1 && s[0] == plan.DescribePlanSchema[0]:
		return explainSchema
	case len(s) == len(plan.DescribeSchema) && s[0] == plan.DescribeSchema[0]:
		return explainTable
	}
	return s
}

// Rows returns the result rows of EXPLAIN in a format.
func Rows(q *explain.Query, format sql.DescribeOptions) (rows []sql.Row) {
	switch {
	case format.Debug:
		return []sql.Row{{q.JSON()}}
	case format.Plan, format.Analyze:
		return []sql.Row{{q.Tree(format.Analyze)}}
	}
	for _, r := range q.Rows() {
		row := sql.Row{uint64(0), r.SelectType, r.Table, r.Partitions, r.Type, r.PossibleKeys, r.Key, r.KeyLen, r.Ref, r.Rows, r.Filtered, r.Extra}
		if id, ok := r.ID.(int); ok {
			row[0] = uint64(id)
		}
		rows = append(rows, row)
	}
	return rows
}

// Schema returns the result schema of EXPLAIN in a format.
func Schema(format string) sql.Schema {
	if format == "" {
		return explainTable
	}
	return explainSchema
}
