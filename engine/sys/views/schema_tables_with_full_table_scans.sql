-- Tables that are read without an index: a row for each table, the one of which most rows were read so first.
SELECT OBJECT_SCHEMA AS object_schema, -- varchar(64)
       OBJECT_NAME AS object_name, -- varchar(64)
       COUNT_READ AS rows_full_scanned, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS latency -- bigint unsigned NOT NULL
  FROM performance_schema.table_io_waits_summary_by_index_usage
 WHERE INDEX_NAME IS NULL
   AND COUNT_READ > 0
 ORDER BY COUNT_READ DESC
