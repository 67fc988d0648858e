-- Who waits for a metadata lock of a table, and for whom: a row for each lock that is waited for and each that another
-- thread has on the same table.
SELECT p.OBJECT_SCHEMA AS object_schema, -- varchar(64)
       p.OBJECT_NAME AS object_name, -- varchar(64)
       w.THREAD_ID AS waiting_thread_id, -- bigint unsigned NOT NULL
       w.PROCESSLIST_ID AS waiting_pid, -- bigint unsigned
       sys.ps_thread_account(p.OWNER_THREAD_ID) AS waiting_account, -- text
       p.LOCK_TYPE AS waiting_lock_type, -- varchar(32) NOT NULL
       p.LOCK_DURATION AS waiting_lock_duration, -- varchar(32) NOT NULL
       {statement: w.PROCESSLIST_INFO} AS waiting_query, -- longtext
       w.PROCESSLIST_TIME AS waiting_query_secs, -- bigint
       s.ROWS_AFFECTED AS waiting_query_rows_affected, -- bigint unsigned
       s.ROWS_EXAMINED AS waiting_query_rows_examined, -- bigint unsigned
       b.THREAD_ID AS blocking_thread_id, -- bigint unsigned NOT NULL
       b.PROCESSLIST_ID AS blocking_pid, -- bigint unsigned
       sys.ps_thread_account(g.OWNER_THREAD_ID) AS blocking_account, -- text
       g.LOCK_TYPE AS blocking_lock_type, -- varchar(32) NOT NULL
       g.LOCK_DURATION AS blocking_lock_duration, -- varchar(32) NOT NULL
       CONCAT('KILL QUERY ', b.PROCESSLIST_ID) AS sql_kill_blocking_query, -- varchar(31)
       CONCAT('KILL ', b.PROCESSLIST_ID) AS sql_kill_blocking_connection -- varchar(25)
  FROM performance_schema.metadata_locks p
  JOIN performance_schema.metadata_locks g
    ON g.OBJECT_TYPE = 'TABLE' AND g.OBJECT_SCHEMA = p.OBJECT_SCHEMA AND g.OBJECT_NAME = p.OBJECT_NAME
   AND g.LOCK_STATUS = 'GRANTED' AND g.OWNER_THREAD_ID <> p.OWNER_THREAD_ID
  JOIN performance_schema.threads w ON w.THREAD_ID = p.OWNER_THREAD_ID
  JOIN performance_schema.threads b ON b.THREAD_ID = g.OWNER_THREAD_ID
  LEFT JOIN performance_schema.events_statements_current s ON s.THREAD_ID = p.OWNER_THREAD_ID AND s.NESTING_EVENT_LEVEL = 0
 WHERE p.OBJECT_TYPE = 'TABLE' AND p.LOCK_STATUS = 'PENDING'
