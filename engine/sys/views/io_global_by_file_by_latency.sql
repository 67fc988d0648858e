-- How long files keep one waiting: a row for each file, the one that took most time first.
SELECT {path: FILE_NAME} AS file, -- varchar(512) NOT NULL
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       COUNT_READ AS count_read, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_READ} AS read_latency, -- bigint unsigned NOT NULL
       COUNT_WRITE AS count_write, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WRITE} AS write_latency, -- bigint unsigned NOT NULL
       COUNT_MISC AS count_misc, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_MISC} AS misc_latency -- bigint unsigned NOT NULL
  FROM performance_schema.file_summary_by_instance
 ORDER BY SUM_TIMER_WAIT DESC
