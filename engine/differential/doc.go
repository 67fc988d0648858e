// Differential looks for wrong answers: it makes tables, rows and statements at random, and holds the answers against each other.
//
// "make differential" runs it for TIME with SEED. Where MariaDB 10.11 is installed, the tool starts it on a free port beside pfsd, and both servers
// get the same queries and changes: rows, errors, affected rows, warnings, insert ids, types and lengths of columns must be the same. The other
// oracles need no second server:
//
//   - ways: the same query again (a kept plan), prepared, with parameters, as a derived table, a common table expression, a view, with its
//     condition outside, with each index and with none, in tables without keys, with hints about joins, with the tables in another order.
//   - partition (ternary logic partitioning): the rows for which a condition is true, false and NULL are together all rows.
//   - norec: as many rows fulfil a condition in WHERE as have a true value for it.
//   - outer: an outer join is the inner one and the rows without a match.
//   - change: DELETE and UPDATE change the rows that SELECT finds.
//
// A part of the worlds are tables of performance_schema, while nothing is recorded. A statement that fails is made smaller as long as it fails in
// the same way, and is printed as a test in the form of testdata/sql. Differences that are known stand in two lists: mariadb.tsv has what the two
// servers do differently by right, open.tsv what nobody has mended yet.
//
// To delete a line of open.tsv when its difference is mended: take it out, run "make differential TIME=5m" and the tests of this package.
//
// Files: main.go makes worlds and asks about them; types.go, world.go and frozen.go make tables; expressions.go, queries.go and changes.go
// make statements, which are trees (tree.go); trial.go has the list of oracles, ways.go, logic.go and mirror.go have the oracles; compare.go compares
// answers; rules.go reads the lists; shrink.go makes failures smaller, and report.go prints them; servers.go starts servers and keeps
// connections, client.go is the client.
//
// Called by people, as a command, and by its tests. Calls nothing of the module. Begin reading with main.go.
package main
