package sqlexpr

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// The names that replace SUM and AVG in a syntax tree: go-mysql-server calculates everything called
// sum or avg as DOUBLE. No statement can call functions by these names without quotes.
var (
	SumName = ast.NewColIdent("sum exact")
	AvgName = ast.NewColIdent("avg exact")
)

// GroupConcatName is the aggregate that replaces GROUP_CONCAT. No statement can call a function by
// this name without quotes.
var GroupConcatName = ast.NewColIdent("group concat")

// GroupConcatSettings is the number of arguments in front of the texts.
const GroupConcatSettings = 5

// BucketsName is the function that wraps the argument of NTILE. No statement can call a function by
// this name without quotes.
var BucketsName = ast.NewColIdent("number of buckets")

// Functions that convert the argument of an aggregate to DOUBLE, and to 64 bits. No statement can
// call functions by these names without quotes.
var (
	DoubleName = ast.NewColIdent("double of")
	BitsName   = ast.NewColIdent("bits of")
)
