package sqlexpr

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
	"pfsd/engine/sqlvalue"
)

func TestDouble(t *testing.T) {
	ctx := sql.NewEmptyContext()
	d := sqlvalue.NewDouble(7, 6)
	for v, want := range map[any]string{0.5: "0.500000", 0.0: "0.000000", 1.0: "1.000000", 0.9999994: "0.999999", int64(2): "2.000000"} {
		if got, err := d.SQL(ctx, nil, v); err != nil || got.ToString() != want || got.Type() != types.Float64.Type() {
			t.Errorf("%v prints as %v, %v", v, got, err)
		}
	}
	if v, err := d.SQL(ctx, nil, nil); err != nil || !v.IsNull() {
		t.Errorf("NULL prints as %v, %v", v, err)
	}
	if d.String() != "double(7,6)" || !d.Equals(sqlvalue.NewDouble(7, 6)) || d.Equals(sqlvalue.NewDouble(7, 5)) || d.Equals(types.Float64) {
		t.Error("String or Equals of a type is wrong")
	}
	buf := []byte("before")
	if got, err := d.SQL(ctx, buf, 0.25); err != nil || got.ToString() != "0.250000" {
		t.Errorf("behind other values 0.25 prints as %v, %v", got, err)
	}

	if types.IsFloat(d) {
		mendtest.NoLongerNeeded(t, "PlainDoubles in plaindoubles.go")
	}
	column := expression.NewGetFieldWithTable(1, 2, d, "db", "t", "q", true)
	sum := expression.NewPlus(column, column)
	n, _, err := PlainDoubles(ctx, nil, plan.NewProject([]sql.Expression{column, expression.NewAlias("a", column), sum}, plan.NewValues(nil)), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []sql.Type{d, d, types.Float64} {
		if got := n.(*plan.Project).Projections[i].Type(ctx); got != want {
			t.Errorf("column %d is %s, want %s", i, got, want)
		}
	}
	plain := n.(*plan.Project).Projections[2].Children()[0].(*expression.GetField)
	if plain.Type(ctx) != types.Float64 || plain.Index() != 1 || plain.TableId() != 2 || plain.Id() != column.Id() || plain.String() != column.String() {
		t.Errorf("the column in the sum is %#v", plain)
	}
}
