-- How long the events of instruments took, of those of files and sockets also reads, writes and the rest: a row for each that has a histogram, the one with the
-- longest 99th percentile first. Histograms need the consumers events_X_histogram.
SELECT EVENT_NAME AS event_name, -- varchar(128) NOT NULL
       OPERATION AS operation, -- varchar(8)
       COUNT_STAR AS total, -- bigint unsigned NOT NULL
       {time: QUANTILE_50} AS p50_latency, -- bigint unsigned NOT NULL
       {time: QUANTILE_95} AS p95_latency, -- bigint unsigned NOT NULL
       {time: QUANTILE_99} AS p99_latency, -- bigint unsigned NOT NULL
       {time: QUANTILE_999} AS p999_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency -- bigint unsigned NOT NULL
  FROM performance_schema.event_percentiles
 WHERE OBJECT_INSTANCE_BEGIN IS NULL
 ORDER BY QUANTILE_99 DESC
