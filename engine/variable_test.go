package engine

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
		names = append(names, v.name)
		value := v.initial() // panics if it cannot
		if n, ok := wholeOf(value); ok && v.numeric() && (n.negative && n.signed() < v.min || !n.negative && n.magnitude > v.max) {
			t.Errorf("%s: the default %v is out of range", v.name, value)
		}
		if v.isSession() && notPersistable[v.name] && v.isGlobal() && !v.fixed {
			t.Errorf("%s cannot be persisted, and is not fixed", v.name)
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

// Whatever stands in the file, it is read or refused, and what is read is written so that it reads the same.
func FuzzPersistedFile(f *testing.F) {
	f.Add(`{"Version": 2, "mysql_dynamic_variables": {"max_connections": {"Value": "5", "Metadata": {"Host": "h", "User": "u", "Timestamp": 1}}}, "x": [1]}`)
	f.Add(`{"Version": 2, "mysql_static_variables": {"A\u0000": {"Value": "\ud800<>"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		read := func(text []byte) (*persisted, error) {
			p := &persisted{of: map[string]persistedVariable{}}
			return p, p.parse(text)
		}
		p, err := read([]byte(text))
		if err != nil {
			return
		}
		find := func(string) *variable { return nil }
		again, err := read(p.text(find))
		if err != nil || string(again.text(find)) != string(p.text(find)) || len(again.of) != len(p.of) {
			t.Errorf("%q is written as %q, %v", text, p.text(find), err)
		}
	})
}

// Values that no session has any more are forgotten, and those that some have are not made again.
func TestValuesAreForgotten(t *testing.T) {
	var states sessionStates
	begun := &variableValues{of: map[string]sql.SystemVarValue{}}
	one := states.of(begun, map[string]any{"a": uint64(1)})
	other := states.of(begun, map[string]any{"a": int64(1)})
	if states.of(begun, map[string]any{"a": uint64(1)}) != one || one == other || one.number == other.number {
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
	if states.of(begun, map[string]any{"a": uint64(1)}) != one {
		t.Error("values that a session has are forgotten")
	}
}
