SELECT /* agent='perfschema' */ SCHEMA_NAME, DIGEST, DIGEST_TEXT, COUNT_STAR, SUM_TIMER_WAIT, MIN_TIMER_WAIT, AVG_TIMER_WAIT, MAX_TIMER_WAIT, SUM_LOCK_TIME, SUM_ERRORS, SUM_WARNINGS, SUM_SELECT_FULL_JOIN, SUM_SORT_RANGE, SUM_NO_GOOD_INDEX_USED FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST IS NOT NULL AND DIGEST_TEXT IS NOT NULL;
SELECT SQL_TEXT, DIGEST, DIGEST_TEXT, CURRENT_SCHEMA FROM performance_schema.events_statements_history WHERE DIGEST IS NOT NULL AND SQL_TEXT IS NOT NULL;
SHOW VARIABLES /* agent='perfschema' */ LIKE 'performance_schema_digests_size';
SHOW /* agent='connectionchecker' */ VARIABLES LIKE 'performance_schema_events_statements_history_long_size';
