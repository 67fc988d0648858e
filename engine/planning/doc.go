// Package planning has rules for go-mysql-server's analyzer, which makes plans: the order of joins,
// GROUP BY with ONLY_FULL_GROUP_BY, sorts that an index does not make superfluous, triggers of
// other databases, and an end to the planning of a statement that has been killed.
//
// [ReplaceRule] puts a rule in the place of go-mysql-server's, and fails if there is none of that
// name. Package connection attaches them when it makes an analyzer. Begin reading at rules.go. Safe
// for concurrent use.
//
// Called by connection, engine and programs. Calls globals, mends and sqlvalue.
package planning
