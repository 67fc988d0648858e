package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dolthub/vitess/go/mysql"

	"pfsd/engine/clientfiles"
	"pfsd/engine/serverfiles"
)

// clone is CLONE LOCAL: it makes a directory with a copy of users' tables, as they are at one moment while the server goes on, and of the
// accounts, that a server can be started with. It must lie in --secure-file-priv, and not in the data directory.
//
// MySQL: copies to any directory.
func (s *Server) clone(path string) error {
	if !s.dir.Persistent() {
		return mysql.NewSQLError(1290, "HY000", "The MySQL server is running with the --datadir= option so it cannot execute this statement")
	}
	if !filepath.IsAbs(path) {
		return mysql.NewSQLError(1525, "HY000", "Incorrect path value: '%s'", path)
	}
	real, err := serverfiles.Directory(s.variables, nil).Mkdir(path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return mysql.NewSQLError(1007, "HY000", "Can't create database '%s'; database exists", path)
	case errors.Is(err, clientfiles.ErrOutside):
		return err
	case err != nil:
		return mysql.NewSQLError(1006, "HY000", "Can't create database '%s' (%s)", path, errors.Unwrap(err))
	}
	if err := s.fillClone(real); err != nil {
		return errors.Join(err, os.RemoveAll(real))
	}
	return nil
}

// fillClone writes a copy of the data to an empty directory.
func (s *Server) fillClone(to string) error {
	if own, err := filepath.EvalSymlinks(s.dir.Join(".")); err == nil && (to == own || strings.HasPrefix(to, own+string(filepath.Separator))) {
		return clientfiles.ErrOutside
	}
	if err := s.tables.Backup(filepath.Join(to, tablesDirectory)); err != nil {
		return err
	}
	class := s.reg.NewFileClass("sql/accounts")
	data, err := class.ReadRegular(s.dir.Join(accountsFile), maxAccountsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = class.WriteFile(filepath.Join(to, accountsFile), data, 0o600)
	}
	return err
}
