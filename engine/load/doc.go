// Package load finds how many threads were active, and when that is not known, from the samples of active_session_history.
//
// Use: Read asks for the samples of a window, and returns the stretches of time that they cover: extentQuery says by pointSize how many samples a point
// has, summaryQuery has the points, aheadQuery what is known of the time up to the window's end, and piecesOf makes the stretches of these. Between two
// stretches samples are missing: nothing is known of that time. A sample counts as a whole, whatever part of a second it was taken in, so a load
// that does not change has the same height everywhere. The functions are safe for concurrent use; all is in load.go.
//
// Called by engine/pfsdweb and cmd/pfsd/top. Calls no other package of the module. Begin reading with load.go.
package load
