// Package collations finds the collation of texts: by which they are compared and sorted, and which one a text has that is made of others.
//
// collations.go has MySQL's rule ([Resolve]) and what it says of an expression ([Of], [CoercibilityOf]), of the sides of a comparison ([OfBoth])
// and of a list ([InCommon]); collated.go the expression that carries a collation, told.go COLLATION and
// COERCIBILITY, illegal.go the error for texts that have no collation in common. Begin reading with collations.go. The functions are safe for
// concurrent use.
//
// Called by sqlexpr, builtins, mysqlfuncs, settypes and executor. Calls sqlvalue.
package collations
