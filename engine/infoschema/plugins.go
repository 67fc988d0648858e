package infoschema

import (
	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/accounts"
	"pfsd/engine/errorlog"
	"pfsd/engine/mends"
	"pfsd/tables"
)

// builtinPlugins are the built-in plugins of MySQL that the server has: authentication plugins and storage engines.
var builtinPlugins = []struct{ name, kind, description string }{
	{accounts.Native, "AUTHENTICATION", "Native MySQL authentication"},
	{accounts.CachingSHA2, "AUTHENTICATION", "Caching sha2 authentication"},
	{"MEMORY", "STORAGE ENGINE", "Hash based, stored in memory, useful for temporary tables"},
	{"InnoDB", "STORAGE ENGINE", "Supports transactions, row-level locking, and foreign keys"},
	{tables.Engine, "STORAGE ENGINE", "Performance Schema"},
}

// allPlugins returns the rows of PLUGINS.
func (s *Server) allPlugins(*sql.Context, string, string) (rows []sql.Row, err error) {
	versions := map[string]string{"AUTHENTICATION": "2.1", "STORAGE ENGINE": "80408.0"}
	for _, b := range builtinPlugins {
		state, load := "ACTIVE", "FORCE"
		if b.name == accounts.Native && !s.Accounts.AllowNative {
			state, load = "DISABLED", "OFF"
		}
		rows = append(rows, sql.Row{b.name, "1.0", state, b.kind, versions[b.kind], nil, nil, errorlog.ProgramName, b.description, "", load})
	}
	return rows, nil
}

// PluginRows returns the rows of SHOW PLUGINS.
//
// go-mysql-server: shows the columns of PLUGINS. MySQL: shows five of them, under other names.
func (s *Server) PluginRows(ctx *sql.Context) (rows []sql.Row, err error) {
	const name, status, kind, library, license = 0, 2, 3, 5, 9
	all, err := s.allPlugins(ctx, "", "")
	if !mends.ShownPlugins.On() {
		return all, err
	}
	for _, r := range all {
		rows = append(rows, sql.Row{r[name], r[status], r[kind], r[library], r[license]})
	}
	return rows, err
}
