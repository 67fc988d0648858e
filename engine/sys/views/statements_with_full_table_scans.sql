-- Statements that have read whole tables, SHOW aside: a row for each digest in each schema, the one that does
-- so most often first, of those as often that which took most time.
SELECT {statement: DIGEST_TEXT} AS query, -- longtext
       SCHEMA_NAME AS db, -- varchar(64)
       COUNT_STAR AS exec_count, -- bigint unsigned NOT NULL
       {time: SUM_TIMER_WAIT} AS total_latency, -- bigint unsigned NOT NULL
       SUM_NO_INDEX_USED AS no_index_used_count, -- bigint unsigned NOT NULL
       SUM_NO_GOOD_INDEX_USED AS no_good_index_used_count, -- bigint unsigned NOT NULL
       ROUND(IFNULL(SUM_NO_INDEX_USED / NULLIF(COUNT_STAR, 0), 0) * 100) AS no_index_used_pct, -- decimal(24,0) NOT NULL
       SUM_ROWS_SENT AS rows_sent, -- bigint unsigned NOT NULL
       SUM_ROWS_EXAMINED AS rows_examined, -- bigint unsigned NOT NULL
       ROUND(SUM_ROWS_SENT / NULLIF(COUNT_STAR, 0)) AS rows_sent_avg, -- decimal(21,0)
       ROUND(SUM_ROWS_EXAMINED / NULLIF(COUNT_STAR, 0)) AS rows_examined_avg, -- decimal(21,0)
       FIRST_SEEN AS first_seen, -- timestamp(6) NOT NULL
       LAST_SEEN AS last_seen, -- timestamp(6) NOT NULL
       DIGEST AS digest -- varchar(64)
  FROM performance_schema.events_statements_summary_by_digest
 WHERE (SUM_NO_INDEX_USED > 0 OR SUM_NO_GOOD_INDEX_USED > 0)
   AND (DIGEST_TEXT IS NULL OR DIGEST_TEXT NOT LIKE 'SHOW%')
 ORDER BY no_index_used_pct DESC, SUM_TIMER_WAIT DESC
