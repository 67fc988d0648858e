package sqltree

import (
	"reflect"
	"strings"

	"github.com/dolthub/vitess/go/mysql"
	ast "github.com/dolthub/vitess/go/vt/sqlparser"

	"pfsd/engine/mends"
	"pfsd/engine/mysqlerr"
	"pfsd/engine/syntax"
)

const vectorType = "vector"

// vectorParts finds what may make a vector of a value, or an index of vectors.
var vectorParts = syntax.NewWalker(func(t reflect.Type) bool {
	return t == reflect.TypeFor[ast.ColumnType]() || t == reflect.TypeFor[ast.ConvertType]() || t == reflect.TypeFor[ast.IndexInfo]() || t == reflect.TypeFor[ast.IndexSpec]()
})

// RefusedVectors returns the error if s, whose text query begins with, has a vector, else nil.
//
// go-mysql-server: has columns and indexes of vectors, but cannot read a vector from a text. MySQL 8.4: has neither.
func RefusedVectors(query string, s ast.Statement) *mysql.SQLError {
	if s == nil || !mends.Vectors.On() || !syntax.ContainsFold(query, vectorType) {
		return nil
	}
	has := false
	vectorParts.Walk(reflect.ValueOf(s), func(v reflect.Value) {
		name := v.FieldByName("Type").String()
		if v.Type() == reflect.TypeFor[ast.IndexInfo]() {
			has = has || v.FieldByName("Vector").Bool()
			return
		}
		has = has || strings.EqualFold(name, vectorType)
	})
	if !has {
		return nil
	}
	return mysqlerr.Syntax(" near '" + vectorType + "'")
}
