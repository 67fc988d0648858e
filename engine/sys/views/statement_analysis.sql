-- What statements cost: a row for each digest in each schema, the one that took most time first.
SELECT {statement: DIGEST_TEXT} AS query, -- longtext
       SCHEMA_NAME AS db, -- varchar(64)
       IF(SUM_NO_GOOD_INDEX_USED > 0 OR SUM_NO_INDEX_USED > 0, '*', '') AS full_scan, -- varchar(1) NOT NULL
       COUNT_STAR AS exec_count, -- bigint unsigned NOT NULL
       COUNT_SECONDARY AS exec_secondary_count, -- x$ only: bigint unsigned NOT NULL
       SUM_ERRORS AS err_count, -- bigint unsigned NOT NULL
       SUM_WARNINGS AS warn_count, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       {time: MAX_TIMER_WAIT} AS max_latency, -- bigint unsigned NOT NULL
       {time: AVG_TIMER_WAIT} AS avg_latency, -- bigint unsigned NOT NULL
       {time: SUM_LOCK_TIME} AS lock_latency, -- bigint unsigned NOT NULL
       {time: SUM_CPU_TIME} AS cpu_latency, -- bigint unsigned NOT NULL
       SUM_ROWS_SENT AS rows_sent, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_ROWS_SENT / NULLIF(COUNT_STAR, 0), 0)) AS rows_sent_avg, -- decimal(21,0) NOT NULL
       SUM_ROWS_EXAMINED AS rows_examined, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_ROWS_EXAMINED / NULLIF(COUNT_STAR, 0), 0)) AS rows_examined_avg, -- decimal(21,0) NOT NULL
       SUM_ROWS_AFFECTED AS rows_affected, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_ROWS_AFFECTED / NULLIF(COUNT_STAR, 0), 0)) AS rows_affected_avg, -- decimal(21,0) NOT NULL
       SUM_CREATED_TMP_TABLES AS tmp_tables, -- bigint unsigned NOT NULL
       SUM_CREATED_TMP_DISK_TABLES AS tmp_disk_tables, -- bigint unsigned NOT NULL
       SUM_SORT_ROWS AS rows_sorted, -- bigint unsigned NOT NULL
       SUM_SORT_MERGE_PASSES AS sort_merge_passes, -- bigint unsigned NOT NULL
       {bytes: MAX_CONTROLLED_MEMORY} AS max_controlled_memory, -- bigint unsigned NOT NULL
       {bytes: MAX_TOTAL_MEMORY} AS max_total_memory, -- bigint unsigned NOT NULL
       DIGEST AS digest, -- varchar(64)
       FIRST_SEEN AS first_seen, -- timestamp(6) NOT NULL
       LAST_SEEN AS last_seen -- timestamp(6) NOT NULL
  FROM performance_schema.events_statements_summary_by_digest
 ORDER BY SUM_TIMER_WAIT DESC
