// Package alldigits lets the expressions of a statement calculate with all digits of a quotient, and
// not only with those that a client sees.
//
// exactness.go decides where ([Exactness], [WithAllDigits]); alldigits.go has the expressions that it
// puts there. Begin reading with exactness.go. The functions change the plan of one statement, and
// belong to its goroutine; the expressions are safe for concurrent use.
//
// Called by connection, executor, plancache and planning. Calls mends, sqlexpr and sqlvalue.
package alldigits
