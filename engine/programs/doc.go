// Package programs knows what stored programs are made of: it makes syntax trees of the statements that create procedures, events and
// triggers, with the text of each statement in them, and puts nodes into the plan of a trigger around what it does.
//
// Package engine runs the programs, as only it knows the session: it asks here for their parts, for the values of arguments, and for the
// instruments statement/sp/INSTRUCTION. The package calls syntax, routine, sqltree and rights.
//
// Begin reading at programs.go; trigger.go has the nodes. Safe for concurrent use; a node belongs to the plan that it is part of.
package programs
