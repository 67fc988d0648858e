package usertables

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/fulltext"
)

// Storage keeps users' databases. Each of them is a StoredDatabase. Safe for concurrent use.
type Storage interface {
	sql.MutableDatabaseProvider
	// NewSession makes a session whose transactions are the storage's; it has base for everything else.
	NewSession(base *sql.BaseSession) sql.TransactionSession
	// NewTemporary makes a database for temporary tables of the session of ctx, which nobody else sees. The name ends with
	// temporarySuffix, the same session asks for each name once, and the database goes with the session.
	NewTemporary(ctx *sql.Context, name string) StoredDatabase
	// Created is when a table or a view was made, false if that is not known.
	Created(db, name string) (time.Time, bool)
}

// temporarySuffix is what the name of a database of temporary tables ends with. No database of users' has such a name.
const temporarySuffix = "\x00temporary"

// StoredDatabase is a database as a Storage keeps it: definitions as texts, and tables, each of which is a StoredTable. The
// event scheduler reads and writes events with a nil context. Safe for concurrent use.
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

// StoredTable is a table as a Storage keeps it. What it cannot do, its methods answer with an error. Safe for concurrent use.
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

// StoredIndexedTable is a StoredTable whose rows an index finds.
type StoredIndexedTable interface {
	StoredTable
	LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error)
	// LookupRows returns the rows of all these partitions. They end with the error of ctx when it ends.
	LookupRows(ctx *sql.Context, lookup sql.IndexLookup) sql.RowIter
}
