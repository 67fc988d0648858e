package vtable

import (
	"testing"

	"pfsd/tables"
)

func TestKeySet(t *testing.T) {
	var s keySet
	text := func(s string) tables.Key { return tables.Key{{Column: "a", Value: tables.Text(s)}} }
	number := func(n uint64) tables.Key { return tables.Key{{Column: "a", Value: tables.Uint(n)}} }
	for _, step := range []struct {
		key  tables.Key
		want bool
	}{
		{text("abc"), true}, {text("ABC"), false}, {text("abd"), true}, {text("\u212a"), true}, {text("k"), false}, {text("\xff"), true},
		{number(1), true}, {number(1), false}, {tables.Key{{Column: "b", Value: tables.Uint(2)}}, false}, {number(2), true},
	} {
		if got := s.add(step.key); got != step.want {
			t.Errorf("%v: %v", step.key, got)
		}
	}
}

// A key is only compared with keys that have the same hash.
func TestKeySetOfMany(t *testing.T) {
	const many = 20_000
	var s keySet
	for i := range uint64(many) {
		if !s.add(tables.Key{{Column: "a", Value: tables.Uint(i)}}) {
			t.Fatal(i)
		}
	}
	for _, keys := range s.byHash {
		if len(keys) > 2 {
			t.Errorf("%d keys have one hash", len(keys))
		}
	}
}
