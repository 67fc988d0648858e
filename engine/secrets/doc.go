// Package secrets keeps passwords out of the statements that tables, the log and error messages show.
//
//  1. Hide is for a text that has not been parsed, or cannot be parsed.
//  2. HideParsed is for a statement that has been parsed.
//  3. HideIn is for the error message of a statement.
//
// A text that cannot be parsed may have a password anywhere, and its quotes may be wrong. So it is
// cut at the first quote, or behind the first word that resembles one that passwords follow: up to
// two letters may be missing, wrong or added, with anything between the letters. Of parsed
// statements about accounts more is shown: package accounts finds their passwords exactly.
//
// All of it is safe for concurrent use, and allocates only where something is hidden.
//
// Called by connection, diagnostics, plancache, prepared, programs and uservars. Calls no other
// package of the module. Begin reading with secrets.go.
package secrets
