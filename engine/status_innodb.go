package engine

import (
	"strings"
	"time"

	"pfsd/engine/infoschema"
)

// The status variables Innodb_... are those of users' tables, as far as these have something that the name says.

// innodbPageSize is the size of a page, bytes. There are none in memory: one is as much of innodb_buffer_pool_size, which tools divide by.
const innodbPageSize = 16384

// poolName is the variable that says what users' tables may have in memory.
const poolName = "innodb_buffer_pool_size"

// innodbPages are the status variables that are numbers of pages, and innodbPageName is their size, bytes.
var innodbPages = []string{"Innodb_buffer_pool_pages_total", "Innodb_buffer_pool_pages_free", "Innodb_buffer_pool_pages_data"}

const innodbPageName = "Innodb_page_size"

// innodb adds the status variables of InnoDB.
func (s *serverStatus) innodb(l *statusList) {
	l.zero("0", innodbNumbers...)
	l.number(innodbPageName, innodbPageSize)
	s.storage(l)
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

// storageStatus adds what users' tables have counted.
func (s *Server) storageStatus(l *statusList) {
	c := s.storageCounts()
	m := s.tables.Store().Memory()
	pool, data := uint64(s.variables.Integer(poolName)), uint64(m.BlockCache+m.MemTables)
	l.number(innodbPages[0], pool/innodbPageSize)
	l.number(innodbPages[1], (pool-min(data, pool))/innodbPageSize)
	l.number(innodbPages[2], data/innodbPageSize)
	l.number("Innodb_buffer_pool_bytes_data", data)
	l.number("Innodb_rows_read", c.RowsRead)
	l.number("Innodb_rows_inserted", c.RowsInserted)
	l.number("Innodb_rows_updated", c.RowsUpdated)
	l.number("Innodb_rows_deleted", c.RowsDeleted)

	milliseconds := uint64(c.Locks.Time / time.Millisecond)
	l.number("Innodb_row_lock_waits", c.Locks.Waits)
	l.number("Innodb_row_lock_current_waits", c.Locks.Current)
	l.number("Innodb_row_lock_time", milliseconds)
	l.number("Innodb_row_lock_time_avg", milliseconds/max(c.Locks.Waits, 1))
	l.number("Innodb_row_lock_time_max", uint64(c.Locks.Max/time.Millisecond))

	f := &c.Files
	l.number("Innodb_data_reads", f.Reads)
	l.number("Innodb_data_read", f.ReadBytes)
	l.number("Innodb_data_writes", f.Writes)
	l.number("Innodb_data_written", f.WrittenBytes)
	l.number("Innodb_data_fsyncs", f.Syncs)
	l.number("Innodb_data_pending_reads", uint64(f.PendingReads))
	l.number("Innodb_data_pending_writes", uint64(f.PendingWrites))
	l.number("Innodb_data_pending_fsyncs", uint64(f.PendingSyncs))
	l.number("Innodb_num_open_files", uint64(f.OpenFiles))
	// Tools divide by these two: without a data directory there is no log, and they are 1.
	l.number("Innodb_log_write_requests", max(f.LogRequests, 1))
	l.number("Innodb_log_writes", max(f.LogWrites, 1))
	l.number("Innodb_log_waits", f.LogWaits)
	l.number("Innodb_os_log_written", f.LogBytes)
	l.number("Innodb_os_log_fsyncs", f.LogSyncs)
	l.number("Innodb_os_log_pending_writes", uint64(f.PendingLogWrites))
	l.number("Innodb_os_log_pending_fsyncs", uint64(f.PendingLogSyncs))
}

// innodbNumbers are status variables of what InnoDB has and users' tables have not.
var innodbNumbers = strings.Fields(`Innodb_buffer_pool_bytes_dirty
	Innodb_buffer_pool_pages_dirty Innodb_buffer_pool_pages_flushed Innodb_buffer_pool_pages_latched
	Innodb_buffer_pool_pages_misc Innodb_buffer_pool_read_ahead Innodb_buffer_pool_read_ahead_evicted Innodb_buffer_pool_read_ahead_rnd
	Innodb_buffer_pool_read_requests Innodb_buffer_pool_reads Innodb_buffer_pool_resize_status_code
	Innodb_buffer_pool_resize_status_progress Innodb_buffer_pool_wait_free Innodb_buffer_pool_write_requests
	Innodb_dblwr_pages_written Innodb_dblwr_writes
	Innodb_pages_created Innodb_pages_read Innodb_pages_written Innodb_redo_log_capacity_resized
	Innodb_redo_log_checkpoint_lsn Innodb_redo_log_current_lsn Innodb_redo_log_flushed_to_disk_lsn Innodb_redo_log_logical_size
	Innodb_redo_log_physical_size Innodb_redo_log_uuid
	Innodb_system_rows_deleted Innodb_system_rows_inserted Innodb_system_rows_read Innodb_system_rows_updated
	Innodb_truncated_status_writes Innodb_undo_tablespaces_active Innodb_undo_tablespaces_explicit Innodb_undo_tablespaces_implicit
	Innodb_undo_tablespaces_total`)
