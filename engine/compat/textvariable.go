package compat

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// textVariable is the type of a system variable that is a text. Safe for concurrent use.
//
// go-mysql-server: the type of such a variable has no collation that another could take the place of. It is also that of a user variable with its
// value, of CASE, and of columns of derived tables, and COLLATE behind these panics. MySQL: it is a text as others are.
type textVariable struct{ systemText }

// systemText is what the SQL engine's type of such variables implements.
type systemText interface {
	sql.SystemVariableType
	sql.StringType
}

// TextVariable returns the type of the system variable with a name, which is a text.
func TextVariable(name string) sql.Type {
	return textVariable{types.NewSystemStringType(name).(systemText)}
}

var _ sql.TypeWithCollation = textVariable{}

// Equals implements sql.Type.
func (t textVariable) Equals(o sql.Type) bool {
	other, ok := o.(textVariable)
	return ok && t.systemText.Equals(other.systemText)
}

// Promote implements sql.Type.
func (t textVariable) Promote() sql.Type { return t }

// WithNewCollation implements sql.TypeWithCollation.
func (textVariable) WithNewCollation(c sql.CollationID) (sql.Type, error) {
	return types.CreateLongText(c), nil
}

// StringWithTableCollation implements sql.TypeWithCollation.
func (t textVariable) StringWithTableCollation(sql.CollationID) string { return t.String() }
