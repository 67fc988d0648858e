// Package mysqlfuncs has functions of MySQL that go-mysql-server lacks or implements differently,
// and that no table, no view of sys and no recorded statement of a client needs: functions of
// times, numbers, texts, regular expressions, JSON and AES. The server runs without them: the build
// tag nomysqlfuncs leaves them out, and the tests of tables, sys and clients pass with it.
//
// A program that imports the package has its functions: its init adds them to those of package
// builtins. Each is a Definition of package sqlexpr. Package engine imports it. The package does not grow: a
// function is mended only if a table or a recorded statement of a client needs it, and then in
// builtins or sqlexpr.
//
// Called by engine, unless it is built with the tag nomysqlfuncs. Calls builtins, sqlexpr and
// sqlvalue. Begin reading with register.go.
package mysqlfuncs
