package compat

import (
	"reflect"
	"unsafe"

	"github.com/dolthub/go-mysql-server/memory"
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

// baseOf is what of a session holds the values, nil if nothing does.
func baseOf(s sql.Session) *sql.BaseSession {
	switch s := s.(type) {
	case *memory.Session:
		return s.BaseSession
	case *sql.BaseSession:
		return s
	}
	return nil
}

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
