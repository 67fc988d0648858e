package uservars

import (
	"unicode/utf8"
	"unsafe"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/charge"
)

// variableBytes are the bytes of what there is for each user variable.
const variableBytes = int(unsafe.Sizeof(sql.TypedValue{}) + unsafe.Sizeof(""))

// variableWeight is about how many bytes a user variable takes besides its name and its value.
const variableWeight = 160

// nameMax is how many characters the name of a user variable has at the most.
const nameMax = 64

// checkName returns MySQL's error for a name that is too long.
func checkName(name string) error {
	if len(name) > nameMax && utf8.RuneCountInString(name) > nameMax {
		return mysql.NewSQLError(3061, "42000", "User variable name '%.192s' is illegal", name)
	}
	return nil
}

// charge charges a user variable, whose name is in lower case, with a value before it has it. The error is that a limit does not
// allow it.
func (u *Variables) charge(name string, value any) error {
	if u.hold == nil {
		return nil
	}
	bytes := charge.Size(value)
	if value == nil {
		bytes = 0
	}
	bytes += variableWeight + int64(len(name))
	old := u.charged[name]
	if bytes > old {
		if err := u.hold.Charge(bytes - old); err != nil {
			return err
		}
	} else {
		u.hold.Discharge(old - bytes)
	}
	if u.charged == nil {
		u.charged = map[string]int64{}
	}
	u.charged[name] = bytes
	return nil
}

// count counts a user variable, whose name is in lower case and whose value takes so many bytes.
func (u *Variables) count(name string, bytes int) {
	old, known := u.bytes[name]
	if known && old == bytes {
		return
	}
	if known {
		u.thread.Free(u.memory.Value, old)
	} else {
		u.thread.Alloc(u.memory.Variable, variableBytes+len(name))
	}
	if u.bytes == nil {
		u.bytes = map[string]int{}
	}
	u.bytes[name] = bytes
	u.thread.Alloc(u.memory.Value, bytes)
}

// Forget counts that the variables are gone, with the session.
func (u *Variables) Forget() {
	for name, n := range u.bytes {
		u.thread.Free(u.memory.Value, n)
		u.thread.Free(u.memory.Variable, variableBytes+len(name))
	}
	u.bytes = nil
	for _, n := range u.charged {
		u.hold.Discharge(n)
	}
	u.charged = nil
}
