package tables

import "errors"

// Errors that a write to a table returns. The server's error table gives each its
// MySQL number.
var (
	// ErrColumnNotUpdatable: the UPDATE names a column that cannot be set (1683).
	ErrColumnNotUpdatable = errors.New("tables: column is not updatable")
	// ErrBadValue: the value is none of the column's ENUM values (1265).
	ErrBadValue = errors.New("tables: value is not in the column's set")
	// ErrNull: NULL for a column that takes none (1048).
	ErrNull = errors.New("tables: column cannot be null")
	// ErrTimerNotAvailable: setup_timers names a timer that this machine does not have (1031).
	ErrTimerNotAvailable = errors.New("tables: timer is not available")
)
