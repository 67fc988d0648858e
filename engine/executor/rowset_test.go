package executor

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// A set of rows has each row once, in the order in which the rows came. That is so whether rows
// have hashes of their own or share a few, and whether rows repeat at once or late.
func TestRowSetIsASet(t *testing.T) {
	ctx := sql.NewEmptyContext()
	schema := sql.Schema{{Type: types.MustCreateString(sqltypes.VarChar, 10, sql.Collation_utf8mb4_0900_ai_ci)}, {Type: types.Int64}}
	for _, hashes := range []uint64{1, 3, 0} {
		for _, different := range []int{1, 5, 1000} {
			s := newRowSet(schema, nil)
			if hashes > 0 {
				s.hash = func(ctx *sql.Context, schema sql.Schema, row sql.Row) (uint64, error) {
					h, err := hashRow(ctx, schema, row)
					return h % hashes, err
				}
			}
			rng := rand.New(rand.NewPCG(hashes, uint64(different)))
			positions := map[string]int{}
			for n := range 3000 {
				i := rng.IntN(different)
				row := sql.Row{fmt.Sprintf([]string{"a%d", "A%d"}[rng.IntN(2)], i), int64(i % 7)}
				if i == 3 {
					row[0] = nil
				}
				name := fmt.Sprint(i)
				want, wantKnown := positions[name]
				if !wantKnown {
					want = len(positions)
					positions[name] = want
				}
				got, known, err := s.find(ctx, row)
				if err != nil || got != want || known != wantKnown {
					t.Fatalf("%d hashes, %d rows, row %d %v: position %d, known %t, not %d, %t: %v", hashes, different, n, row, got, known, want, wantKnown, err)
				}
			}
		}
	}
}
