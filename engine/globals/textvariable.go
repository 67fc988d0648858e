package globals

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// textVariable is the type of a text system variable. Safe for concurrent use.
//
// go-mysql-server: the type of such a variable cannot take another collation, and COLLATE panics.
// User variables with its value, CASE, and columns of derived tables have the same type. MySQL: its
// type is that of any other text.
type textVariable struct{ systemText }

// systemText is the interface of go-mysql-server's type for text system variables.
type systemText interface {
	sql.SystemVariableType
	sql.StringType
}

// TextVariable returns the type of the text system variable with a name.
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
