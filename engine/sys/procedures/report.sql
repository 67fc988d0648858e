CREATE PROCEDURE `report` (IN in_from DATETIME(6), IN in_to DATETIME(6))
    COMMENT 'Reports on a period of time: how many sessions were active and what they waited for, the statements, who was in the way, files, messages of the error log, and settings that were changed. Then what the buckets of time that it touches have counted.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    DECLARE seconds, active DOUBLE;
    DECLARE samples BIGINT;
    DECLARE hour_before DATETIME(6);

    SET seconds = TIMESTAMPDIFF(MICROSECOND, in_from, in_to) / 1000000;
    IF seconds IS NULL OR seconds <= 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The period must have a beginning and a later end.';
    END IF;
    SELECT SUM(WEIGHT), COUNT(DISTINCT SAMPLE_ID) INTO active, samples
      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from AND SAMPLE_TIME < in_to;
    SELECT @@hostname AS host, VERSION() AS version, in_from AS `from`, in_to AS `to`, ROUND(seconds) AS seconds,
           samples AS samples_with_sessions, ROUND(COALESCE(active, 0) / seconds, 3) AS active_sessions;

    SELECT DATE_FORMAT(SAMPLE_TIME, '%Y-%m-%d %H:%i') AS minute, WAIT_CLASS AS wait_class, ROUND(SUM(WEIGHT) / 60, 3) AS active_sessions,
           COUNT(DISTINCT THREAD_ID) AS threads
      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from AND SAMPLE_TIME < in_to
     GROUP BY minute, wait_class ORDER BY minute, active_sessions DESC LIMIT 1000;

    SELECT COALESCE(EVENT_NAME, WAIT_CLASS) AS wait, OBJECT_NAME AS object, SOURCE AS source, ROUND(SUM(WEIGHT), 1) AS seconds,
           ROUND(100 * SUM(WEIGHT) / active, 1) AS percent, COUNT(DISTINCT THREAD_ID) AS threads
      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from AND SAMPLE_TIME < in_to
     GROUP BY EVENT_NAME, WAIT_CLASS, object, source ORDER BY SUM(WEIGHT) DESC LIMIT 20;

    -- A request has the time of the statements inside of it, too.
    SELECT MAX(t.text) AS statement, t.db AS db, ROUND(SUM(t.took), 1) AS seconds, ROUND(100 * SUM(t.took) / active, 1) AS percent,
           ROUND(SUM(IF(t.state = 'WAIT', t.took, 0)), 1) AS waiting, COUNT(DISTINCT t.thread) AS threads, MAX(t.digest) AS digest
      FROM (SELECT DIGEST AS digest, IFNULL(DIGEST_TEXT, STATEMENT_EVENT_NAME) AS text, IFNULL(DIGEST, STATEMENT_EVENT_NAME) AS id, CURRENT_SCHEMA AS db, STATE AS state, THREAD_ID AS thread, SUM(WEIGHT) AS took
              FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from AND SAMPLE_TIME < in_to AND STATEMENT_EVENT_ID IS NOT NULL
             GROUP BY DIGEST, DIGEST_TEXT, STATEMENT_EVENT_NAME, CURRENT_SCHEMA, STATE, THREAD_ID
             UNION ALL
            SELECT REQUEST_DIGEST, IFNULL(REQUEST_DIGEST_TEXT, REQUEST_EVENT_NAME), IFNULL(REQUEST_DIGEST, REQUEST_EVENT_NAME), REQUEST_SCHEMA, STATE, THREAD_ID, SUM(WEIGHT)
              FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from AND SAMPLE_TIME < in_to AND NESTED = 'YES'
             GROUP BY REQUEST_DIGEST, REQUEST_DIGEST_TEXT, REQUEST_EVENT_NAME, REQUEST_SCHEMA, STATE, THREAD_ID) t
     WHERE t.id IS NOT NULL
     GROUP BY t.id, t.db ORDER BY SUM(t.took) DESC LIMIT 20;

    SELECT BLOCKING_THREAD_ID AS blocking_thread, IF(BLOCKING_USER IS NULL, BLOCKING_THREAD_NAME, CONCAT(BLOCKING_USER, '@', BLOCKING_HOST)) AS user, BLOCKING_DIGEST_TEXT AS statement,
           BLOCKING_SOURCE AS locked_at, ROUND(MAX(BLOCKING_TIMER_HELD) / 1000000000000, 1) AS held, BLOCKING_EVENT_NAME AS blocker_waits_for, EVENT_NAME AS wait, OBJECT_NAME AS object,
           COUNT(DISTINCT THREAD_ID) AS blocked, ROUND(SUM(WEIGHT), 1) AS seconds, MIN(SAMPLE_TIME) AS first_seen, MAX(SAMPLE_TIME) AS last_seen
      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from AND SAMPLE_TIME < in_to AND BLOCKING_THREAD_ID IS NOT NULL
     GROUP BY blocking_thread, user, statement, locked_at, blocker_waits_for, wait, object ORDER BY SUM(WEIGHT) DESC LIMIT 20;

    SELECT OBJECT_NAME AS file, EVENT_NAME AS wait, SOURCE AS source, ROUND(SUM(WEIGHT), 1) AS seconds, COUNT(DISTINCT THREAD_ID) AS threads
      FROM performance_schema.active_session_history WHERE SAMPLE_TIME >= in_from AND SAMPLE_TIME < in_to AND WAIT_CLASS = 'wait/io/file'
     GROUP BY file, wait, source ORDER BY SUM(WEIGHT) DESC LIMIT 20;

    SELECT DATA AS message, PRIO AS priority, ERROR_CODE AS error_code, COUNT(*) AS times, MIN(LOGGED) AS first_seen, MAX(LOGGED) AS last_seen
      FROM performance_schema.error_log WHERE LOGGED >= in_from AND LOGGED < in_to
     GROUP BY message, priority, error_code ORDER BY first_seen LIMIT 50;

    SELECT i.VARIABLE_NAME AS setting, v.VARIABLE_VALUE AS value_now, i.SET_TIME AS changed_at, i.SET_USER AS changed_by, i.SET_HOST AS changed_from
      FROM performance_schema.variables_info i JOIN performance_schema.global_variables v USING (VARIABLE_NAME)
     WHERE i.SET_TIME >= in_from AND i.SET_TIME < in_to ORDER BY i.SET_TIME LIMIT 100;

    SET hour_before = in_from - INTERVAL 1 HOUR; -- a bucket has an hour at most
    -- An account that may not read the buckets of time gets the report of samples alone.
    IF (SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'history' AND COLUMN_NAME = 'FINEST' AND TABLE_NAME IN ('statements_by_digest', 'waits_by_event_name', 'files_by_event_name', 'sockets_by_event_name', 'errors_by_error')) = 5 THEN
        SELECT MAX(DIGEST_TEXT) AS statement, SCHEMA_NAME AS db, SUM(COUNT_STAR) AS executed, ROUND(SUM(SUM_TIMER_WAIT) / 1000000000000, 3) AS seconds,
               ROUND(SUM(SUM_TIMER_WAIT) / SUM(COUNT_STAR) / 1000000000, 3) AS mean_ms, ROUND(MAX(QUANTILE_95) / 1000000000, 3) AS worst_95_ms,
               SUM(SUM_ROWS_EXAMINED) AS rows_examined, SUM(SUM_ROWS_SENT) AS rows_sent, SUM(SUM_ERRORS) AS errors, DIGEST AS digest
          FROM history.statements_by_digest WHERE FINEST = 'YES' AND BUCKET_START >= hour_before AND BUCKET_START < in_to AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from
         GROUP BY DIGEST, SCHEMA_NAME ORDER BY SUM(SUM_TIMER_WAIT) DESC LIMIT 20;

        SELECT EVENT_NAME AS wait, SUM(COUNT_STAR) AS counted, ROUND(SUM(SUM_TIMER_WAIT) / 1000000000000, 3) AS seconds,
               ROUND(SUM(SUM_TIMER_WAIT) / SUM(COUNT_STAR) / 1000000000, 3) AS mean_ms, ROUND(MAX(MAX_TIMER_WAIT) / 1000000000, 3) AS longest_ms
          FROM history.waits_by_event_name WHERE FINEST = 'YES' AND BUCKET_START >= hour_before AND BUCKET_START < in_to AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from
         GROUP BY EVENT_NAME ORDER BY SUM(SUM_TIMER_WAIT) DESC LIMIT 20;

        SELECT io.EVENT_NAME AS io, SUM(io.COUNT_READ) AS reads_counted, SUM(io.SUM_NUMBER_OF_BYTES_READ) AS bytes_read, SUM(io.COUNT_WRITE) AS writes_counted,
               SUM(io.SUM_NUMBER_OF_BYTES_WRITE) AS bytes_written, ROUND(SUM(io.SUM_TIMER_WAIT) / 1000000000000, 3) AS seconds
          FROM (SELECT EVENT_NAME, COUNT_READ, SUM_NUMBER_OF_BYTES_READ, COUNT_WRITE, SUM_NUMBER_OF_BYTES_WRITE, SUM_TIMER_WAIT
                  FROM history.files_by_event_name WHERE FINEST = 'YES' AND BUCKET_START >= hour_before AND BUCKET_START < in_to AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from
                 UNION ALL
                SELECT EVENT_NAME, COUNT_READ, SUM_NUMBER_OF_BYTES_READ, COUNT_WRITE, SUM_NUMBER_OF_BYTES_WRITE, SUM_TIMER_WAIT
                  FROM history.sockets_by_event_name WHERE FINEST = 'YES' AND BUCKET_START >= hour_before AND BUCKET_START < in_to AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from) io
         GROUP BY io.EVENT_NAME ORDER BY SUM(io.SUM_TIMER_WAIT) DESC LIMIT 20;

        SELECT ERROR_NUMBER AS error_number, ERROR_NAME AS error, SUM(SUM_ERROR_RAISED) AS raised, SUM(SUM_ERROR_HANDLED) AS handled
          FROM history.errors_by_error WHERE FINEST = 'YES' AND BUCKET_START >= hour_before AND BUCKET_START < in_to AND DATE_ADD(BUCKET_START, INTERVAL BUCKET_SECONDS SECOND) > in_from
         GROUP BY ERROR_NUMBER, ERROR_NAME ORDER BY SUM(SUM_ERROR_RAISED) DESC LIMIT 20;
    END IF;
END
