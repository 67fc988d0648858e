package explain

// Query is a query block: a SELECT, or another statement with tables.
type Query struct {
	ID int
	// Kind is the select_type.
	Kind string
	// Dependent is true for a block that runs again for rows of an outer one.
	Dependent bool
	// Tables are in the order in which they are joined.
	Tables []*Table
	// Message is shown if there are no tables: "No tables used".
	Message string
	// The operations on the rows of the tables.
	Grouped, Sorted, Distinct, Windows bool
	// Temporary is true if they need a temporary table.
	Temporary bool
	// Union is the set operation whose first part the block is, nil if there is none.
	Union *Union
	// Nested are the blocks inside this one, in the order of their ids.
	Nested []*NestedQuery
	Root   *Step
	// SelectListSteps are the steps of the subqueries in the select list.
	SelectListSteps []*Step
}

// Union is a set operation.
type Union struct {
	ID int
	// Kind is UNION, INTERSECT or EXCEPT.
	Kind string
	// Others are the parts after the first one.
	Others []*Query
	// Materialized is true if the whole result is computed before the first row is sent.
	Materialized, Sorted bool
}

// The places of a block inside another one, as EXPLAIN FORMAT=JSON names them.
const (
	InColumns   = "select_list_subqueries"
	InCondition = "attached_subqueries"
	InHaving    = "having_subqueries"
	InTable     = "materialized_from_subquery"
)

// NestedQuery is a block inside another one.
type NestedQuery struct {
	*Query
	Place string
}

// Table is a table of a block and its access method.
type Table struct {
	Name string
	// Kind is the select_type if it is not that of the block: INSERT, UPDATE.
	Kind     string
	Access   string
	Possible []string
	Key      string
	KeyParts []string
	KeyLen   int
	Ref      []string
	// Rows is the estimated number of rows of one access, Produced that of the join up to this table.
	// Unknown is true if there is no estimate.
	Rows, Produced float64
	Unknown        bool
	// Filtered is the share of the rows that the condition leaves, in percent.
	Filtered  float64
	Extra     []string
	Condition string
	Columns   []string
	// Cost is the cost of reading them, in MySQL's unit: 1 is about reading a page from disk.
	Cost  float64
	Joins string // the join algorithm if the rows are buffered: "hash join"
	// From is the block of a derived table, nil for a base table.
	From *Query
}

// Step is an iterator in the execution of a block.
type Step struct {
	Text string
	// Cost and Rows are estimates; Guessed is false if there are none.
	Cost, Rows float64
	Estimated  bool
	Actual     *Actual
	Children   []*Step
}

// Actual is what EXPLAIN ANALYZE measured for a step: how often it ran, how many rows it returned in total,
// and the total milliseconds until the first row and until the last.
type Actual struct {
	Loops, Rows uint64
	First, Last float64
}

// Cost returns the cost of a block.
func (q *Query) Cost() (cost float64) {
	for _, t := range q.Tables {
		cost += t.Cost
	}
	return cost
}
