package instr

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
)

// ObjectType is the kind of a schema object, OBJECT_TYPE. A temporary table is a table.
type ObjectType uint8

// The types, in the order of setup_objects.
const (
	ObjectEvent ObjectType = iota
	ObjectFunction
	ObjectProcedure
	ObjectTable
	ObjectTrigger
	ObjectTypeCount
)

// SetupObject is a row of setup_objects. "%" stands for any schema or name.
//
// Type, schema and name are its key. Schemas, and the names of tables and triggers, are the
// same if they are the same byte for byte; the names of events, functions and procedures if
// they differ in letter case alone, by Unicode's simple folding.
type SetupObject struct {
	Type           ObjectType
	Schema, Name   string
	Enabled, Timed bool
}

// anyObject is the pattern for any schema or name.
const anyObject = "%"

// objectKey is the key of a row. The name is folded for types whose names are compared without
// regard to letter case.
type objectKey struct {
	kind         ObjectType
	schema, name string
}

func newObjectKey(t ObjectType, schema, name string) objectKey {
	switch t {
	case ObjectEvent, ObjectFunction, ObjectProcedure:
		name = strings.Map(fold, name)
	}
	return objectKey{t, schema, name}
}

// fold returns the first of all letters that only differ from c in their case.
func fold(c rune) rune {
	least := c
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}

// setupObjects is the table setup_objects. The zero setupObjects is empty.
type setupObjects struct {
	mu   sync.Mutex
	rows map[objectKey]objectRow // guarded by mu
	next uint64                  // the place of the next row; guarded by mu
	// folded are the keys of rows by schema and name in lower case; guarded by mu.
	folded map[objectKey]map[objectKey]struct{}

	// copy is the switches of all rows, in a map that never changes. Each change of the rows sets
	// copy to nil; the next reader makes a new map.
	copy atomic.Pointer[map[objectKey]objectSwitches]
}

type objectRow struct {
	SetupObject
	place uint64
}

type objectSwitches struct{ enabled, timed bool }

// addDefaults adds the rows that there are from the start.
func (s *setupObjects) addDefaults() {
	for t := range ObjectTypeCount {
		for _, schema := range []string{"mysql", "performance_schema", "information_schema", anyObject} {
			on := schema == anyObject
			s.put(newObjectKey(t, schema, anyObject), SetupObject{t, schema, anyObject, on, on})
		}
	}
}

// folded is the common key of all rows that only differ in the case of ASCII letters.
func (o *SetupObject) folded() objectKey {
	return objectKey{o.Type, lowerASCII(o.Schema), lowerASCII(o.Name)}
}

// put adds a row. The caller holds mu, or is making the registry.
func (s *setupObjects) put(key objectKey, o SetupObject) {
	if s.rows == nil {
		s.rows, s.folded = map[objectKey]objectRow{}, map[objectKey]map[objectKey]struct{}{}
	}
	s.rows[key] = objectRow{o, s.next}
	folded := o.folded()
	if s.folded[folded] == nil {
		s.folded[folded] = map[objectKey]struct{}{}
	}
	s.folded[folded][key] = struct{}{}
	s.next++
}

// switches returns the copy of all rows' switches.
func (s *setupObjects) switches() *map[objectKey]objectSwitches {
	if all := s.copy.Load(); all != nil {
		return all
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[objectKey]objectSwitches, len(s.rows))
	for key, row := range s.rows {
		all[key] = objectSwitches{row.Enabled, row.Timed}
	}
	s.copy.Store(&all)
	return &all
}

// Objects returns the rows of setup_objects, in the order in which they were added.
// Safe for concurrent use.
func (h Setup) Objects() []SetupObject {
	s := &h.r.objects
	s.mu.Lock()
	rows := make([]objectRow, 0, len(s.rows))
	for _, row := range s.rows {
		rows = append(rows, row)
	}
	s.mu.Unlock()
	return inOrder(rows)
}

// ObjectsNamed returns the rows with this type, schema and name, without regard to the case of
// ASCII letters, in the order in which they were added. Safe for concurrent use.
func (h Setup) ObjectsNamed(t ObjectType, schema, name string) []SetupObject {
	s, like := &h.r.objects, SetupObject{Type: t, Schema: schema, Name: name}
	s.mu.Lock()
	var rows []objectRow
	for key := range s.folded[like.folded()] {
		rows = append(rows, s.rows[key])
	}
	s.mu.Unlock()
	return inOrder(rows)
}

