package globals

import (
	"reflect"
	"testing"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"pfsd/engine/mends/mendtest"
)

// sharedValues are the variables of a server whose sessions all begin with the same map.
type sharedValues struct {
	Variables
	values map[string]sql.SystemVarValue
}

func (s sharedValues) Session() map[string]sql.SystemVarValue { return s.values }

// TestSessionsShareTheirValues checks that the sessions of a server share one map of system
// variables until they set one.
func TestSessionsShareTheirValues(t *testing.T) {
	NewEngine(analyzer.NewDefault(memory.NewDBProvider()), sql.EmptyProcessList{})
	same := func(a, b sql.Session) bool {
		return reflect.ValueOf(SessionValues(a)).Pointer() == reflect.ValueOf(SessionValues(b)).Pointer()
	}
	defer servedVariables.Store(servedVariables.Load())
	servedVariables.Store(nil)
	if same(sql.NewBaseSession(), sql.NewBaseSession()) {
		mendtest.NoLongerNeeded(t, "sessionvalues.go")
	}
	of := Variables(sharedValues{values: map[string]sql.SystemVarValue{"a": {Val: 1}}})
	ServeVariables(func() Variables { return of })
	var one, other *sql.BaseSession
	NewSession(func() { one, other = sql.NewBaseSession(), sql.NewBaseSession() })
	if !same(one, other) {
		t.Error("two sessions have two maps")
	}
	OwnSessionValues(one)
	if same(one, other) || SessionValues(one)["a"].Val != 1 {
		t.Errorf("a session that sets a variable has %v", SessionValues(one))
	}
}
