package storage

import (
	"errors"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/txkv"
)

// The errors have MySQL's numbers.
var (
	errLockTimeout = mysql.NewSQLError(1205, "HY000", "Lock wait timeout exceeded; try restarting transaction")
	errDeadlock    = mysql.NewSQLError(1213, "40001", "Deadlock found when trying to get lock; try restarting transaction")
	errNoWait      = mysql.NewSQLError(3572, "HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
	errReadOnly    = mysql.NewSQLError(1792, "25006", "Cannot execute statement in a READ ONLY transaction.")
	errTooLarge    = mysql.NewSQLError(1197, "HY000", "The transaction holds more changes than the server allows; divide it")
	errChanged     = mysql.NewSQLError(1412, "HY000", "Table definition has changed, please retry transaction")
	errDiskFull    = mysql.NewSQLError(1021, "HY000", "Disk full; waiting for someone to free some space...")
	errEngine      = mysql.NewSQLError(1030, "HY000", "Got error 168 - 'Unknown (generic) error from engine' from storage engine")
)

// failure converts an error of the store to one with MySQL's number.
func failure(err error) error {
	if err == nil {
		return nil
	}
	for _, e := range []struct {
		is    error
		error *mysql.SQLError
	}{
		{txkv.ErrLockTimeout, errLockTimeout},
		{txkv.ErrDeadlock, errDeadlock},
		{txkv.ErrLocked, errNoWait},
		{txkv.ErrReadOnly, errReadOnly},
		{txkv.ErrTooLarge, errTooLarge},
		{txkv.ErrDiskFull, errDiskFull},
		{txkv.ErrIO, errEngine},
		{txkv.ErrCorrupt, errEngine},
		{txkv.ErrClosed, errEngine},
	} {
		if errors.Is(err, e.is) {
			return e.error
		}
	}
	return err
}
