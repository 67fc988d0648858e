// Package planning has rules for go-mysql-server's analyzer, which makes plans: the order of joins
// (joinorder.go), joins by what is equal (hashedjoins.go), the conditions of joins (outerjoins.go, nullrejection.go, nullrows.go, lostconditions.go, rangejoins.go), of derived tables
// (derivedfilters.go, onefilter.go) and of subqueries that become joins (subqueryjoins.go), indexes in correlated subqueries
// (outerindexes.go), aliases of aliases (tablealiases.go), GROUP BY with ONLY_FULL_GROUP_BY (fullgroupby.go), sorts of rows that come
// through an index, and MAX of a key (keepsorts.go), columns that subqueries beside windows use (windowcolumns.go), triggers of other
// databases (triggers.go) and of rows (rowtriggers.go), names that are ambiguous (ambiguousnames.go), views and
// transactions (viewcommit.go). It also ends the planning of a statement that is killed
// (planning.go), and shows the plan of a statement before it is optimised ([Query], query.go).
//
// [ReplaceRule] puts a rule in the place of a rule of go-mysql-server, and fails if that has no
// rule of this name. Package connection attaches the rules when it makes an analyzer. Begin reading
// at rules.go. Safe for concurrent use.
//
// Called by connection, engine, plancache and programs. Calls builtins, globals, mends, mysqlerr, routine, sqlvalue and syntax.
package planning
