package compat

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
)

// Sessions have the values of their system variables in common until they set some.
//
// go-mysql-server: a session has a map of all system variables of its own, 56 KiB, more than all else that an idle connection takes,
// and no way to give it another. MySQL: a session's variables are a struct of some KiB. Here the field that holds the map is found once, by its name and type,
// and set; where there is none, each session gets a map of its own.

// sessionValues is the field of a session with the values of its system variables, sharesValues tells whether there is one.
var sessionValues, sharesValues = func() (reflect.StructField, bool) {
	f, ok := reflect.TypeFor[sql.BaseSession]().FieldByName("systemVars")
	return f, ok && f.Type == reflect.TypeFor[map[string]sql.SystemVarValue]()
}()

// baseOf is what of a session holds the values, nil if nothing does: what it embeds.
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

// baseFields are the fields of types of sessions that hold a *sql.BaseSession, -1 for none, by reflect.Type.
var baseFields sync.Map

// SessionValues are the values of a session's system variables, nil if they cannot be had. Nobody changes them.
func SessionValues(s sql.Session) map[string]sql.SystemVarValue {
	if base := baseOf(s); base != nil && sharesValues {
		return *valuesAt(base)
	}
	return nil
}

// SetSessionValues gives a session of which SessionValues has been got others. It is for the session's goroutine.
func SetSessionValues(s sql.Session, values map[string]sql.SystemVarValue) {
	*valuesAt(baseOf(s)) = values
}

func valuesAt(base *sql.BaseSession) *map[string]sql.SystemVarValue {
	return (*map[string]sql.SystemVarValue)(unsafe.Add(unsafe.Pointer(base), sessionValues.Offset))
}

// OwnSessionValues gives a session a copy of its values, before one of them is set in place.
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
