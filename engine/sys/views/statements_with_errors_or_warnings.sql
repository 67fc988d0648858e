-- Statements that have failed or been warned of: a row for each digest in each schema, the one with most
-- errors first, of those with as many that with most warnings.
SELECT {statement: DIGEST_TEXT} AS query, -- longtext
       SCHEMA_NAME AS db, -- varchar(64)
       COUNT_STAR AS exec_count, -- bigint unsigned NOT NULL
       SUM_ERRORS AS errors, -- bigint unsigned NOT NULL
       IFNULL(SUM_ERRORS / NULLIF(COUNT_STAR, 0), 0) * 100 AS error_pct, -- decimal(27,4) NOT NULL
       SUM_WARNINGS AS warnings, -- bigint unsigned NOT NULL
       IFNULL(SUM_WARNINGS / NULLIF(COUNT_STAR, 0), 0) * 100 AS warning_pct, -- decimal(27,4) NOT NULL
       FIRST_SEEN AS first_seen, -- timestamp(6) NOT NULL
       LAST_SEEN AS last_seen, -- timestamp(6) NOT NULL
       DIGEST AS digest -- varchar(64)
  FROM performance_schema.events_statements_summary_by_digest
 WHERE SUM_ERRORS > 0 OR SUM_WARNINGS > 0
 ORDER BY SUM_ERRORS DESC, SUM_WARNINGS DESC
