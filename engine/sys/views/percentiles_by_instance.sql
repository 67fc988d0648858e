-- How long the waits for objects took, of files and sockets also reads, writes and the rest: a row for each that has a histogram, the one with the longest 99th percentile
-- first. Histograms of objects need the consumers events_waits_histogram_by_instance, events_waits_histogram and events_waits_current.
SELECT EVENT_NAME AS event_name, -- varchar(128) NOT NULL
       OBJECT_INSTANCE_BEGIN AS object_instance_begin, -- bigint unsigned
       {path: OBJECT_NAME} AS object_name, -- varchar(512)
       OPERATION AS operation, -- varchar(8)
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: QUANTILE_50} AS p50_latency, -- bigint unsigned NOT NULL
       {time: QUANTILE_95} AS p95_latency, -- bigint unsigned NOT NULL
       {time: QUANTILE_99} AS p99_latency, -- bigint unsigned NOT NULL
       {time: QUANTILE_999} AS p999_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency -- bigint unsigned NOT NULL
  FROM performance_schema.event_percentiles
 WHERE OBJECT_INSTANCE_BEGIN IS NOT NULL
 ORDER BY QUANTILE_99 DESC
