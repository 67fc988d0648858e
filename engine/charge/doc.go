// Package charge charges the rows that a statement keeps to its account.
//
// Whatever keeps rows is charged in one of two ways. Where the SQL engine keeps them, NewRows stands
// between that and its input, and charges each row that comes through. Where we keep them, whoever does
// charges a budget.Hold with RowSize or Size as it adds a row. Of finds the account of the statement of a
// context; where there is none, nothing is counted.
//
// A size is an estimate of the heap that a value takes: what it refers to included, and the overhead of
// Go's allocator left out. Values that rows share are counted for each of them, but for one in the same
// column of the row before.
//
// Iterators belong to one goroutine; the functions are safe for concurrent use.
//
// size.go is sizes, rows.go the iterators, columns.go rows that are being made, subquery.go what subqueries keep.
package charge
