-- Statements that have made temporary tables: a row for each digest in each schema, the one with most of them
-- on disk first, of those with as many that with most in memory.
SELECT {statement: DIGEST_TEXT} AS query, -- longtext
       SCHEMA_NAME AS db, -- varchar(64)
       COUNT_STAR AS exec_count, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       SUM_CREATED_TMP_TABLES AS memory_tmp_tables, -- bigint unsigned NOT NULL
       SUM_CREATED_TMP_DISK_TABLES AS disk_tmp_tables, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_CREATED_TMP_TABLES / NULLIF(COUNT_STAR, 0), 0)) AS avg_tmp_tables_per_query, -- decimal(21,0) NOT NULL
       ROUND(IFNULL(SUM_CREATED_TMP_DISK_TABLES / NULLIF(SUM_CREATED_TMP_TABLES, 0), 0) * 100) AS tmp_tables_to_disk_pct, -- decimal(24,0) NOT NULL
       FIRST_SEEN AS first_seen, -- timestamp(6) NOT NULL
       LAST_SEEN AS last_seen, -- timestamp(6) NOT NULL
       DIGEST AS digest -- varchar(64)
  FROM performance_schema.events_statements_summary_by_digest
 WHERE SUM_CREATED_TMP_TABLES > 0
 ORDER BY SUM_CREATED_TMP_DISK_TABLES DESC, SUM_CREATED_TMP_TABLES DESC
