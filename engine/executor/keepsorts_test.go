package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
)

// stopping is a sort key. After it has been evaluated a number of times, its statement is killed.
type stopping struct {
	expression.UnaryExpressionStub
	kill  context.CancelCauseFunc
	asked int
}

const stoppingAfter = 10_000

var errStopped = errors.New("stopped")

func (s *stopping) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if s.asked++; s.asked == stoppingAfter {
		s.kill(errStopped)
	}
	return s.Child.Eval(ctx, row)
}

func (s *stopping) Type(*sql.Context) sql.Type { return types.Int64 }

func (s *stopping) String() string { return "k" }

func (s *stopping) WithChildren(*sql.Context, ...sql.Expression) (sql.Expression, error) {
	return s, nil
}

// A sort ends soon after its statement has been killed.
func TestSortsCanBeStopped(t *testing.T) {
	var rows []sql.Row
	for i := range 50_000 {
		rows = append(rows, sql.Row{int64(i * 7919 % 50_000)})
	}
	for name, sorted := range map[string]func(*sql.Context, sql.SortFields) error{
		"ORDER BY": func(ctx *sql.Context, fields sql.SortFields) error {
			_, err := NewSort(ctx, SortFields(ctx, fields), sql.RowsToRowIter(rows...)).Next(ctx)
			return err
		},
		"LIMIT": func(ctx *sql.Context, fields sql.SortFields) error {
			n := &plan.TopN{UnaryNode: plan.UnaryNode{Child: plan.NewResolvedDualTable()}}
			_, err := NewTop(ctx, n, SortFields(ctx, fields), 10, sql.RowsToRowIter(rows...)).Next(ctx)
			return err
		},
		"OVER": func(ctx *sql.Context, fields sql.SortFields) error {
			_, err := (&partitions{order: SortFields(ctx, fields)}).sorted(ctx, rows)
			return err
		},
		"GROUP_CONCAT": func(ctx *sql.Context, fields sql.SortFields) error {
			_, err := (&concatBuffer{order: fields, keys: rows, rows: make([]string, len(rows))}).Eval(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent, kill := context.WithCancelCause(context.Background())
			defer kill(nil)
			key := &stopping{expression.UnaryExpressionStub{Child: expression.NewGetField(0, types.Int64, "k", false)}, kill, 0}
			err := sorted(sql.NewContext(parent), sql.SortFields{{Column: key, Order: sql.Ascending}})
			if err == nil {
				t.Error("the sort was not stopped")
			}
			if key.asked > stoppingAfter+max(pacedKeys, sortPace) {
				t.Errorf("the key was evaluated %d times after KILL", key.asked-stoppingAfter)
			}
		})
	}
}

// comparedTypes returns types of columns, each with a function that makes random values of the
// type.
func comparedTypes() map[sql.Type]func(*rand.Rand) any {
	runes := []rune("aAbBéÉßñ 0~\x00\u0301Жж日ｶカ\uffff😀")
	text := func(r *rand.Rand) any {
		var b strings.Builder
		for range r.IntN(6) {
			if r.IntN(20) == 0 {
				b.WriteByte(byte(0x80 + r.IntN(0x80))) // not UTF-8
			}
			b.WriteRune(runes[r.IntN(len(runes))])
		}
		return b.String()
	}
	all := map[sql.Type]func(*rand.Rand) any{
		types.Int32:   func(r *rand.Rand) any { return int32(r.IntN(9) - 4) },
		types.Int64:   func(r *rand.Rand) any { return []any{r.Int64() - r.Int64(), int64(r.IntN(5)), int32(3)}[r.IntN(3)] },
		types.Uint64:  func(r *rand.Rand) any { return []any{r.Uint64(), uint64(r.IntN(5)), uint32(3), int64(2)}[r.IntN(4)] },
		types.Float64: func(r *rand.Rand) any { return float64(r.IntN(9)) / 4 },
		types.Blob:    func(r *rand.Rand) any { return []byte(text(r).(string)) },
	}
	for _, c := range []sql.CollationID{
		sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_0900_bin, sql.Collation_utf8mb4_general_ci, sql.Collation_utf8mb4_unicode_ci,
		sql.Collation_latin1_swedish_ci, sql.Collation_utf8mb4_ja_0900_as_cs, sql.Collation_binary,
	} {
		all[types.MustCreateString(querypb.Type_VARCHAR, 100, c)] = text
	}
	return all
}

// Values compare as the types of go-mysql-server compare them.
func TestComparisons(t *testing.T) {
	ctx := sql.NewEmptyContext()
	for typ, next := range comparedTypes() {
		r := rand.New(rand.NewPCG(1, 2))
		compare := orderOf(typ)
		for range 5000 {
			a, b := next(r), next(r)
			want, wantErr := typ.Compare(ctx, a, b)
			if got, err := compare(ctx, a, b); got != want || (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: %#v and %#v compare as %d, %v, want %d, %v", typ, a, b, got, err, want, wantErr)
			}
		}
	}
}

// Rows have the order that go-mysql-server's sort gives them, and equal rows keep their order.
func TestSort(t *testing.T) {
	ctx := sql.NewEmptyContext()
	for typ, next := range comparedTypes() {
		r := rand.New(rand.NewPCG(3, 4))
		for _, n := range []int{0, 1, 2, 20, 500} {
			var rows []sql.Row
			for i := range n {
				row := sql.Row{next(r), int64(r.IntN(3)), int64(i)}
				for j := range 2 {
					if r.IntN(5) == 0 {
						row[j] = nil
					}
				}
				rows = append(rows, row)
			}
			for way := range 16 {
				fields := sql.SortFields{
					{Column: expression.NewGetField(0, typ, "x", true)}, {Column: expression.NewIsNull(expression.NewGetField(1, types.Int64, "y", true))},
				}
				for i := range fields {
					fields[i].Order = []sql.SortOrder{sql.Ascending, sql.Descending}[way>>i&1]
					fields[i].NullOrdering = []sql.NullOrdering{sql.NullsFirst, sql.NullsLast}[way>>(2+i)&1]
				}
				sorted := func(rows sql.RowIter) string {
					var b strings.Builder
					for {
						row, err := rows.Next(ctx)
						if err == io.EOF {
							return b.String()
						}
						if err != nil {
							t.Fatal(err)
						}
						fmt.Fprintf(&b, "%q\n", row)
					}
				}
				want := sorted(iters.NewSortIter(fields, sql.RowsToRowIter(rows...)))
				if got := sorted(NewSort(ctx, fields, sql.RowsToRowIter(rows...))); got != want {
					t.Fatalf("%s, %d rows by %v:\n%s\nwant\n%s", typ, n, fields, got, want)
				}
			}
		}
	}
}
