-- What indexes are used for: a row for each index, the one that took most time first.
SELECT OBJECT_SCHEMA AS table_schema, -- varchar(64)
       OBJECT_NAME AS table_name, -- varchar(64)
       INDEX_NAME AS index_name, -- varchar(64)
       COUNT_FETCH AS rows_selected, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_FETCH} AS select_latency, -- bigint unsigned NOT NULL
       COUNT_INSERT AS rows_inserted, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_INSERT} AS insert_latency, -- bigint unsigned NOT NULL
       COUNT_UPDATE AS rows_updated, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_UPDATE} AS update_latency, -- bigint unsigned NOT NULL
       COUNT_DELETE AS rows_deleted, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_DELETE} AS delete_latency -- bigint unsigned NOT NULL
  FROM performance_schema.table_io_waits_summary_by_index_usage
 WHERE INDEX_NAME IS NOT NULL
 ORDER BY SUM_TIMER_WAIT DESC
