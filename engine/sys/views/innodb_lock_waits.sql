-- Who waits for a lock of a row, and for whom, the one that has waited for longest first.
SELECT r.trx_wait_started AS wait_started, -- datetime
       TIMEDIFF(NOW(), r.trx_wait_started) AS wait_age, -- time
       TIMESTAMPDIFF(SECOND, r.trx_wait_started, NOW()) AS wait_age_secs, -- bigint
       CONCAT(sys.quote_identifier(h.OBJECT_SCHEMA), '.', sys.quote_identifier(h.OBJECT_NAME)) AS locked_table, -- mediumtext
       h.OBJECT_SCHEMA AS locked_table_schema, -- varchar(64)
       h.OBJECT_NAME AS locked_table_name, -- varchar(64)
       h.PARTITION_NAME AS locked_table_partition, -- varchar(64)
       h.SUBPARTITION_NAME AS locked_table_subpartition, -- varchar(64)
       h.INDEX_NAME AS locked_index, -- varchar(64)
       h.LOCK_TYPE AS locked_type, -- varchar(32) NOT NULL
       r.trx_id AS waiting_trx_id, -- bigint unsigned NOT NULL
       r.trx_started AS waiting_trx_started, -- datetime NOT NULL
       TIMEDIFF(NOW(), r.trx_started) AS waiting_trx_age, -- time
       r.trx_rows_locked AS waiting_trx_rows_locked, -- bigint unsigned NOT NULL
       r.trx_rows_modified AS waiting_trx_rows_modified, -- bigint unsigned NOT NULL
       r.trx_mysql_thread_id AS waiting_pid, -- bigint unsigned NOT NULL
       {statement: r.trx_query} AS waiting_query, -- longtext / varchar(1024)
       q.ENGINE_LOCK_ID AS waiting_lock_id, -- varchar(128) NOT NULL
       q.LOCK_MODE AS waiting_lock_mode, -- varchar(32) NOT NULL
       b.trx_id AS blocking_trx_id, -- bigint unsigned NOT NULL
       b.trx_mysql_thread_id AS blocking_pid, -- bigint unsigned NOT NULL
       {statement: b.trx_query} AS blocking_query, -- longtext / varchar(1024)
       h.ENGINE_LOCK_ID AS blocking_lock_id, -- varchar(128) NOT NULL
       h.LOCK_MODE AS blocking_lock_mode, -- varchar(32) NOT NULL
       b.trx_started AS blocking_trx_started, -- datetime NOT NULL
       TIMEDIFF(NOW(), b.trx_started) AS blocking_trx_age, -- time
       b.trx_rows_locked AS blocking_trx_rows_locked, -- bigint unsigned NOT NULL
       b.trx_rows_modified AS blocking_trx_rows_modified, -- bigint unsigned NOT NULL
       CONCAT('KILL QUERY ', b.trx_mysql_thread_id) AS sql_kill_blocking_query, -- varchar(33)
       CONCAT('KILL ', b.trx_mysql_thread_id) AS sql_kill_blocking_connection -- varchar(27)
  FROM performance_schema.data_lock_waits w
  JOIN information_schema.INNODB_TRX r ON r.trx_id = w.REQUESTING_ENGINE_TRANSACTION_ID
  JOIN information_schema.INNODB_TRX b ON b.trx_id = w.BLOCKING_ENGINE_TRANSACTION_ID
  JOIN performance_schema.data_locks q ON q.ENGINE_LOCK_ID = w.REQUESTING_ENGINE_LOCK_ID AND q.ENGINE = w.ENGINE
  JOIN performance_schema.data_locks h ON h.ENGINE_LOCK_ID = w.BLOCKING_ENGINE_LOCK_ID AND h.ENGINE = w.ENGINE
 ORDER BY r.trx_wait_started
