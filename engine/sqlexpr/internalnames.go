package sqlexpr

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// SumName and AvgName replace the names SUM and AVG in a syntax tree, because go-mysql-server
// calculates every function called sum or avg as DOUBLE. A statement can call functions by these
// names only with quotes.
var (
	SumName = ast.NewColIdent("sum exact")
	AvgName = ast.NewColIdent("avg exact")
)

// GroupConcatName is the name of the aggregate that replaces GROUP_CONCAT. A statement can call it
// only with quotes.
var GroupConcatName = ast.NewColIdent("group concat")

// GroupConcatSettings is how many arguments of GroupConcatName are settings. They stand before the
// texts.
const GroupConcatSettings = 5

// BucketsName is the name of the function that wraps the argument of NTILE. A statement can call it
// only with quotes.
var BucketsName = ast.NewColIdent("number of buckets")

// DoubleName and BitsName are the names of functions that convert the argument of an aggregate to
// DOUBLE and to 64 bits. A statement can call them only with quotes.
var (
	DoubleName = ast.NewColIdent("double of")
	BitsName   = ast.NewColIdent("bits of")
)
