package routine

import (
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
)

// Trigger changes the SET statements of a CREATE TRIGGER.
//
// go-mysql-server: in a trigger, SET @name sets the column of this name, if the table has one.
// MySQL: sets the user variable.
func Trigger(s ast.Statement) {
	if !mends.TriggerVariables.On() {
		return
	}
	d, ok := s.(*ast.DDL)
	if !ok || d.TriggerSpec == nil {
		return
	}
	for _, s := range leaves(nil, d.TriggerSpec.Body) {
		if set, ok := s.(*ast.Set); ok {
			for _, e := range set.Exprs {
				if e.Scope == ast.SetScope_User && e.Name.Qualifier.IsEmpty() {
					e.Name, e.Scope = ast.NewColName("@"+e.Name.Name.String()), ast.SetScope_None
				}
			}
		}
	}
}
