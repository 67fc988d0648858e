package sqlvalue

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
)

// A number with a large exponent becomes a DECIMAL without memory for all of its digits.
func TestFarExponents(t *testing.T) {
	ctx := sql.NewEmptyContext()
	const number, few = "1e-100000", 20_000
	plain := types.MustCreateDecimalType(10, 2)
	if mendtest.Allocated(func() { _, _, _ = plain.Convert(ctx, number) }) < few {
		mendtest.NoLongerNeeded(t, "decimaltarget.go")
	}
	if n := mendtest.Allocated(func() { _, _, _ = Target(plain).Convert(ctx, number) }); n >= few {
		t.Errorf("%s takes %d bytes", number, n)
	}
}
