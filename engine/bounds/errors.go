package bounds

import (
	"strings"

	"github.com/dolthub/vitess/go/mysql"
)

// The limits of a statement. For comparison: in this project's tests and MySQL's sys schema the
// deepest statement has 128 levels, and the largest program 76 queries, nested 5 deep.
const (
	maxDepth         = 2000    // levels of a tree
	maxTokens        = 150_000 // except in rows of an INSERT: a list of 65,535 parameters has 131,070
	maxValues        = 1 << 20 // tokens in rows of an INSERT: a text of 1 MiB never has more
	maxParts         = 128     // parts of a UNION
	maxQueries       = 256     // SELECTs of a statement
	maxNestedQueries = 63      // nested SELECTs, as in MySQL
	maxTables        = 61      // tables of a query, as in MySQL
	maxColumns       = 4096    // columns of a query, as in MySQL

	maxName   = 4096     // bytes of a name: an alias may have 256 characters, other names 64
	maxNumber = 64 << 10 // digits of a number: reading it takes the square of them; those behind the first 81 count for nothing but its size

	maxTableColumns = 1017 // columns of a table definition, as in InnoDB
	maxKeys         = 64   // keys of a table definition, as in MySQL
	maxConstraints  = 1024 // constraints of a table definition

	maxReferences = 256     // references to tables in a statement
	maxDerived    = 1024    // columns of a derived table; a table of InnoDB has at most 1,017
	maxLookups    = 1 << 21 // scopes searched for the names in a trigger or an event
	maxWork       = 250_000 // names and operators of a statement, times how often each is visited
)

// errTooDeep is MySQL's error for a tree that would overflow the stack.
func errTooDeep() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement has more than %d levels of expressions, joins or blocks in each other.", maxDepth)
}

func errTokens() error {
	return mysql.NewSQLError(3170, "HY000", "Memory capacity of %d tokens for the parser exceeded. Parser bailed out for this query.", maxTokens)
}

// ErrTooLong is MySQL's error for a text that becomes too long when it is rewritten.
func ErrTooLong() error { return errTokens() }

func errValues() error {
	return mysql.NewSQLError(3170, "HY000", "Memory capacity of %d tokens for the parser exceeded by the rows of one statement. Parser bailed out for this query.", maxValues)
}

func errQueries() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement has more than %d queries.", maxQueries)
}

func errParts() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement has a UNION of more than %d parts.", maxParts)
}

func errNestedQueries() error {
	return mysql.NewSQLError(1473, "HY000", "Too high level of nesting for select")
}

func errTables() error {
	return mysql.NewSQLError(1116, "HY000", "Too many tables; MySQL can only use %d tables in a join", maxTables)
}

func errReferences() error {
	return mysql.NewSQLError(1116, "HY000", "Too many tables; a statement can only use %d tables, those of common table expressions each time that they are named", maxReferences)
}

func errWork() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement has more than %d operands, those that are evaluated more than once each time that they are.", maxWork)
}

func errLookups() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: a trigger or an event has too many names in blocks in each other.")
}

func errKeys() error {
	return mysql.NewSQLError(1069, "42000", "Too many keys specified; max %d keys allowed", maxKeys)
}

func errConstraints() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement defines more than %d constraints of a table.", maxConstraints)
}

func errColumns() error { return mysql.NewSQLError(1117, "HY000", "Too many columns") }

// Check returns MySQL's error if a text of this weight must not be parsed.
func (w *Weight) Check() error {
	switch {
	case w.Depth > maxDepth:
		return errTooDeep()
	case w.Tokens-w.Values > maxTokens:
		return errTokens()
	case w.Values > maxValues:
		return errValues()
	case w.LongName != "":
		return mysql.NewSQLError(1059, "42000", "Identifier name '%s' is too long", strings.ToValidUTF8(w.LongName[:100], "?"))
	case w.LongNumber != "":
		return mysql.NewSQLError(1367, "22007", "Illegal DECIMAL '%s' value found during parsing", w.LongNumber[:100])
	case w.SetOperations >= maxParts:
		return errParts()
	case w.Queries > maxQueries:
		return errQueries()
	case w.NestedQueries > maxNestedQueries:
		return errNestedQueries()
	}
	return nil
}
