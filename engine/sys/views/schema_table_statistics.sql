-- What tables are used for: a row for each table, the one that took most time first, with what has become of files of its name.
SELECT t.OBJECT_SCHEMA AS table_schema, -- varchar(64)
       t.OBJECT_NAME AS table_name, -- varchar(64)
       {time: t.SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       t.COUNT_FETCH AS rows_fetched, -- bigint unsigned NOT NULL
       {time: t.SUM_TIMER_FETCH} AS fetch_latency, -- bigint unsigned NOT NULL
       t.COUNT_INSERT AS rows_inserted, -- bigint unsigned NOT NULL
       {time: t.SUM_TIMER_INSERT} AS insert_latency, -- bigint unsigned NOT NULL
       t.COUNT_UPDATE AS rows_updated, -- bigint unsigned NOT NULL
       {time: t.SUM_TIMER_UPDATE} AS update_latency, -- bigint unsigned NOT NULL
       t.COUNT_DELETE AS rows_deleted, -- bigint unsigned NOT NULL
       {time: t.SUM_TIMER_DELETE} AS delete_latency, -- bigint unsigned NOT NULL
       f.count_read AS io_read_requests, -- decimal(42,0)
       {bytes: f.sum_number_of_bytes_read} AS io_read, -- decimal(41,0)
       {time: f.sum_timer_read} AS io_read_latency, -- decimal(42,0)
       f.count_write AS io_write_requests, -- decimal(42,0)
       {bytes: f.sum_number_of_bytes_write} AS io_write, -- decimal(41,0)
       {time: f.sum_timer_write} AS io_write_latency, -- decimal(42,0)
       f.count_misc AS io_misc_requests, -- decimal(42,0)
       {time: f.sum_timer_misc} AS io_misc_latency -- decimal(42,0)
  FROM performance_schema.table_io_waits_summary_by_table t
  LEFT JOIN sys.`x$ps_schema_table_statistics_io` f ON f.table_schema = t.OBJECT_SCHEMA AND f.table_name = t.OBJECT_NAME
 ORDER BY t.SUM_TIMER_WAIT DESC
