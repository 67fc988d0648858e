package sqlexpr

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
)

func TestTextIn(t *testing.T) {
	ctx := sql.NewEmptyContext()
	ci := types.MustCreateString(types.Text.Type(), 10, sql.Collation_utf8mb4_0900_ai_ci)
	column := expression.NewGetField(0, ci, "c", true)
	list := expression.NewTuple(expression.NewLiteral("A", types.Text), expression.NewLiteral("b", types.Text), expression.NewLiteral(nil, types.Null))
	in, err := expression.NewHashInTuple(ctx, column, list)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := in.Eval(ctx, sql.Row{"a"}); err == nil && v == true {
		mendtest.NoLongerNeeded(t, "textin.go")
	}
	replaced, _, err := replace(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]any{"a": true, "B": true, "c": nil} {
		if v, err := replaced.Eval(ctx, sql.Row{value}); err != nil || v != want {
			t.Errorf("'%s' IN ('A', 'b', NULL) is %v, %v", value, v, err)
		}
	}
}
