package compat

import ast "github.com/dolthub/vitess/go/vt/sqlparser"

// The names that replace SUM and AVG in a syntax tree: go-mysql-server calculates everything called sum or avg as DOUBLE. No statement
// can call functions by these names without quotes.
var (
	sumName = ast.NewColIdent("sum exact")
	avgName = ast.NewColIdent("avg exact")
)

// groupConcatName is the aggregate that replaces GROUP_CONCAT. No statement can call a function by this name without quotes.
var groupConcatName = ast.NewColIdent("group concat")

// settings is the number of arguments in front of the texts.
const settings = 5

// bucketsName is the function that wraps the argument of NTILE. No statement can call a function by this name without quotes.
var bucketsName = ast.NewColIdent("number of buckets")

// Functions that convert the argument of an aggregate to DOUBLE, and to 64 bits. No statement can call functions by these names without
// quotes.
var (
	doubleName = ast.NewColIdent("double of")
	bitsName   = ast.NewColIdent("bits of")
)
