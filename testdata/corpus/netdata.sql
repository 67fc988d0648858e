SELECT @@version, @@version_comment, @@performance_schema;
SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME = 'events_statements_summary_by_digest';
SELECT MYSQL_ERRNO, RETURNED_SQLSTATE, MESSAGE_TEXT, DIGEST_TEXT FROM performance_schema.events_statements_history_long WHERE MYSQL_ERRNO <> 0 ORDER BY TIMER_START DESC LIMIT 500;
SELECT DIGEST, DIGEST_TEXT, SCHEMA_NAME, COUNT_STAR, QUANTILE_95, MAX_TOTAL_MEMORY, QUERY_SAMPLE_TEXT, QUERY_SAMPLE_TIMER_WAIT FROM performance_schema.events_statements_summary_by_digest ORDER BY SUM_TIMER_WAIT DESC LIMIT 500;