// inOrder returns rows as they were added.
func inOrder(rows []objectRow) []SetupObject {
	slices.SortFunc(rows, func(a, b objectRow) int { return cmp.Compare(a.place, b.place) })
	all := make([]SetupObject, len(rows))
	for i := range rows {
		all[i] = rows[i].SetupObject
	}
	return all
}

// mostSetupObjects is how many rows there may be without a limit, as in MySQL.
const mostSetupObjects = 128 << 10

// AddObject adds a row. It returns ErrFull when there are as many as LimitSetupObjects
// allows, or 131,072 if that is no limit, else ErrDuplicate if there is one with the same key. Safe for concurrent use.
func (h Setup) AddObject(o SetupObject) error {
	s, key := &h.r.objects, newObjectKey(o.Type, o.Schema, o.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rows) >= h.rowsOf(LimitSetupObjects, mostSetupObjects) {
		return ErrFull
	}
	if _, there := s.rows[key]; there {
		return ErrDuplicate
	}
	h.r.noteNames(o.Schema, o.Name)
	s.put(key, o)
	s.copy.Store(nil)
	return nil
}

// UpdateObject lets set change the switches of the row with the same type, schema and
// name as o, if there is one. set must not use the registry. Safe for concurrent use.
func (h Setup) UpdateObject(o SetupObject, set func(row *SetupObject)) {
	s, key := &h.r.objects, newObjectKey(o.Type, o.Schema, o.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if row, there := s.rows[key]; there {
		changed := row.SetupObject
		set(&changed)
		row.Enabled, row.Timed = changed.Enabled, changed.Timed
		s.rows[key] = row
		s.copy.Store(nil)
	}
}

// RemoveObject removes the row with this type, schema and name, if there is one. Safe
// for concurrent use.
func (h Setup) RemoveObject(t ObjectType, schema, name string) {
	s := &h.r.objects
	s.mu.Lock()
	defer s.mu.Unlock()
	key := newObjectKey(t, schema, name)
	row, there := s.rows[key]
	if !there {
		return
	}
	delete(s.rows, key)
	folded := row.folded()
	if delete(s.folded[folded], key); len(s.folded[folded]) == 0 {
		delete(s.folded, folded)
	}
	s.copy.Store(nil)
}

// ClearObjects removes all rows: TRUNCATE. Safe for concurrent use.
func (h Setup) ClearObjects() {
	s := &h.r.objects
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows, s.folded = nil, nil
	s.copy.Store(nil)
}

// objectWatch remembers what setup_objects says of an object. The zero objectWatch remembers
// nothing. Safe for concurrent use.
type objectWatch struct {
	last atomic.Pointer[watchedSwitches]
}

// watchedSwitches is what one version of setup_objects says of an object.
type watchedSwitches struct {
	objectSwitches
	of *map[objectKey]objectSwitches
}

// switches is what setup_objects says now of the object, which must be the same in each call.
func (w *objectWatch) switches(r *Registry, t ObjectType, schema, name string) objectSwitches {
	all := r.objects.switches()
	if s := w.last.Load(); s != nil && s.of == all {
		return s.objectSwitches
	}
	s := &watchedSwitches{lookUpObject(*all, t, schema, name), all}
	w.last.Store(s)
	return s.objectSwitches
}

// ObjectSwitches is what setup_objects says of an object. Its own row decides, else the row with
// its schema and the name %, else the row with % for both; without any of these the object is off.
// A row with the schema % and another name than % applies to no object. Safe for concurrent use,
// and without a lock but for the first call after a change.
func (h Setup) ObjectSwitches(t ObjectType, schema, name string) (enabled, timed bool) {
	s := lookUpObject(*h.r.objects.switches(), t, schema, name)
	return s.enabled, s.timed
}

// lookUpObject is ObjectSwitches in a copy of the rows' switches.
func lookUpObject(all map[objectKey]objectSwitches, t ObjectType, schema, name string) objectSwitches {
	for _, key := range [...]objectKey{newObjectKey(t, schema, name), {t, schema, anyObject}, {t, anyObject, anyObject}} {
		if s, ok := all[key]; ok {
			return s
		}
	}
	return objectSwitches{}
}
