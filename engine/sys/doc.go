// Package sys declares the views of the sys schema: one file for each, named after it. It
// knows nothing of SQL servers; package engine makes its database of them.
//
// MySQL's sys schema has most views twice: one that people read, with times, sizes, paths and
// statements put into words, and its twin with x$ before the name, with plain numbers, for
// programs. Here one file declares both, so that they cannot disagree.
//
// # How to add a view
//
//  1. Make the file views/view_name.sql. It begins with a comment that says what a row is and in
//     which order rows come: the documentation of the view.
//
//  2. Write the query below, anew from the manual and the tables that it reads. SELECT begins a
//     line; each column of it stands on a line, or on several, of its own, has a name given with
//     AS, and ends with a comment that is its type in the x$ view:
//
//     SELECT {statement: DIGEST_TEXT} AS query,           -- longtext
//     {time: SUM_TIMER_WAIT}   AS total_latency,          -- bigint unsigned NOT NULL
//     COUNT_STAR               AS exec_count              -- bigint unsigned NOT NULL
//     FROM performance_schema.events_statements_summary_by_digest
//
//  3. A marker stands for its expression in the x$ view, and for that put into words in the other:
//     {time: picoseconds}, {bytes: number}, {path: file} and {statement: text}. A column that is
//     a marker and no more has the marker's type in the other view; where that is not so, the
//     comment gives both, as in "-- text / decimal(42,0)". A view without markers has no twin, nor
//     has one whose file's name begins with x$.
//
//  4. A column that the x$ view alone has says so: "-- x$ only: bigint unsigned NOT NULL".
//
//  5. Name every table with its schema. A view may read another view of sys; read its x$ twin, put
//     numbers into words where they are shown, and order by numbers.
//
//  6. Let the list in docs/sys.md be written: go test ./engine -run TestSysDocumented -rewrite-docs.
//
// The tests compare columns and types with MySQL's (testdata/mysql84/sys_views.tsv), run each view
// on rows, and compare the twins row by row. A view has to have rows in the test's workload.
//
// The types are those that clients are told, whatever the SQL engine makes of an expression.
// Everything here is safe for concurrent use.
//
// Called by many packages of engine. Calls no other package of the module. Begin reading with
// view.go.
package sys
