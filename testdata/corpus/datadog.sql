SET @uptime = (SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'UPTIME');
SELECT current_schema, sql_text, digest, digest_text, timer_start, @uptime AS uptime, unix_timestamp() AS now, timer_end, timer_wait / 1000 AS timer_wait_ns, lock_time / 1000 AS lock_time_ns, rows_affected, thread_id, processlist_user
  FROM performance_schema.events_statements_current E LEFT JOIN performance_schema.threads T USING (thread_id)
 WHERE sql_text IS NOT NULL AND event_name LIKE 'statement/%' AND digest_text NOT LIKE 'EXPLAIN %' ORDER BY timer_wait DESC LIMIT 10;
SELECT name, enabled FROM performance_schema.setup_consumers WHERE name LIKE 'events_statements_%';
SELECT schema_name, digest, digest_text, count_star, sum_timer_wait, sum_lock_time, sum_errors, sum_rows_sent, sum_no_index_used FROM performance_schema.events_statements_summary_by_digest WHERE digest_text NOT LIKE 'EXPLAIN %' OR digest_text IS NULL ORDER BY count_star DESC LIMIT 10000;
SELECT s2.avg_us AS avg_us, ROUND(SUM(s1.cnt) / (SELECT COUNT(*) FROM performance_schema.events_statements_summary_by_digest), 4) AS percentile
  FROM (SELECT COUNT(*) AS cnt, ROUND(AVG_TIMER_WAIT / 1000000) AS avg_us FROM performance_schema.events_statements_summary_by_digest GROUP BY avg_us) AS s1
  JOIN (SELECT COUNT(*) AS cnt, ROUND(AVG_TIMER_WAIT / 1000000) AS avg_us FROM performance_schema.events_statements_summary_by_digest GROUP BY avg_us) AS s2 ON s1.avg_us <= s2.avg_us
 GROUP BY s2.avg_us HAVING percentile > 0.95 ORDER BY percentile LIMIT 1;
SELECT avg_us, ro AS percentile FROM (SELECT avg_us, @rownum := @rownum + 1 AS ro FROM (SELECT ROUND(avg_timer_wait / 1000000) AS avg_us FROM performance_schema.events_statements_summary_by_digest ORDER BY avg_us ASC) p, (SELECT @rownum := 0) r) q WHERE q.ro > ROUND(.95 * @rownum) ORDER BY avg_us ASC LIMIT 1;
SELECT processlist_user, processlist_host, processlist_db, processlist_state, COUNT(processlist_user) AS connections FROM performance_schema.threads WHERE processlist_user IS NOT NULL AND processlist_state IS NOT NULL GROUP BY processlist_user, processlist_host, processlist_db, processlist_state;
SELECT owner_thread_id, statement_id, statement_name, sql_text, timer_prepare, count_execute FROM performance_schema.prepared_statements_instances;
SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Performance_schema_digest_lost';
SHOW REPLICA STATUS;
SHOW ENGINE INNODB STATUS;
