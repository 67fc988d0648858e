package serverfiles

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/clientfiles"
	"pfsd/engine/sysvar"
	"pfsd/instr"
)

// Classes are the instruments of the files that clients read and write. Safe for concurrent use.
type Classes struct{ loadFile, load, selectTo *instr.FileClass }

// NewClasses makes the instruments.
func NewClasses(reg *instr.Registry) Classes {
	return Classes{reg.NewFileClass("sql/LOAD_FILE"), reg.NewFileClass("sql/load"), reg.NewFileClass("sql/select_to_file")}
}

// Session is whose statement it is, as its process list has it.
type Session interface {
	// FileClasses are the instruments of its files, none if it is nobody's.
	FileClasses() Classes
}

// classesOf are those of the connection that ctx belongs to, none if it belongs to none.
func classesOf(ctx *sql.Context) Classes {
	if s, ok := ctx.ProcessList.(Session); ok {
		return s.FileClasses()
	}
	return Classes{}
}

// Directory is the directory for clients' files, of which those opened belong to class.
func Directory(v *sysvar.Server, class *instr.FileClass) clientfiles.Dir {
	dir, _ := v.Global("secure_file_priv").(string)
	base, _ := v.Global("datadir").(string)
	if dir == sysvar.NoDirectory {
		dir = ""
	}
	return clientfiles.Dir{Path: dir, Base: base, Class: class}
}
