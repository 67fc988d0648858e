// Package plancache makes the plans of statements, and keeps the plans of statements that come
// again: making a plan takes ten times as long as reading a short table.
//
// A [Planner] parses a text, or finds the plan that is kept for it ([Planner.Parse],
// [Planner.FindPrepared]), and executes the statement ([Planner.Rows]). For each connection there
// is a [Session], which records what happens while a plan is made.
//
// A plan is kept if it depends only on what is in its [Key]. The functions in it return the same
// results for the same arguments (repeatable.go). Its parts keep nothing from one execution to the
// next (keepable.go); parts that keep rows during an execution are replaced by new ones each time.
// The [Step]s of making the plan are repeated at each use, in the same order: privileges are
// checked, those for columns too, and stages begin. Only one statement at a time uses a plan. Plans of users' tables serve
// other values, too (values.go, form.go, package kept).
//
// The weight of the plans in a [Cache] is limited; the plans that have not been used for the
// longest time are removed first. A plan is kept when its text comes for the second time.
//
// Called by package connection. Calls go-mysql-server, which plans and executes; kept; session,
// access, rights and usertables for what a plan depends on. A Planner and a Cache are safe for concurrent
// use, a Session is owned by the goroutine of its connection. Begin reading with planner.go.
package plancache
