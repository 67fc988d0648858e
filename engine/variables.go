package engine

import (
	"net"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/instr"
)

// statusOf returns how to work out the status variables of a server that starts now.
func statusOf(reg *instr.Registry) func() map[string]uint64 {
	started := time.Now()
	return func() map[string]uint64 {
		return map[string]uint64{
			"Uptime":                                 uint64(time.Since(started) / time.Second),
			"Performance_schema_locker_lost":         reg.LockerLost(),
			"Performance_schema_mutex_classes_lost":  reg.ClassesLost(instr.KindMutex),
			"Performance_schema_rwlock_classes_lost": reg.ClassesLost(instr.KindRWMutex),
			"Performance_schema_cond_classes_lost":   reg.ClassesLost(instr.KindCond),
			"Performance_schema_file_classes_lost":   reg.ClassesLost(instr.KindFile),
			"Performance_schema_socket_classes_lost": reg.ClassesLost(instr.KindSocket),
		}
	}
}

// setVariables gives the system variables, which all servers of a process share, the
// values of this one.
func setVariables(o Options, addr net.Addr) error {
	performanceSchema := int8(1)
	if o.Off {
		performanceSchema = 0
	}
	values := map[string]any{
		"version":              Version,
		"version_comment":      "pfsd",
		"performance_schema":   performanceSchema,
		"max_allowed_packet":   o.MaxAllowedPacket,
		"max_connections":      int64(o.MaxConnections),
		"socket":               o.Socket,
		"datadir":              o.DataDir,
		"collation_server":     collation.Name(),
		"collation_connection": collation.Name(),
		"collation_database":   collation.Name(),
		// Closes LOAD_FILE, LOAD DATA INFILE and INTO OUTFILE off: no file is below it.
		"secure_file_priv": "/nonexistent",
	}
	if a, ok := addr.(*net.TCPAddr); ok {
		values["port"] = int64(a.Port)
	}
	return sql.SystemVariables.AssignValues(values)
}
