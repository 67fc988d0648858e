package engine

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/catalog"
)

// needGeneralFunctions skips a test of functions that package mysqlfuncs has, where the build tag nomysqlfuncs leaves them out.
func needGeneralFunctions(t *testing.T) {
	t.Helper()
	if missingFunction("lpad") {
		t.Skip("this test is of package mysqlfuncs, which is left out")
	}
}

// missingFunction tells whether a function is missing where mysqlfuncs is left out: a call of it is refused whatever its arguments are.
func missingFunction(name string) bool {
	f, ok := catalog.Functions[name]
	if !ok {
		return false
	}
	_, err := f.NewInstance(sql.NewEmptyContext(), nil)
	return err != nil && sql.ErrFunctionNotFound.Is(err)
}
