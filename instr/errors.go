package instr

import "errors"

// Errors of changes to the setup tables.
var (
	// ErrDuplicate: there is a row with this key.
	ErrDuplicate = errors.New("instr: there is such a row")
	// ErrFull: the limit of rows is reached.
	ErrFull = errors.New("instr: no more rows are allowed")
	// ErrEmptyName: a name is empty that must not be.
	ErrEmptyName = errors.New("instr: empty name")
)
