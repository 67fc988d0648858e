// Package hints reads the optimizer hints of a statement: the comments /*+ ... */ that follow its first word, and the first words of the
// queries in it.
//
//	for _, h := range hints.Of(text) { ... } // the hints of each comment
//
// It knows MySQL's hints by name. All functions are safe for concurrent use, allocate nothing for a statement without hints, and take time
// that grows with the length of the text. What is no hint is reported in the comment that has it, as MySQL does.
//
// Files: hints.go (the comments of a statement), comment.go (the hints in one).
//
// Called by engine/connection, which carries them out. Calls nothing of the module. Begin reading at hints.go.
package hints
