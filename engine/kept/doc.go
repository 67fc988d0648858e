// Package kept makes a plan serve a statement with other values than those that it was made for.
//
// [Shape] finds the values in a text, so that texts that differ in nothing else have one key. [Slots] finds the values in a plan: it compares two
// plans of one statement, made with different values that stand for the true ones, and refuses if they differ anywhere but where these stand.
// Package plancache calls it. Begin reading with [Slots].
//
// Called by plancache.
package kept
