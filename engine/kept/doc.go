// Package kept makes a plan serve a statement with other values than those for which it was made.
//
// [Shape] finds the values in a text. Texts that differ only in their values have the same key.
// [Slots] finds the values in a plan. It compares two plans of one statement, which were made with
// different stand-ins for the values, and refuses the plan if the two differ anywhere else. Package
// plancache calls it. Begin reading with [Slots].
//
// Called by plancache.
package kept
