-- What threads are doing: a row for each thread, the one that has done what it does for longest first, of those
-- for as long that whose last wait took most time. Of statements within others it is the outermost one, of waits
-- within others the innermost.
SELECT t.THREAD_ID AS thd_id, -- bigint unsigned NOT NULL
       t.PROCESSLIST_ID AS conn_id, -- bigint unsigned
       IF(t.PROCESSLIST_ID IS NULL, REPLACE(t.NAME, 'thread/', ''), CONCAT(t.PROCESSLIST_USER, '@', t.PROCESSLIST_HOST)) AS user, -- varchar(288)
       t.PROCESSLIST_DB AS db, -- varchar(64)
       t.PROCESSLIST_COMMAND AS command, -- varchar(16)
       t.PROCESSLIST_STATE AS state, -- varchar(64)
       t.PROCESSLIST_TIME AS time, -- bigint
       {statement: t.PROCESSLIST_INFO} AS current_statement, -- longtext
       t.EXECUTION_ENGINE AS execution_engine, -- enum('PRIMARY','SECONDARY')
       {time: IF(s.END_EVENT_ID IS NULL, s.TIMER_WAIT, NULL)} AS statement_latency, -- bigint unsigned
       IF(g.END_EVENT_ID IS NULL, ROUND(100 * g.WORK_COMPLETED / NULLIF(g.WORK_ESTIMATED, 0), 2), NULL) AS progress, -- decimal(26,2)
       {time: s.LOCK_TIME} AS lock_latency, -- bigint unsigned
       {time: s.CPU_TIME} AS cpu_latency, -- bigint unsigned
       s.ROWS_EXAMINED AS rows_examined, -- bigint unsigned
       s.ROWS_SENT AS rows_sent, -- bigint unsigned
       s.ROWS_AFFECTED AS rows_affected, -- bigint unsigned
       s.CREATED_TMP_TABLES AS tmp_tables, -- bigint unsigned
       s.CREATED_TMP_DISK_TABLES AS tmp_disk_tables, -- bigint unsigned
       IF(s.NO_GOOD_INDEX_USED > 0 OR s.NO_INDEX_USED > 0, 'YES', 'NO') AS full_scan, -- varchar(3) NOT NULL
       {statement: IF(s.END_EVENT_ID IS NULL, NULL, s.SQL_TEXT)} AS last_statement, -- longtext
       {time: IF(s.END_EVENT_ID IS NULL, NULL, s.TIMER_WAIT)} AS last_statement_latency, -- bigint unsigned
       {bytes: m.allocated} AS current_memory, -- decimal(41,0)
       w.EVENT_NAME AS last_wait, -- varchar(128)
       IF(w.END_EVENT_ID IS NULL AND w.EVENT_NAME IS NOT NULL, 'Still Waiting', {time: w.TIMER_WAIT}) AS last_wait_latency, -- varchar(13) / varchar(20)
       w.SOURCE AS source, -- varchar(64)
       {time: x.TIMER_WAIT} AS trx_latency, -- bigint unsigned
       x.STATE AS trx_state, -- enum('ACTIVE','COMMITTED','ROLLED BACK')
       x.AUTOCOMMIT AS trx_autocommit, -- enum('YES','NO')
       p.ATTR_VALUE AS pid, -- varchar(1024)
       n.ATTR_VALUE AS program_name -- varchar(1024)
  FROM performance_schema.threads t
  LEFT JOIN (SELECT THREAD_ID, EVENT_NAME, END_EVENT_ID, TIMER_WAIT, SOURCE,
                    ROW_NUMBER() OVER (PARTITION BY THREAD_ID ORDER BY EVENT_ID DESC) AS place
               FROM performance_schema.events_waits_current) w ON w.THREAD_ID = t.THREAD_ID AND w.place = 1
  LEFT JOIN performance_schema.events_statements_current s ON s.THREAD_ID = t.THREAD_ID AND s.NESTING_EVENT_LEVEL = 0
  LEFT JOIN performance_schema.events_stages_current g ON g.THREAD_ID = t.THREAD_ID
  LEFT JOIN performance_schema.events_transactions_current x ON x.THREAD_ID = t.THREAD_ID
  LEFT JOIN (SELECT THREAD_ID, SUM(CURRENT_NUMBER_OF_BYTES_USED) AS allocated
               FROM performance_schema.memory_summary_by_thread_by_event_name
              GROUP BY THREAD_ID) m ON m.THREAD_ID = t.THREAD_ID
  LEFT JOIN performance_schema.session_connect_attrs p ON p.PROCESSLIST_ID = t.PROCESSLIST_ID AND p.ATTR_NAME = '_pid'
  LEFT JOIN performance_schema.session_connect_attrs n ON n.PROCESSLIST_ID = t.PROCESSLIST_ID AND n.ATTR_NAME = 'program_name'
 ORDER BY t.PROCESSLIST_TIME DESC, w.TIMER_WAIT DESC
