package globals

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
)

// The sessions of a server share a map of system variables until they set one.
//
// go-mysql-server: each session has a map of all system variables, 56 KiB, which is most of the
// memory of an idle connection, and there is no way to replace it. MySQL: a session's variables are
// a struct of some KiB. This file finds the field with the map by its name and type, once, and sets
// it; if there is no such field, each session has a map of its own.

// sessionValues is the field of a session with its system variables; sharesValues reports whether
// there is one.
var sessionValues, sharesValues = func() (reflect.StructField, bool) {
	f, ok := reflect.TypeFor[sql.BaseSession]().FieldByName("systemVars")
	return f, ok && f.Type == reflect.TypeFor[map[string]sql.SystemVarValue]()
}()

// baseOf returns the base session inside a session, nil if there is none.
func baseOf(s sql.Session) *sql.BaseSession {
	if base, ok := s.(*sql.BaseSession); ok {
		return base
	}
	v := reflect.ValueOf(s)
	at, ok := baseFields.Load(v.Type())
	if !ok {
		at = -1
		if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
			if f, ok := v.Type().Elem().FieldByName("BaseSession"); ok && len(f.Index) == 1 && f.Type == reflect.TypeFor[*sql.BaseSession]() {
				at = f.Index[0]
			}
		}
		baseFields.Store(v.Type(), at)
	}
	if at.(int) < 0 {
		return nil
	}
	return v.Elem().Field(at.(int)).Interface().(*sql.BaseSession)
}

// baseFields maps the reflect.Type of a session to the index of its field of type *sql.BaseSession,
// -1 if there is none.
var baseFields sync.Map

// SessionValues returns a session's system variables, nil if they cannot be read. Do not change them.
func SessionValues(s sql.Session) map[string]sql.SystemVarValue {
	if base := baseOf(s); base != nil && sharesValues {
		return *valuesAt(base)
	}
	return nil
}

// SetSessionValues replaces the system variables of a session for which SessionValues is not nil.
// Call it on the session's goroutine.
func SetSessionValues(s sql.Session, values map[string]sql.SystemVarValue) {
	*valuesAt(baseOf(s)) = values
}

func valuesAt(base *sql.BaseSession) *map[string]sql.SystemVarValue {
	return (*map[string]sql.SystemVarValue)(unsafe.Add(unsafe.Pointer(base), sessionValues.Offset))
}

// OwnSessionValues gives a session its own copy of its variables. Call it before one of them is set.
func OwnSessionValues(s sql.Session) {
	if values := SessionValues(s); values != nil {
		SetSessionValues(s, copyOf(values))
	}
}

func copyOf(values map[string]sql.SystemVarValue) map[string]sql.SystemVarValue {
	own := make(map[string]sql.SystemVarValue, len(values))
	for name, value := range values {
		own[name] = value
	}
	return own
}
