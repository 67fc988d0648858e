package main

// trial is one question to the servers: a world, and a query or a script about it.
type trial struct {
	world  *world
	q      *query
	script []*node
	shared bool // MariaDB reads it, too
}

// servers is what a trial is carried out on.
type servers struct {
	full   *session // tables with all keys
	bare   *session // tables without those that change nothing but the way
	mirror *session // MariaDB; nil without
	counts *counts
}

// counts is what was done.
type counts struct {
	statements int
	worlds     int
	answered   int               // statements whose first answer is rows
	refused    map[string]int    // errors, and what else was not compared
	samples    map[string]string // the first statement of each
	found      map[string]int
	open       map[string]int
	checks     map[string]int
}

// oracle is a way to know that an answer is wrong.
type oracle struct {
	name  string
	check func(s *servers, t *trial, only string) *difference
}

var oracles = []oracle{
	{"ways", ways},
	{"partition", partition},
	{"norec", norec},
	{"outer", outerJoin},
	{"change", change},
}

// Oracles that need MariaDB.
var (
	mirrored = []oracle{{"mariadb", mariadb}}
	typed    = []oracle{{"types", types}}
)

// run sends a statement and counts it.
func (s *servers) run(on *session, text string) *outcome {
	s.counts.statements++
	return on.run(text)
}

func differ(kind string, a, b *outcome, like likeness, text, peer string) *difference {
	d := compare(a, b, like)
	if d == "" {
		return nil
	}
	return &difference{kind: kind + " " + d, got: a.show(), want: b.show(), text: text, peer: peer}
}

// refuse counts a statement that was not compared with anything.
func (c *counts) refuse(why, text string) {
	if c.refused[why]++; c.refused[why] == 1 {
		c.samples[why] = text
	}
}

func newCounts() *counts {
	return &counts{refused: map[string]int{}, samples: map[string]string{}, found: map[string]int{}, open: map[string]int{}, checks: map[string]int{}}
}
