// Package plancache has statements planned, and keeps the plans of statements that come again: making a plan takes ten times as long as
// reading a short table.
//
// A [Planner] parses a text, or finds the plan that was kept of it ([Planner.Parse], [Planner.FindPrepared]), and has the statement carried
// out with it ([Planner.Rows]). Of each connection it knows a [Session], which follows the making of a plan.
//
// A plan is kept if it depends on nothing but what its [Key] has. Its functions say the same for the same arguments (repeatable.go), its
// parts keep nothing of a time it was carried out (keepable.go), and what they keep while it is carried out is made anew each time
// (form.go). What the making of a plan does besides, its [Step]s, is done again each time, in the same order: the privileges are
// checked, and the stages begin. One statement at a time uses a plan. Plans of users' tables serve other values, too (values.go, package
// kept).
//
// A [Cache] is bounded by the weight of its plans; what has not been used for the longest time goes first. A plan is made to be kept when
// its text comes for the second time.
//
// Called by package connection. Calls go-mysql-server, which plans and executes; kept; session, access and usertables for what a plan depends
// on. A Planner and a Cache are safe for concurrent use, a Session is owned by the goroutine of its connection. Begin reading with
// planner.go.
package plancache
