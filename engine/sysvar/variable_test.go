package sysvar

import (
	"runtime"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// The declarations are sorted by name, each name occurs once, and each default is one of the
// variable's values.
func TestVariableDeclarations(t *testing.T) {
	var names []string
	for _, v := range mysqlVariables {
		names = append(names, v.Name)
		value := v.initial() // panics if the variable cannot have its default
		if n, ok := integerOf(value); ok && v.numeric() && (n.negative && n.signed() < v.Min || !n.negative && n.magnitude > v.Max) {
			t.Errorf("%s: the default %v is out of range", v.Name, value)
		}
		if v.isSession() && notPersistable[v.Name] && v.IsGlobal() && !v.Fixed {
			t.Errorf("%s cannot be persisted, but is not read-only", v.Name)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("names are not sorted, or occur twice")
	}
	for name := range notPersistable {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not a variable", name)
		}
	}
}

// Values that no session uses are forgotten. Values that a session uses are shared with new
// sessions.
func TestValuesAreForgotten(t *testing.T) {
	var states sessionStates
	begun := &globalValues{values: map[string]sql.SystemVarValue{}}
	one := states.valuesFor(begun, map[string]any{"a": uint64(1)})
	other := states.valuesFor(begun, map[string]any{"a": int64(1)})
	if states.valuesFor(begun, map[string]any{"a": uint64(1)}) != one || one == other || one.number == other.number {
		t.Error("equal values are not shared, or values of different types are")
	}
	left := func() int {
		runtime.GC()
		states.mu.Lock()
		defer states.mu.Unlock()
		return len(states.states)
	}
	for left() > 1 {
		runtime.KeepAlive(one)
	}
	if states.valuesFor(begun, map[string]any{"a": uint64(1)}) != one {
		t.Error("values that a session uses are forgotten")
	}
}
