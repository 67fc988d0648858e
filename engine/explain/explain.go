// Package explain shows plans of statements as MySQL's EXPLAIN does: as a table, as JSON and as a tree
// of iterators.
//
// A plan is a Query, which the caller makes from whatever it plans with; Rows, JSON and Tree print it.
// The package knows nothing of the SQL engine. Values of its types are owned by one goroutine; nothing
// fails.
package explain

// Query is a query block: one SELECT, or the statement that it is part of.
type Query struct {
	ID int
	// Kind is the select_type.
	Kind string
	// Dependent is true of a block that is carried out again for rows of another one.
	Dependent bool
	// Tables are in the order in which they are joined.
	Tables []*Table
	// Message stands where there are no tables: "No tables used".
	Message string
	// What happens to the rows of the tables.
	Grouped, Sorted, Distinct, Windows bool
	// Temporary is true where they are kept meanwhile.
	Temporary bool
	// Union is what the block is the first part of, nil if it stands alone.
	Union *Union
	// Inner are the blocks inside this one, in the order of their numbers.
	Inner []*Inner
	Root  *Step
	// Beside are the steps of subqueries of the list of columns.
	Beside []*Step
}

// Union is a set operation.
type Union struct {
	ID int
	// Kind is UNION, INTERSECT or EXCEPT.
	Kind string
	// Others are the parts behind the first one.
	Others []*Query
	// Kept is true where the result has to be kept before any of it is sent.
	Kept, Sorted bool
}

// Where a block stands in another one.
const (
	InColumns   = "select_list_subqueries"
	InCondition = "attached_subqueries"
	InHaving    = "having_subqueries"
	InTable     = "materialized_from_subquery"
)

// Inner is a block inside another one.
type Inner struct {
	*Query
	Place string
}

// Table is a table of a block, and how its rows are found.
type Table struct {
	Name string
	// Kind is the select_type where it is not that of the block: INSERT, UPDATE.
	Kind     string
	Access   string
	Possible []string
	Key      string
	KeyParts []string
	KeyLen   int
	Ref      []string
	// Rows are how many are read each time, Produced how many come out of the join so far; both are
	// guesses. Unknown is true where there is none.
	Rows, Produced float64
	Unknown        bool
	// Filtered is how many of them are left after the condition, in percent.
	Filtered  float64
	Extra     []string
	Condition string
	Columns   []string
	// Cost is that of reading them, in the unit of MySQL's: 1 is about a page read from disk.
	Cost  float64
	Joins string // how its rows are joined if they are kept for that: "hash join"
	// From is the block whose rows they are, nil for a table of a schema.
	From *Query
}

// Step is a step of carrying out a block.
type Step struct {
	Text string
	// Cost and Rows are guesses; Guessed is false where there are none.
	Cost, Rows float64
	Guessed    bool
	Actual     *Actual
	Children   []*Step
}

// Actual is what a step has really done: how often, how many rows all in all, and the milliseconds up
// to the first row and to the last, all in all.
type Actual struct {
	Loops, Rows uint64
	First, Last float64
}

// Cost is what a block costs.
func (q *Query) Cost() (cost float64) {
	for _, t := range q.Tables {
		cost += t.Cost
	}
	return cost
}
