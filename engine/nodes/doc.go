// Package nodes says which function builds the iterator of which node of a plan.
//
// A Builders is a table of functions by the type of the node. Whoever builds a kind of node adds its function with On, once, when the
// server starts; the server asks Build about each node that the executor of go-mysql-server comes to. Adding a node is one call of On
// in the package that knows the node.
//
// Called by many packages of engine. Calls no other package of the module. Begin reading with nodes.go.
package nodes
