package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dolthub/go-mysql-server/sql"

	"pfsd/engine/datalocks"
	"pfsd/engine/errorlog"
	"pfsd/engine/infoschema"
	"pfsd/engine/status"
	"pfsd/engine/storage"
	"pfsd/engine/txkv"
	"pfsd/tables"
)

// tablesDirectory is where users' tables are, within the data directory.
const tablesDirectory = "tables"

// firstDatabase is the database that a new server has.
const firstDatabase = "test"

// openTables opens users' tables: in the data directory, or in memory where there is none.
func (s *Server) openTables() error {
	s.locks = &datalocks.Locks{
		Clients: s.clients, Log: s.log, PrintsDeadlocks: func() bool { return s.variables.Integer("innodb_print_all_deadlocks") != 0 },
	}
	o := txkv.Options{
		Registry:    s.reg,
		LockSpan:    storage.LockSpan,
		MemoryBytes: s.variables.Integer(status.PoolName),
		Flush: func() txkv.FlushPolicy {
			return txkv.FlushPolicy(s.variables.Integer("innodb_flush_log_at_trx_commit"))
		},
		OnWait:       s.waitsForRow,
		OnDeadlock:   s.locks.NoteDeadlock,
		LogError:     func(message string) { s.log.Write(errorlog.StorageFailed, message) },
		LogRecovered: func(message string) { s.log.Write(errorlog.StorageRecovered, message) },
	}
	s.rowLock = s.reg.NewRowLockClass()
	where := "in memory"
	if s.dir.Persistent() {
		o.Dir = s.dir.Join(tablesDirectory)
		where = o.Dir
		if err := os.Mkdir(o.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) { // nobody else reads what users keep
			return fmt.Errorf("cannot make %s: %w", where, err)
		}
	}
	store, err := txkv.Open(o)
	if err != nil {
		return fmt.Errorf("cannot open the tables %s: %w", where, err)
	}
	s.tables, err = storage.Open(store)
	if err == nil && len(s.tables.AllDatabases(nil)) == 0 {
		err = s.tables.CreateCollatedDatabase(nil, firstDatabase, sql.Collation_utf8mb4_0900_ai_ci)
	}
	if err != nil {
		s.tables = nil
		return fmt.Errorf("cannot open the tables %s: %w", where, errors.Join(err, store.Close()))
	}
	if s.variables.Integer("innodb_rollback_on_timeout") != 0 {
		s.tables.RollBackOnTimeout()
	}
	s.locks.Tables = s.tables
	tables.Provide(tables.Of(s.reg), s.locks.Rows)
	tables.Provide(tables.Of(s.reg), s.locks.WaitRows)
	return nil
}

// closeTables writes what is not on the device yet, and closes users' tables.
func (s *Server) closeTables() error {
	if s.tables == nil {
		return nil
	}
	return errors.Join(s.tables.Close(), s.tables.Store().Close())
}

// storageCounts are what users' tables have counted.
func (s *Server) storageCounts() infoschema.StorageCounts {
	store := s.tables.Store()
	c := s.tables.Counts()
	return infoschema.StorageCounts{
		RowsRead: c.Read, RowsInserted: c.Inserted, RowsUpdated: c.Updated, RowsDeleted: c.Deleted,
		Commits: c.Commits, Rollbacks: c.Rollbacks, SavepointRollbacks: c.SavepointRollbacks,
		Locks: store.LockStats(), Files: store.IOStats(),
	}
}

// storageStatus adds what users' tables have counted to the status variables.
func (s *Server) storageStatus(l *status.List) {
	m := s.tables.Store().Memory()
	c := status.Storage{StorageCounts: s.storageCounts(), Pool: uint64(s.variables.Integer(status.PoolName)), Cached: uint64(m.BlockCache + m.MemTables)}
	c.AddTo(l)
}
