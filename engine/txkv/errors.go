package txkv

import "errors"

// Errors that callers distinguish with errors.Is. They wrap the errors of the operating system and of Pebble.
var (
	// ErrDeadlock: the lock would close a cycle of waits. The caller must roll the transaction back.
	ErrDeadlock = errors.New("txkv: deadlock found when waiting for a lock")
	// ErrLockTimeout: the lock was not granted in time. The transaction goes on without it.
	ErrLockTimeout = errors.New("txkv: lock wait timeout exceeded")
	// ErrLocked: the lock is held by others and the caller did not want to wait ([NoWait]).
	ErrLocked = errors.New("txkv: lock is held by another transaction")
	// ErrReadOnly: a write in a transaction that was begun read-only.
	ErrReadOnly = errors.New("txkv: transaction is read-only")
	// ErrTooLarge: the transaction's writes exceed [Options.TransactionLimit]. The write was not done.
	ErrTooLarge = errors.New("txkv: transaction's writes exceed their limit")
	// ErrDuplicate: a [Bulk] was given a key twice. A [DuplicateError] says which.
	ErrDuplicate = errors.New("txkv: duplicate key")
	// ErrDiskFull: there is no room on the device. Reads go on. Writes work again when there is room.
	ErrDiskFull = errors.New("txkv: disk is full")
	// ErrIO: the device failed. It may work again by the time the caller gets this error.
	ErrIO = errors.New("txkv: input/output error")
	// ErrCorrupt: a file is not what the store wrote, or not a file of a store.
	ErrCorrupt = errors.New("txkv: corrupt or foreign file")
	// ErrClosed: the store is closed.
	ErrClosed = errors.New("txkv: store is closed")
	// ErrDone: the transaction has ended.
	ErrDone = errors.New("txkv: transaction has ended")
)

// DuplicateError is [ErrDuplicate] with the key.
type DuplicateError struct{ Key []byte }

func (e *DuplicateError) Error() string { return ErrDuplicate.Error() }

// Unwrap returns ErrDuplicate.
func (e *DuplicateError) Unwrap() error { return ErrDuplicate }
