// Package tabletest has what the tests of tables and of the server share.
//
// Called by tests of tables and of engine alone. Calls no other package of the module. Begin
// reading with facts.go.
package tabletest
