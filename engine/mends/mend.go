package mends

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// Mend is one thing that go-mysql-server does differently from MySQL, and that the server does as
// MySQL.
type Mend struct {
	Name string
	// Files have the code of the mend: paths from engine, that of a directory ends with a slash.
	// Package engine is "./".
	Files []string
	// GMS is what go-mysql-server does, MySQL what MySQL does.
	GMS, MySQL string
	// Upstream is the issue of go-mysql-server that says so; "" if it has not been reported.
	Upstream string
	Way      Way
	Canary   Canary
}

// Way is how a mend is attached to go-mysql-server.
type Way string

// The ways.
const (
	Function   Way = "function"       // stands in the place of go-mysql-server's
	Tree       Way = "syntax tree"    // changes the tree of a statement, and has the function that it puts there
	Analyzer   Way = "analyzer rule"  // is a rule of the analyzer, or stands in the place of one
	Expression Way = "expression"     // changes the expressions of a node when it is built
	Builder    Way = "plan builder"   // builds a node
	Wrapper    Way = "wrapped object" // stands in front of an object of go-mysql-server
)

// Canary shows whether a mend is needed: with the mend the last statement has MySQL's answer, and
// without it another one. When go-mysql-server does as MySQL does, the test of the canaries fails,
// and names the mend that can be dropped.
type Canary struct {
	// Statements are executed on their own connection without a current database. What they make in
	// the database test is dropped before the next canary.
	Statements []string
	// Answer is the rows of the last statement, with | between columns and a space between rows; an
	// error is its number. The answer of a statement without columns is OK, that of a query without
	// rows "no rows". With Columns set, the names of the columns come first.
	Answer  string
	Columns bool
	// Test is a test of one of the packages with mends, in place of the statements where no
	// statement shows the difference. It also asks go-mysql-server without the mend, and calls
	// noLongerNeeded if that does as MySQL does.
	Test string
}

// registered are all mends.
var registered []*Mend

// register adds a mend to the list.
func register(m Mend) *Mend {
	registered = append(registered, &m)
	return &m
}

// All returns all mends, by the way they are attached and their names. Safe for concurrent use.
func All() []*Mend {
	all := slices.Clone(registered)
	slices.SortFunc(all, func(a, b *Mend) int { return cmp.Or(cmp.Compare(a.Way, b.Way), cmp.Compare(a.Name, b.Name)) })
	return all
}

// switchedOff is the mend that a test has switched off, nil for none.
var switchedOff atomic.Pointer[Mend]

// On tells whether the mend is on: it is, unless a test has switched it off. Safe for concurrent use.
func (m *Mend) On() bool { return switchedOff.Load() != m }

// SwitchOff switches the mend off in the whole process, until on is called. It is for tests.
func (m *Mend) SwitchOff() (on func()) {
	switchedOff.Store(m)
	return func() { switchedOff.CompareAndSwap(m, nil) }
}
