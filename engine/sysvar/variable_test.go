package sysvar

import (
	"runtime"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// The declarations are in order, each name once, with a default that is one of its values.
func TestVariableDeclarations(t *testing.T) {
	var names []string
	for _, v := range mysqlVariables {
		names = append(names, v.Name)
		value := v.initial() // panics if it cannot
		if n, ok := integerOf(value); ok && v.numeric() && (n.negative && n.signed() < v.Min || !n.negative && n.magnitude > v.Max) {
			t.Errorf("%s: the default %v is out of range", v.Name, value)
		}
		if v.isSession() && notPersistable[v.Name] && v.IsGlobal() && !v.Fixed {
			t.Errorf("%s cannot be persisted, and is not fixed", v.Name)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("not in order, or twice")
	}
	for name := range notPersistable {
		if !slices.Contains(names, name) {
			t.Errorf("%s is no variable", name)
		}
	}
}

// Values that no session has any more are forgotten, and those that some have are not made again.
func TestValuesAreForgotten(t *testing.T) {
	var states sessionStates
	begun := &globalValues{values: map[string]sql.SystemVarValue{}}
	one := states.valuesFor(begun, map[string]any{"a": uint64(1)})
	other := states.valuesFor(begun, map[string]any{"a": int64(1)})
	if states.valuesFor(begun, map[string]any{"a": uint64(1)}) != one || one == other || one.number == other.number {
		t.Error("values of one type and number are not the same, or those of two are")
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
		t.Error("values that a session has are forgotten")
	}
}
