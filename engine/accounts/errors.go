package accounts

import "github.com/dolthub/vitess/go/mysql"

func sqlError(number int, state, format string, args ...any) error {
	return mysql.NewSQLError(number, state, format, args...)
}

// errUnsupported is for a feature of MySQL that this server lacks.
func errUnsupported(what string) error {
	return sqlError(1235, "42000", "This version of MySQL doesn't yet support '%s'", what)
}

// errFailed is for a statement that failed for some of its accounts.
func errFailed(operation string, ids string) error {
	return sqlError(1396, "HY000", "Operation %s failed for %s", operation, ids)
}

// errNoGrant is for a REVOKE of a privilege that was not granted, and for an unknown account.
func errNoGrant(id ID) error {
	return sqlError(1141, "42000", "There is no such grant defined for user '%s' on host '%s'", id.User, id.Host)
}

func errNoTableGrant(id ID, table string) error {
	return sqlError(1147, "42000", "There is no such grant defined for user '%s' on host '%s' on table '%s'", id.User, id.Host, table)
}

func errUnknownID(id ID) error {
	return sqlError(3523, "HY000", "Unknown authorization ID %s", id.Quoted())
}

// ErrNeeds is error 1227: the account has none of these privileges.
func ErrNeeds(what string) error {
	return sqlError(1227, "42000", "Access denied; you need (at least one of) the %s privilege(s) for this operation", what)
}
