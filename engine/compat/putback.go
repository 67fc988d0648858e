package compat

import (
	"reflect"
	"unsafe"

	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/sql"
)

// sessionTables is the field of a session with the tables that it has looked at, by database and name.
var sessionTables, hasSessionTables = func() (reflect.StructField, bool) {
	f, ok := reflect.TypeFor[memory.Session]().FieldByName("tables")
	if !ok || f.Type.Kind() != reflect.Map || f.Type.Key().Kind() != reflect.Struct || f.Type.Key().NumField() != 2 {
		return f, false
	}
	key := f.Type.Key()
	return f, key.Field(0).Type.Kind() == reflect.String && key.Field(1).Type.Kind() == reflect.String
}()

// PutBack has the commit of a session's transaction put those tables back alone that written says, by their names in lower case.
//
// go-mysql-server: a commit puts back each table that the session has looked at, for information_schema too, as it was then. What others have written to it
// or altered meanwhile is gone, and where it has been dropped or renamed the statement panics. MySQL: a commit is of what the transaction has written.
// Here the field that holds the tables is found once, by its name and type; where there is none, all tables are put back.
func PutBack(s sql.Session, written func(db, table string) bool) {
	m, ok := s.(*memory.Session)
	if !ok || !hasSessionTables {
		return
	}
	all := reflect.NewAt(sessionTables.Type, unsafe.Add(unsafe.Pointer(m), sessionTables.Offset)).Elem()
	for _, key := range all.MapKeys() {
		if !written(key.Field(0).String(), key.Field(1).String()) {
			all.SetMapIndex(key, reflect.Value{})
		}
	}
}
