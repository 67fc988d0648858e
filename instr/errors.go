package instr

import "errors"

// Errors of changes to the setup tables.
var (
	// ErrDuplicate: there is a row with this key.
	ErrDuplicate = errors.New("instr: there is such a row")
	// ErrFull: the limit of rows is reached.
	ErrFull = errors.New("instr: no more rows are allowed")
	// ErrEmptyName: a name that must not be empty is.
	ErrEmptyName = errors.New("instr: empty name")
)
