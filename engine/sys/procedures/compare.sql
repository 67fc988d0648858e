CREATE PROCEDURE `compare` (IN in_from1 DATETIME(6), IN in_to1 DATETIME(6), IN in_from2 DATETIME(6), IN in_to2 DATETIME(6))
    COMMENT 'Compares two periods of time, and ranks the statements and waits of the second that became worse: how many sessions were active in them on average, before and after. What both have less than 0.001 of is left out.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    DECLARE seconds1, seconds2 DOUBLE;
    DECLARE earliest, latest DATETIME(6);

    SET seconds1 = TIMESTAMPDIFF(MICROSECOND, in_from1, in_to1) / 1000000;
    SET seconds2 = TIMESTAMPDIFF(MICROSECOND, in_from2, in_to2) / 1000000;
    IF seconds1 IS NULL OR seconds2 IS NULL OR seconds1 <= 0 OR seconds2 <= 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'Each of the two periods must have a beginning and a later end.';
    END IF;
    SET earliest = LEAST(in_from1, in_from2);
    SET latest = GREATEST(in_to1, in_to2);
    SELECT c.kind AS kind, c.name AS name, c.object AS object, c.source AS source,
           ROUND(c.active1, 3) AS active_sessions_before, ROUND(c.active2, 3) AS active_sessions_after,
           ROUND(c.active2 - c.active1, 3) AS difference, ROUND(c.active2 / NULLIF(c.active1, 0), 2) AS times
      FROM (SELECT 'statement' AS kind, MAX(DIGEST_TEXT) AS name, CURRENT_SCHEMA AS object, NULL AS source, DIGEST AS digest,
                   SUM(IF(SAMPLE_TIME >= in_from1 AND SAMPLE_TIME < in_to1, WEIGHT, 0)) / seconds1 AS active1,
                   SUM(IF(SAMPLE_TIME >= in_from2 AND SAMPLE_TIME < in_to2, WEIGHT, 0)) / seconds2 AS active2
              FROM performance_schema.active_session_history
             WHERE SAMPLE_TIME >= earliest AND SAMPLE_TIME < latest AND DIGEST IS NOT NULL
             GROUP BY DIGEST, CURRENT_SCHEMA
             UNION ALL
            SELECT 'wait', COALESCE(EVENT_NAME, WAIT_CLASS), OBJECT_NAME, SOURCE, NULL,
                   SUM(IF(SAMPLE_TIME >= in_from1 AND SAMPLE_TIME < in_to1, WEIGHT, 0)) / seconds1,
                   SUM(IF(SAMPLE_TIME >= in_from2 AND SAMPLE_TIME < in_to2, WEIGHT, 0)) / seconds2
              FROM performance_schema.active_session_history
             WHERE SAMPLE_TIME >= earliest AND SAMPLE_TIME < latest
             GROUP BY COALESCE(EVENT_NAME, WAIT_CLASS), OBJECT_NAME, SOURCE) c
     WHERE c.active1 >= 0.001 OR c.active2 >= 0.001
     ORDER BY c.active2 - c.active1 DESC, c.kind, c.name
     LIMIT 100;
END
