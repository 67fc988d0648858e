SELECT @@version;
SET SESSION lock_wait_timeout = 2;
SHOW GLOBAL STATUS;
SHOW GLOBAL VARIABLES;
-- error 1064
SHOW ALL SLAVES STATUS;
SHOW REPLICA STATUS;
SHOW REPLICAS;
SELECT @@log_bin;
SELECT @@global.performance_schema;
SELECT ifnull(SCHEMA_NAME, 'NONE') AS schema_name, DIGEST, LEFT(DIGEST_TEXT, 120) AS digest_text, COUNT_STAR, SUM_TIMER_WAIT, SUM_LOCK_TIME, SUM_CPU_TIME, SUM_ERRORS, SUM_WARNINGS, SUM_ROWS_AFFECTED, SUM_ROWS_SENT, SUM_ROWS_EXAMINED, SUM_CREATED_TMP_DISK_TABLES, SUM_CREATED_TMP_TABLES, SUM_SORT_MERGE_PASSES, SUM_SORT_ROWS, SUM_NO_INDEX_USED, QUANTILE_95, QUANTILE_99, QUANTILE_999
  FROM (SELECT * FROM performance_schema.events_statements_summary_by_digest
         WHERE SCHEMA_NAME NOT IN ('mysql', 'performance_schema', 'information_schema') AND LAST_SEEN > DATE_SUB(NOW(), INTERVAL 86400 SECOND)
         ORDER BY LAST_SEEN DESC) Q
 GROUP BY Q.SCHEMA_NAME, Q.DIGEST, Q.DIGEST_TEXT, Q.COUNT_STAR, Q.SUM_TIMER_WAIT, Q.SUM_LOCK_TIME, Q.SUM_CPU_TIME, Q.SUM_ERRORS, Q.SUM_WARNINGS, Q.SUM_ROWS_AFFECTED, Q.SUM_ROWS_SENT, Q.SUM_ROWS_EXAMINED, Q.SUM_CREATED_TMP_DISK_TABLES, Q.SUM_CREATED_TMP_TABLES, Q.SUM_SORT_MERGE_PASSES, Q.SUM_SORT_ROWS, Q.SUM_NO_INDEX_USED, Q.QUANTILE_95, Q.QUANTILE_99, Q.QUANTILE_999
 ORDER BY SUM_TIMER_WAIT DESC LIMIT 250;
SELECT SUM(COUNT_STAR) AS n, SUM(SUM_ERRORS) AS errors, SUM(SUM_ROWS_SENT) AS sent, SUM(SUM_TIMER_WAIT) AS wait, SUM(SUM_LOCK_TIME) AS locks FROM performance_schema.events_statements_summary_by_digest;
SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT FROM performance_schema.events_waits_summary_global_by_event_name;
SELECT EVENT_NAME, COUNT_READ, SUM_TIMER_READ, SUM_NUMBER_OF_BYTES_READ, COUNT_WRITE, SUM_TIMER_WRITE, SUM_NUMBER_OF_BYTES_WRITE, COUNT_MISC, SUM_TIMER_MISC FROM performance_schema.file_summary_by_event_name;
SELECT FILE_NAME, EVENT_NAME, COUNT_READ, COUNT_WRITE, SUM_NUMBER_OF_BYTES_READ, SUM_NUMBER_OF_BYTES_WRITE FROM performance_schema.file_summary_by_instance WHERE FILE_NAME REGEXP '.*';
SELECT OBJECT_SCHEMA, OBJECT_NAME, ifnull(INDEX_NAME, 'NONE') AS INDEX_NAME, COUNT_FETCH, COUNT_INSERT, COUNT_UPDATE, COUNT_DELETE, SUM_TIMER_FETCH, SUM_TIMER_INSERT, SUM_TIMER_UPDATE, SUM_TIMER_DELETE FROM performance_schema.table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA NOT IN ('mysql', 'performance_schema');
SELECT OBJECT_SCHEMA, OBJECT_NAME, COUNT_FETCH, SUM_TIMER_FETCH FROM performance_schema.table_io_waits_summary_by_table WHERE OBJECT_SCHEMA NOT IN ('mysql', 'performance_schema');
SELECT OBJECT_SCHEMA, OBJECT_NAME, COUNT_READ_NORMAL, COUNT_READ_WITH_SHARED_LOCKS, COUNT_WRITE_ALLOW_WRITE, SUM_TIMER_READ_EXTERNAL, SUM_TIMER_WRITE_EXTERNAL FROM performance_schema.table_lock_waits_summary_by_table WHERE OBJECT_SCHEMA NOT IN ('mysql');
SELECT EVENT_NAME, SUM_NUMBER_OF_BYTES_ALLOC, SUM_NUMBER_OF_BYTES_FREE, CURRENT_NUMBER_OF_BYTES_USED FROM performance_schema.memory_summary_global_by_event_name WHERE COUNT_ALLOC > 0;
SELECT * FROM performance_schema.replication_group_members;
SELECT COUNT_TRANSACTIONS_IN_QUEUE, COUNT_CONFLICTS_DETECTED FROM performance_schema.replication_group_member_stats WHERE MEMBER_ID = @@server_uuid;
SELECT CHANNEL_NAME, WORKER_ID, LAST_APPLIED_TRANSACTION FROM performance_schema.replication_applier_status_by_worker;
SELECT user, statements, statement_latency, statement_avg_latency, table_scans, file_ios, file_io_latency, current_connections, total_connections, unique_hosts, current_memory FROM sys.x$user_summary;
SELECT page_size, compress_ops FROM information_schema.innodb_cmp;
SELECT page_size, buffer_pool_instance FROM information_schema.innodb_cmpmem;
SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.columns WHERE EXTRA = 'auto_increment';
SELECT user, host, command, state, COUNT(*) AS processes, SUM(TIME) AS seconds FROM information_schema.processlist WHERE ID != connection_id() AND TIME >= 0 GROUP BY user, host, command, state;
SHOW ENGINE INNODB STATUS;
SHOW ENGINE PERFORMANCE_SCHEMA STATUS;
