CREATE PROCEDURE `compare` (IN in_from1 DATETIME(6), IN in_to1 DATETIME(6), IN in_from2 DATETIME(6), IN in_to2 DATETIME(6))
    COMMENT 'Compares two periods of time, and ranks the statements and waits of the second that became worse: how many sessions were active in them on average, before and after; what both have less than 0.001 of is left out. Then how often they ran and how long they took, from the buckets of time that the periods touch.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    DECLARE seconds1, seconds2 DOUBLE;
    DECLARE hour_before1, hour_before2 DATETIME(6);

    SET seconds1 = TIMESTAMPDIFF(MICROSECOND, in_from1, in_to1) / 1000000;
    SET seconds2 = TIMESTAMPDIFF(MICROSECOND, in_from2, in_to2) / 1000000;
    IF seconds1 IS NULL OR seconds2 IS NULL OR seconds1 <= 0 OR seconds2 <= 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'Each of the two periods must have a beginning and a later end.';
    END IF;
    SELECT c.kind AS kind, c.name AS name, c.object AS object, c.source AS source,
           ROUND(c.active1, 3) AS active_sessions_before, ROUND(c.active2, 3) AS active_sessions_after,
           ROUND(c.active2 - c.active1, 3) AS difference, ROUND(c.active2 / NULLIF(c.active1, 0), 2) AS times
      FROM (SELECT p.kind AS kind, MAX(p.name) AS name, p.object AS object, p.source AS source,
                   SUM(IF(p.part = 1, p.took, 0)) / seconds1 AS active1, SUM(IF(p.part = 2, p.took, 0)) / seconds2 AS active2
              FROM (SELECT 'statement' AS kind, DIGEST AS id, DIGEST_TEXT AS name, CURRENT_SCHEMA AS object, NULL AS source, 1 AS part, SUM(WEIGHT) AS took
                      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from1 AND SAMPLE_TIME < in_to1 AND DIGEST IS NOT NULL GROUP BY DIGEST, DIGEST_TEXT, CURRENT_SCHEMA
                     UNION ALL
                    SELECT 'statement', REQUEST_DIGEST, REQUEST_DIGEST_TEXT, REQUEST_SCHEMA, NULL, 1, SUM(WEIGHT)
                      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from1 AND SAMPLE_TIME < in_to1 AND NESTED = 'YES' AND REQUEST_DIGEST IS NOT NULL GROUP BY REQUEST_DIGEST, REQUEST_DIGEST_TEXT, REQUEST_SCHEMA
                     UNION ALL
                    SELECT 'statement', DIGEST, DIGEST_TEXT, CURRENT_SCHEMA, NULL, 2, SUM(WEIGHT)
                      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from2 AND SAMPLE_TIME < in_to2 AND DIGEST IS NOT NULL GROUP BY DIGEST, DIGEST_TEXT, CURRENT_SCHEMA
                     UNION ALL
                    SELECT 'statement', REQUEST_DIGEST, REQUEST_DIGEST_TEXT, REQUEST_SCHEMA, NULL, 2, SUM(WEIGHT)
                      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from2 AND SAMPLE_TIME < in_to2 AND NESTED = 'YES' AND REQUEST_DIGEST IS NOT NULL GROUP BY REQUEST_DIGEST, REQUEST_DIGEST_TEXT, REQUEST_SCHEMA
                     UNION ALL
                    SELECT 'wait', COALESCE(EVENT_NAME, WAIT_CLASS), COALESCE(EVENT_NAME, WAIT_CLASS), OBJECT_NAME, SOURCE, 1, SUM(WEIGHT)
                      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from1 AND SAMPLE_TIME < in_to1 GROUP BY EVENT_NAME, WAIT_CLASS, OBJECT_NAME, SOURCE
                     UNION ALL
                    SELECT 'wait', COALESCE(EVENT_NAME, WAIT_CLASS), COALESCE(EVENT_NAME, WAIT_CLASS), OBJECT_NAME, SOURCE, 2, SUM(WEIGHT)
                      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from2 AND SAMPLE_TIME < in_to2 GROUP BY EVENT_NAME, WAIT_CLASS, OBJECT_NAME, SOURCE) p
             GROUP BY p.kind, p.id, p.object, p.source) c
     WHERE c.active1 >= 0.001 OR c.active2 >= 0.001
     ORDER BY c.active2 - c.active1 DESC, c.kind, c.name
     LIMIT 100;

    -- An account that may not read the buckets of time gets the comparison of samples alone.
    IF (SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'history' AND COLUMN_NAME = 'FINEST' AND TABLE_NAME IN ('statements_by_digest', 'waits_by_event_name')) = 2 THEN
        -- A bucket has an hour at most, and those at the ends of a period may have more time than the period.
        SET hour_before1 = in_from1 - INTERVAL 1 HOUR;
        SET hour_before2 = in_from2 - INTERVAL 1 HOUR;
        SELECT GREATEST(seconds1, COALESCE(TIMESTAMPDIFF(SECOND, MIN(BUCKET_START), MAX(DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND))), 0)) INTO seconds1
          FROM history.waits_by_event_name WHERE FINEST = 'YES' AND BUCKET_START >= hour_before1 AND BUCKET_START < in_to1 AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from1;
        SELECT GREATEST(seconds2, COALESCE(TIMESTAMPDIFF(SECOND, MIN(BUCKET_START), MAX(DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND))), 0)) INTO seconds2
          FROM history.waits_by_event_name WHERE FINEST = 'YES' AND BUCKET_START >= hour_before2 AND BUCKET_START < in_to2 AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from2;
        SELECT c.kind AS kind, c.name AS name, c.object AS object,
               ROUND(c.count1 / seconds1, 3) AS per_second_before, ROUND(c.count2 / seconds2, 3) AS per_second_after,
               ROUND(c.time1 / NULLIF(c.count1, 0) / 1000000000, 3) AS mean_ms_before, ROUND(c.time2 / NULLIF(c.count2, 0) / 1000000000, 3) AS mean_ms_after,
               ROUND((c.time2 / NULLIF(c.count2, 0)) / (c.time1 / NULLIF(c.count1, 0)), 2) AS times,
               ROUND(c.worst1 / 1000000000, 3) AS worst_95_ms_before, ROUND(c.worst2 / 1000000000, 3) AS worst_95_ms_after,
               c.rows2 AS rows_examined_after, c.errors2 AS errors_after
          FROM (SELECT b.kind AS kind, MAX(b.name) AS name, b.object AS object,
                       SUM(IF(b.part = 1, b.counted, 0)) AS count1, SUM(IF(b.part = 2, b.counted, 0)) AS count2,
                       SUM(IF(b.part = 1, b.took, 0)) AS time1, SUM(IF(b.part = 2, b.took, 0)) AS time2,
                       MAX(IF(b.part = 1, b.worst_95, NULL)) AS worst1, MAX(IF(b.part = 2, b.worst_95, NULL)) AS worst2,
                       SUM(IF(b.part = 2, b.examined, NULL)) AS rows2, SUM(IF(b.part = 2, b.errors, NULL)) AS errors2
                  FROM (SELECT 'statement' AS kind, DIGEST AS id, DIGEST_TEXT AS name, SCHEMA_NAME AS object, 1 AS part, COUNT_STAR AS counted, SUM_TIMER_WAIT AS took,
                               QUANTILE_95 AS worst_95, SUM_ROWS_EXAMINED AS examined, SUM_ERRORS AS errors
                          FROM history.statements_by_digest WHERE FINEST = 'YES' AND BUCKET_START >= hour_before1 AND BUCKET_START < in_to1 AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from1
                         UNION ALL
                        SELECT 'statement' AS kind, DIGEST AS id, DIGEST_TEXT AS name, SCHEMA_NAME AS object, 2 AS part, COUNT_STAR AS counted, SUM_TIMER_WAIT AS took,
                               QUANTILE_95 AS worst_95, SUM_ROWS_EXAMINED AS examined, SUM_ERRORS AS errors
                          FROM history.statements_by_digest WHERE FINEST = 'YES' AND BUCKET_START >= hour_before2 AND BUCKET_START < in_to2 AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from2
                         UNION ALL
                        SELECT 'wait', EVENT_NAME, EVENT_NAME, NULL, 1, COUNT_STAR, SUM_TIMER_WAIT, QUANTILE_95, NULL, NULL
                          FROM history.waits_by_event_name WHERE FINEST = 'YES' AND BUCKET_START >= hour_before1 AND BUCKET_START < in_to1 AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from1
                         UNION ALL
                        SELECT 'wait', EVENT_NAME, EVENT_NAME, NULL, 2, COUNT_STAR, SUM_TIMER_WAIT, QUANTILE_95, NULL, NULL
                          FROM history.waits_by_event_name WHERE FINEST = 'YES' AND BUCKET_START >= hour_before2 AND BUCKET_START < in_to2 AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from2) b
                 GROUP BY b.kind, b.id, b.object) c
         WHERE c.count1 > 0 OR c.count2 > 0
         ORDER BY c.time2 / seconds2 - c.time1 / seconds1 DESC, c.kind, c.name
         LIMIT 100;
    END IF;
END
