package sqlexpr

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
)

// If a text is compared with a time, only as many characters are read as a time can have.
func TestLongTextsBesideTimes(t *testing.T) {
	ctx := sql.NewEmptyContext()
	column := expression.NewGetField(0, types.Datetime, "t", false)
	allocations := func(length int, short bool) float64 {
		text := sql.Expression(expression.NewLiteral(strings.Repeat("1", length), types.LongText))
		if short {
			_, text, _ = shortTimes(ctx, column, text)
		}
		return testing.AllocsPerRun(1, func() {
			v, _ := text.Eval(ctx, nil)
			_, _, _ = types.Datetime.Convert(ctx, v)
		})
	}
	grows := func(short bool) bool { return allocations(2000, short) > allocations(1000, short)*3/2 }
	if !grows(false) {
		mendtest.NoLongerNeeded(t, "timetext.go")
	}
	if grows(true) {
		t.Error("a text of 2000 characters takes more than one of 1000")
	}
}
