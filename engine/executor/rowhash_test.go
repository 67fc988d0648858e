package executor

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Rows that are equal by the types of their columns have the same hash; other rows have different
// hashes.
func TestHashRow(t *testing.T) {
	ctx := sql.NewEmptyContext()
	values := []any{nil, "", "a", "A", "b", "ab", "AB", "é", "E", "e", "ß", "ss", "漢字", "\ufffd", []byte("a"), []byte("É"), 5, int64(5), "5"}
	for _, c := range []sql.CollationID{sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_bin, sql.Collation_utf8mb4_general_ci, sql.Collation_latin1_swedish_ci} {
		typ := types.MustCreateString(sqltypes.VarChar, 10, c)
		schema := sql.Schema{{Type: typ}, {Type: types.Int64}}
		for _, a := range values {
			for _, b := range values {
				x, err := hashRow(ctx, schema, sql.Row{a, int64(1)})
				y, otherErr := hashRow(ctx, schema, sql.Row{b, int64(1)})
				if err != nil || otherErr != nil {
					t.Fatal(err, otherErr)
				}
				equal := a == nil && b == nil
				if a != nil && b != nil {
					order, err := typ.Compare(ctx, a, b)
					if err != nil {
						t.Fatal(err)
					}
					equal = order == 0
				}
				if equal != (x == y) {
					t.Errorf("%s: %v and %v are equal: %t, and have hashes %x and %x", c.Name(), a, b, equal, x, y)
				}
				if z, _ := hashRow(ctx, schema, sql.Row{a, int64(2)}); z == x {
					t.Errorf("%s: %v with 1 has the same hash as with 2", c.Name(), a)
				}
			}
		}
	}
	if _, err := hashRow(ctx, sql.Schema{{Type: types.LongText}}, sql.Row{"\xff"}); err == nil {
		t.Error("a text that is not UTF-8 has a hash")
	}
}
