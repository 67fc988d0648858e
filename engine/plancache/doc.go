// Package plancache keeps plans of statements that come again: making one takes ten times as long as reading a short table.
//
// A plan is kept if it depends on nothing but what its [Key] has. Its functions are some that say the same for the same arguments
// ([Repeatable]), its parts keep nothing of a time it was carried out ([Keepable]), and what they keep while it is carried out is made anew
// each time ([Anew]). What the making of a plan does besides, its [Step]s, is done again each time, in the same order: the privileges are
// asked for, and the stages begin. One statement at a time uses a plan.
//
// A [Cache] is bounded by the weight of its plans; what has not been used for the longest time goes first. A plan is made to be kept when its
// text comes for the second time.
//
// Called by package engine, which makes the plans and carries them out; package kept has the plans that serve other values. Begin
// reading with cache.go. Files: cache.go, repeatable.go (statements), keepable.go (plans), form.go (what a plan is like that is kept),
// rows.go (the end of its rows).
package plancache
