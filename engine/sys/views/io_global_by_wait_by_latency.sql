-- How long files keep one waiting: a row for each event of files that has happened, without wait/io/file/ in
-- its name, the one that took most time first.
SELECT SUBSTRING(EVENT_NAME, 14) AS event_name, -- varchar(128)
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       {time: AVG_TIMER_WAIT} AS avg_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_READ} AS read_latency, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WRITE} AS write_latency, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_MISC} AS misc_latency, -- bigint unsigned NOT NULL
       COUNT_READ AS count_read, -- bigint unsigned NOT NULL
       {bytes: SUM_NUMBER_OF_BYTES_READ} AS total_read, -- bigint NOT NULL
       {bytes: IFNULL(SUM_NUMBER_OF_BYTES_READ / NULLIF(COUNT_READ, 0), 0)} AS avg_read, -- decimal(23,4) NOT NULL
       COUNT_WRITE AS count_write, -- bigint unsigned NOT NULL
       {bytes: SUM_NUMBER_OF_BYTES_WRITE} AS total_written, -- bigint NOT NULL
       {bytes: IFNULL(SUM_NUMBER_OF_BYTES_WRITE / NULLIF(COUNT_WRITE, 0), 0)} AS avg_written -- decimal(23,4) NOT NULL
  FROM performance_schema.file_summary_by_event_name
 WHERE EVENT_NAME LIKE 'wait/io/file/%' AND COUNT_STAR > 0
 ORDER BY SUM_TIMER_WAIT DESC
