package usertables

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"
)

// Storage keeps users' databases. Each of them is a StoredDatabase. Safe for concurrent use.
type Storage interface {
	sql.MutableDatabaseProvider
	// NewSession returns a session with the transactions of the storage. It uses base for
	// everything else.
	NewSession(base *sql.BaseSession) sql.TransactionSession
	// NewTemporary returns a database for temporary tables of the session of ctx. No other session
	// sees it. The name ends with temporarySuffix. A session calls it once for each name, and the
	// database ends with the session.
	NewTemporary(ctx *sql.Context, name string) StoredDatabase
	// Created returns when a table or a view was created, false if that is not known.
	Created(db, name string) (time.Time, bool)
}

// temporarySuffix is the end of the names of databases of temporary tables. No users' database has
// such a name.
const temporarySuffix = "\x00temporary"

// StoredDatabase is a database in a Storage: definitions as texts, and tables, each of which is a
// StoredTable. The event scheduler reads and writes events with a nil context. Safe for concurrent
// use.
type StoredDatabase interface {
	sql.Database
	sql.TableCreator
	sql.IndexedTableCreator
	sql.TableDropper
	sql.TableRenamer
	sql.ViewDatabase
	sql.TriggerDatabase
	sql.StoredProcedureDatabase
	sql.EventDatabase
	sql.CollatedDatabase
	sql.SchemaValidator
	fulltext.Database
}

// StoredTable is a table in a Storage. Its methods return an error for what it cannot do. Safe for
// concurrent use.
type StoredTable interface {
	sql.Table
	sql.Databaseable
	sql.PartitionCounter
	sql.PrimaryKeyTable
	sql.ProjectedTable
	sql.StatisticsTable
	sql.CommentedTable
	sql.IndexAddressableTable

	sql.InsertableTable
	sql.ReplaceableTable
	sql.UpdatableTable
	sql.DeletableTable
	sql.TruncateableTable
	sql.AutoIncrementTable

	sql.RewritableTable
	sql.IndexAlterableTable
	sql.IndexBuildingTable
	sql.PrimaryKeyAlterableTable
	sql.CheckTable
	sql.CheckAlterableTable
	sql.ForeignKeyTable
	sql.CollationAlterableTable
	sql.CommentAlterableTable
	fulltext.IndexAlterableTable
}

// AutoReserver is a StoredTable that uses up AUTO_INCREMENT values one after the other.
type AutoReserver interface {
	// ReserveAutoIncrement uses up as many values as wanted, and returns the first of them, and how many there are: fewer, but at least one,
	// where the column ends.
	ReserveAutoIncrement(want uint64) (first, count uint64, err error)
}

// Coverer is a StoredTable that knows which columns an index has.
type Coverer interface {
	// Covers tells whether columns can be read from an index, without the rows.
	Covers(index string, columns []string) bool
}

// Finder is an editor that finds a row that a statement has read, and locks it. What the statement has done since may have changed the row.
type Finder interface {
	// Find returns the row as it is now, nil if it is not there any more.
	Find(ctx *sql.Context, row sql.Row) (sql.Row, error)
}

// StoredIndexedTable is a StoredTable whose rows an index finds.
type StoredIndexedTable interface {
	StoredTable
	LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error)
	// LookupRows returns the rows of all partitions of the lookup. When ctx ends, they end with its
	// error.
	LookupRows(ctx *sql.Context, lookup sql.IndexLookup) sql.RowIter
}
