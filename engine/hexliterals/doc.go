// Package hexliterals makes numbers of hexadecimal literals (0x1F, x'1F') where MySQL asks for numbers: in columns of numbers
// ([Stored], [Values]) and beside numbers in comparisons ([Compared]). Everywhere else they are bytes.
//
// Begin reading with hexliterals.go. The functions are safe for concurrent use.
//
// Called by sqlexpr. Calls mends.
package hexliterals
