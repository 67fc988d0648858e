package clientfiles

import (
	"errors"
	"syscall"

	"github.com/dolthub/vitess/go/mysql"
)

// ErrOutside is for a name outside the directory, and for any name if there is no directory.
var ErrOutside = mysql.NewSQLError(1290, "HY000", "The MySQL server is running with the --secure-file-priv option so it cannot execute this statement")

// errExists is for a new file whose name exists.
func errExists(name string) error {
	return mysql.NewSQLError(1086, "HY000", "File '%s' already exists", name)
}

// errNotRegular is for a directory, a pipe, or a device.
func errNotRegular(name string) error {
	return mysql.NewSQLError(1085, "HY000", "The file '%s' must be in the database directory or be readable by all", name)
}

// errMissing is for a file that does not exist, or whose directory may not be searched.
func errMissing(name string, err error) error {
	number, text := osError(err)
	return mysql.NewSQLError(13, "HY000", "Can't get stat of '%s' (OS errno %d - %s)", name, number, text)
}

// errUnreadable is for a file that exists and cannot be opened.
func errUnreadable(name string, err error) error {
	number, text := osError(err)
	return mysql.NewSQLError(29, "HY000", "File '%s' not found (OS errno %d - %s)", name, number, text)
}

// errNotCreated is for a new file that cannot be created.
func errNotCreated(name string, err error) error {
	number, text := osError(err)
	return mysql.NewSQLError(1, "HY000", "Can't create/write to file '%s' (OS errno %d - %s)", name, number, text)
}

// ErrWriting is for a write that failed.
func ErrWriting(name string, err error) error {
	number, text := osError(err)
	return mysql.NewSQLError(3, "HY000", "Error writing file '%s' (OS errno %d - %s)", name, number, text)
}

// osError is the number and the text of an operating system's error.
func osError(err error) (number int, text string) {
	var e syscall.Errno
	if errors.As(err, &e) {
		text = e.Error()
		return int(e), string(text[0]&^0x20) + text[1:]
	}
	return int(syscall.EIO), err.Error()
}
