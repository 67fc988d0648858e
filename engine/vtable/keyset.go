package vtable

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"pfsd/tables"
)

// keySet is a set of keys of the same columns. It ignores letter case. The zero value is empty. Owned by one
// goroutine.
type keySet struct {
	seed   maphash.Seed
	byHash map[uint64][]tables.Key
	first  tables.Key
}

// add adds a key. It reports false if the set has it already, or has keys of other columns.
func (s *keySet) add(key tables.Key) bool {
	if s.byHash == nil {
		s.seed, s.byHash, s.first = maphash.MakeSeed(), map[uint64][]tables.Key{}, key
	}
	if !sameColumns(s.first, key) {
		return false
	}
	hash := s.hash(key)
	for _, k := range s.byHash[hash] {
		if sameKey(k, key) {
			return false
		}
	}
	s.byHash[hash] = append(s.byHash[hash], key)
	return true
}

// hash is the same for keys that are the same.
func (s *keySet) hash(key tables.Key) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, eq := range key {
		if eq.Value.IsText() {
			maphash.WriteComparable(&h, strings.Map(leastCase, eq.Value.Str()))
		} else {
			maphash.WriteComparable(&h, eq.Value)
		}
	}
	return h.Sum64()
}

// leastCase returns the least character that differs from c only in letter case.
func leastCase(c rune) rune {
	least := c
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

func sameColumns(a, b tables.Key) bool {
	return slices.EqualFunc(a, b, func(x, y tables.Eq) bool { return x.Column == y.Column })
}

func sameKey(a, b tables.Key) bool {
	return slices.EqualFunc(a, b, func(x, y tables.Eq) bool {
		if x.Value.IsText() && y.Value.IsText() {
			return strings.EqualFold(x.Value.Str(), y.Value.Str())
		}
		return x.Value == y.Value
	})
}
