package engine

import (
	"net"

	"github.com/dolthub/go-mysql-server/sql"
)

// setVariables gives the system variables, which all servers of a process share, the
// values of this one.
func setVariables(o Options, addr net.Addr) error {
	values := map[string]any{
		"version":              Version,
		"version_comment":      "pfsd",
		"performance_schema":   int8(1),
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
