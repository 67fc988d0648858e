// Package settypes gives the columns of UNION, EXCEPT and INTERSECT the types that MySQL gives them, and the
// expressions that use them too, and texts that functions make their collations.
//
// settypes.go walks through the plan of a statement ([Rule], [Mended]); setparts.go finds the parts of a set
// operation, and converts their columns, which rowcolumn.go finds by their place; madetexts.go finds collations.
// Begin reading with settypes.go. The functions change the plan of one statement, and belong to its goroutine.
//
// Called by connection, plancache and planning. Calls mends and sqlexpr.
package settypes
