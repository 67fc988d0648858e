package bounds

import "github.com/dolthub/vitess/go/mysql"

// What a statement may be at most. Of the texts that this project's tests and MySQL's schema sys consist of, the
// largest are 128 deep and have 76 queries in a program, 5 of them in each other.
const (
	maxDeep    = 2000    // levels of a tree
	maxTokens  = 150_000 // besides those of rows that are inserted: 65,535 parameters in a list are 131,070
	maxValues  = 1 << 20 // tokens of rows that are inserted: at least what a text of one MiB has
	maxParts   = 128     // parts of a UNION
	maxQueries = 256     // SELECTs of a statement
	maxInner   = 63      // SELECTs in each other, as in MySQL
	maxTables  = 61      // tables of a query, as in MySQL
	maxColumns = 4096    // columns of a query, as in MySQL

	maxTableColumns = 1017 // columns that a statement defines, as in InnoDB
	maxKeys         = 64   // keys that it defines, as in MySQL
	maxConstraints  = 1024 // constraints that it defines

	maxReferences = 256     // tables of a statement, each as often as it is named
	maxDerived    = 1024    // columns of a query that stands in place of a table: those of a table in InnoDB are 1,017
	maxLookups    = 1 << 21 // places where names in the blocks of a trigger or an event are looked for
	maxWork       = 250_000 // names and operators of a statement, each as often as it is gone over
)

// errDeep is MySQL's error for a tree that would overflow the stack.
func errDeep() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement has more than %d levels of expressions, joins or blocks in each other.", maxDeep)
}

func errTokens() error {
	return mysql.NewSQLError(3170, "HY000", "Memory capacity of %d tokens for the parser exceeded. Parser bailed out for this query.", maxTokens)
}

// ErrLong is MySQL's error for a text that is too long once it is in other words.
func ErrLong() error { return errTokens() }

func errValues() error {
	return mysql.NewSQLError(3170, "HY000", "Memory capacity of %d tokens for the parser exceeded by the rows of one statement. Parser bailed out for this query.", maxValues)
}

func errQueries() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement has more than %d queries.", maxQueries)
}

func errParts() error {
	return mysql.NewSQLError(1436, "HY000", "Thread stack overrun: the statement has a UNION of more than %d parts.", maxParts)
}

func errInner() error {
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

// Check tells whether a text of this weight may be parsed; if not, the error is MySQL's.
func (w *Weight) Check() error {
	switch {
	case w.Deep > maxDeep:
		return errDeep()
	case w.Tokens-w.Values > maxTokens:
		return errTokens()
	case w.Values > maxValues:
		return errValues()
	case w.Sets >= maxParts:
		return errParts()
	case w.Queries > maxQueries:
		return errQueries()
	case w.Inner > maxInner:
		return errInner()
	}
	return nil
}
