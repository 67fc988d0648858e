package globals

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"pfsd/engine/mends/mendtest"
)

// TestTextVariable checks that the type of a text variable can take another collation.
func TestTextVariable(t *testing.T) {
	if _, ok := types.NewSystemStringType("a").(sql.TypeWithCollation); ok {
		mendtest.NoLongerNeeded(t, "textvariable.go")
	}
	changed, err := TextVariable("a").(sql.TypeWithCollation).WithNewCollation(sql.Collation_utf8mb4_bin)
	if err != nil || changed.(sql.TypeWithCollation).Collation() != sql.Collation_utf8mb4_bin {
		t.Errorf("%v, %v", changed, err)
	}
}
