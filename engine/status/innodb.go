package status

import (
	"strings"
	"time"

	"pfsd/engine/infoschema"
)

// The status variables Innodb_... are those of users' tables, as far as these have something that the name says.

// innodbPageSize is the size of a page, bytes. There are none in memory: one is as much of innodb_buffer_pool_size, which tools divide by.
const innodbPageSize = 16384

// PoolName is the variable that says what users' tables may have in memory.
const PoolName = "innodb_buffer_pool_size"

// innodbPages are the status variables that are numbers of pages, and innodbPageName is their size, bytes.
var innodbPages = []string{"Innodb_buffer_pool_pages_total", "Innodb_buffer_pool_pages_free", "Innodb_buffer_pool_pages_data"}

const innodbPageName = "Innodb_page_size"

// innodb adds the status variables of InnoDB.
func (s *Server) innodb(l *List) {
	l.zero("0", innodbNumbers...)
	l.Number(innodbPageName, innodbPageSize)
	s.Tables(l)
}

// Storage is what users' tables have counted, and what of them is in memory.
type Storage struct {
	infoschema.StorageCounts
	Pool, Cached uint64 // bytes that they may have in memory, and that they have
}

// AddTo adds the status variables to l.
func (c *Storage) AddTo(l *List) {
	l.Number(innodbPages[0], c.Pool/innodbPageSize)
	l.Number(innodbPages[1], (c.Pool-min(c.Cached, c.Pool))/innodbPageSize)
	l.Number(innodbPages[2], c.Cached/innodbPageSize)
	l.Number("Innodb_buffer_pool_bytes_data", c.Cached)
	l.Number("Innodb_rows_read", c.RowsRead)
	l.Number("Innodb_rows_inserted", c.RowsInserted)
	l.Number("Innodb_rows_updated", c.RowsUpdated)
	l.Number("Innodb_rows_deleted", c.RowsDeleted)

	milliseconds := uint64(c.Locks.Time / time.Millisecond)
	l.Number("Innodb_row_lock_waits", c.Locks.Waits)
	l.Number("Innodb_row_lock_current_waits", c.Locks.Current)
	l.Number("Innodb_row_lock_time", milliseconds)
	l.Number("Innodb_row_lock_time_avg", milliseconds/max(c.Locks.Waits, 1))
	l.Number("Innodb_row_lock_time_max", uint64(c.Locks.Max/time.Millisecond))

	f := &c.Files
	l.Number("Innodb_data_reads", f.Reads)
	l.Number("Innodb_data_read", f.ReadBytes)
	l.Number("Innodb_data_writes", f.Writes)
	l.Number("Innodb_data_written", f.WrittenBytes)
	l.Number("Innodb_data_fsyncs", f.Syncs)
	l.Number("Innodb_data_pending_reads", uint64(f.PendingReads))
	l.Number("Innodb_data_pending_writes", uint64(f.PendingWrites))
	l.Number("Innodb_data_pending_fsyncs", uint64(f.PendingSyncs))
	l.Number("Innodb_num_open_files", uint64(f.OpenFiles))
	// Tools divide by these two: without a data directory there is no log, and they are 1.
	l.Number("Innodb_log_write_requests", max(f.LogRequests, 1))
	l.Number("Innodb_log_writes", max(f.LogWrites, 1))
	l.Number("Innodb_log_waits", f.LogWaits)
	l.Number("Innodb_os_log_written", f.LogBytes)
	l.Number("Innodb_os_log_fsyncs", f.LogSyncs)
	l.Number("Innodb_os_log_pending_writes", uint64(f.PendingLogWrites))
	l.Number("Innodb_os_log_pending_fsyncs", uint64(f.PendingLogSyncs))
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
