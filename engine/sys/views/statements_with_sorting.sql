-- Statements that have sorted rows: a row for each digest in each schema, the one that took most time first.
SELECT {statement: DIGEST_TEXT} AS query, -- longtext
       SCHEMA_NAME AS db, -- varchar(64)
       COUNT_STAR AS exec_count, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       SUM_SORT_MERGE_PASSES AS sort_merge_passes, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_SORT_MERGE_PASSES / NULLIF(COUNT_STAR, 0), 0)) AS avg_sort_merges, -- decimal(21,0) NOT NULL
       SUM_SORT_SCAN AS sorts_using_scans, -- bigint unsigned NOT NULL
       SUM_SORT_RANGE AS sort_using_range, -- bigint unsigned NOT NULL
       SUM_SORT_ROWS AS rows_sorted, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_SORT_ROWS / NULLIF(COUNT_STAR, 0), 0)) AS avg_rows_sorted, -- decimal(21,0) NOT NULL
       FIRST_SEEN AS first_seen, -- timestamp(6) NOT NULL
       LAST_SEEN AS last_seen, -- timestamp(6) NOT NULL
       DIGEST AS digest -- varchar(64)
  FROM performance_schema.events_statements_summary_by_digest
 WHERE SUM_SORT_ROWS > 0
 ORDER BY SUM_TIMER_WAIT DESC
