// Package charge counts the memory of the rows that a statement keeps, in the accounts of package budget.
//
// There are two ways. Where go-mysql-server keeps rows, NewRows wraps the iterator that it reads them
// from, and charges each row that passes. Our own code charges a budget.Hold with RowSize or Size when
// it adds a row. Of finds the account of the statement of a context; where there is none, nothing is
// counted.
//
// A size is an estimate of the heap memory of a value, with what it refers to and without the overhead of
// Go's allocator. A value that several rows share is counted for each of them, unless the row before has
// it in the same column.
//
// Iterators belong to one goroutine; the functions are safe for concurrent use.
//
// size.go has the sizes, rows.go the iterators, columns.go rows while they are made, subquery.go the rows of
// subqueries, tree.go syntax trees.
//
// Called by many packages of engine. Calls budget and instr. Begin reading with rows.go.
package charge
