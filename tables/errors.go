package tables

import (
	"errors"

	"pfsd/instr"
)

// Errors of tables, all but the last of writes. The server's error table gives each its
// MySQL number.
var (
	// ErrColumnNotUpdatable: the UPDATE names a column that cannot be set (1683).
	ErrColumnNotUpdatable = errors.New("tables: column is not updatable")
	// ErrBadValue: the column cannot have the value: it is not one of the ENUM or SET, or it is
	// not ASCII, or no number (1265).
	ErrBadValue = errors.New("tables: value is not one of the column's")
	// ErrOutOfRange: the number is beyond what the table accepts in the column (1264).
	ErrOutOfRange = errors.New("tables: number is out of range")
	// ErrTooLong: the text has more characters than the column takes (1406).
	ErrTooLong = errors.New("tables: value is too long for the column")
	// ErrNull: NULL for a column that must not be NULL (1048).
	ErrNull = errors.New("tables: column cannot be null")
	// ErrTimerNotAvailable: setup_timers names a timer that this machine does not have (1031).
	ErrTimerNotAvailable = errors.New("tables: timer is not available")
	// ErrDuplicate: an INSERT with a key that exists (1022).
	ErrDuplicate = instr.ErrDuplicate
	// ErrFull: an INSERT beyond the size of the table (1114).
	ErrFull = instr.ErrFull
	// ErrEmptyName: an INSERT with an empty HOST, USER or ROLE (1031).
	ErrEmptyName = instr.ErrEmptyName
	// ErrDiskFull: what the table keeps on the device has no room there (1021). ErrNotWritten: the device refuses it for another
	// reason (1030). Both are wrapped with the reason.
	ErrDiskFull   = errors.New("disk full")
	ErrNotWritten = errors.New("not written")
	// ErrNotRead: a recording cannot be read (1030). It is wrapped with the reason.
	ErrNotRead = errors.New("not read")
)

// DuplicateError is an INSERT with a key that exists (1062).
type DuplicateError struct {
	// Value is the key's value as MySQL shows it, and Key the key's name.
	Value, Key string
}

// Error implements error.
func (e *DuplicateError) Error() string { return "duplicate entry " + e.Value + " for key " + e.Key }

// Refusal says to people why the table accepts a row in no case now, or never (1644).
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// ColumnError is an error about one column of a row.
type ColumnError struct {
	Column string
	Err    error
}

// Error implements error.
func (e *ColumnError) Error() string { return e.Err.Error() + ": " + e.Column }

// Unwrap is the error without the column.
func (e *ColumnError) Unwrap() error { return e.Err }
