CREATE PROCEDURE `request` (IN in_thread_id BIGINT UNSIGNED, IN in_event_id BIGINT UNSIGNED)
    COMMENT 'Shows one request, by the thread_id and event_id of sys.slow_requests: the request, the statements inside of it, its stages, and what it and each of these waited for. Of what the histories do not have any more, nothing is shown.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    DECLARE last_event BIGINT UNSIGNED;

    SELECT MAX(IFNULL(s.END_EVENT_ID, 18446744073709551615)) INTO last_event
      FROM (SELECT END_EVENT_ID FROM performance_schema.events_statements_current WHERE THREAD_ID = in_thread_id AND EVENT_ID = in_event_id
             UNION ALL
            SELECT END_EVENT_ID FROM performance_schema.events_statements_history WHERE THREAD_ID = in_thread_id AND EVENT_ID = in_event_id
             UNION ALL
            SELECT END_EVENT_ID FROM performance_schema.events_statements_history_long WHERE THREAD_ID = in_thread_id AND EVENT_ID = in_event_id) s;
    IF last_event IS NULL THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The histories of statements do not have this request, or not any more.';
    END IF;

    SELECT IF(s.EVENT_ID = in_event_id, 'request', REPEAT('  ', s.level)) AS part, s.EVENT_NAME AS event, s.text AS statement, s.SOURCE AS source, sys.format_time(s.TIMER_WAIT) AS took,
           s.MYSQL_ERRNO AS error, s.ROWS_AFFECTED AS rows_affected, s.ROWS_SENT AS rows_sent, s.ROWS_EXAMINED AS rows_examined, s.EVENT_ID AS event_id
      FROM (SELECT EVENT_ID, NESTING_EVENT_LEVEL AS level, EVENT_NAME, SQL_TEXT AS text, SOURCE, TIMER_WAIT, MYSQL_ERRNO, ROWS_AFFECTED, ROWS_SENT, ROWS_EXAMINED FROM performance_schema.events_statements_current WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event
             UNION
            SELECT EVENT_ID, NESTING_EVENT_LEVEL, EVENT_NAME, SQL_TEXT, SOURCE, TIMER_WAIT, MYSQL_ERRNO, ROWS_AFFECTED, ROWS_SENT, ROWS_EXAMINED FROM performance_schema.events_statements_history WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event
             UNION
            SELECT EVENT_ID, NESTING_EVENT_LEVEL, EVENT_NAME, SQL_TEXT, SOURCE, TIMER_WAIT, MYSQL_ERRNO, ROWS_AFFECTED, ROWS_SENT, ROWS_EXAMINED FROM performance_schema.events_statements_history_long WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event) s
     ORDER BY s.EVENT_ID;

    SELECT g.EVENT_NAME AS stage, g.SOURCE AS source, sys.format_time(g.TIMER_WAIT) AS took, g.EVENT_ID AS event_id
      FROM (SELECT EVENT_ID, EVENT_NAME, SOURCE, TIMER_WAIT FROM performance_schema.events_stages_current WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event
             UNION
            SELECT EVENT_ID, EVENT_NAME, SOURCE, TIMER_WAIT FROM performance_schema.events_stages_history WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event
             UNION
            SELECT EVENT_ID, EVENT_NAME, SOURCE, TIMER_WAIT FROM performance_schema.events_stages_history_long WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event) g
     ORDER BY g.EVENT_ID;

    SELECT MAX(q.EVENT_NAME) AS statement, w.EVENT_NAME AS waited_for, w.OPERATION AS operation, w.SOURCE AS source, COUNT(*) AS waits, sys.format_time(SUM(w.TIMER_WAIT)) AS waited,
           MAX(w.object) AS object
      FROM (SELECT EVENT_ID, EVENT_NAME, OPERATION, SOURCE, TIMER_WAIT, OBJECT_NAME AS object FROM performance_schema.events_waits_current WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event AND IFNULL(NESTING_EVENT_TYPE, '') <> 'WAIT'
             UNION
            SELECT EVENT_ID, EVENT_NAME, OPERATION, SOURCE, TIMER_WAIT, OBJECT_NAME FROM performance_schema.events_waits_history WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event AND IFNULL(NESTING_EVENT_TYPE, '') <> 'WAIT'
             UNION
            SELECT EVENT_ID, EVENT_NAME, OPERATION, SOURCE, TIMER_WAIT, OBJECT_NAME FROM performance_schema.events_waits_history_long WHERE THREAD_ID = in_thread_id AND EVENT_ID BETWEEN in_event_id AND last_event AND IFNULL(NESTING_EVENT_TYPE, '') <> 'WAIT') w
      LEFT JOIN (SELECT EVENT_ID, END_EVENT_ID, EVENT_NAME FROM performance_schema.events_statements_current WHERE THREAD_ID = in_thread_id AND NESTING_EVENT_LEVEL = 1
                  UNION
                 SELECT EVENT_ID, END_EVENT_ID, EVENT_NAME FROM performance_schema.events_statements_history WHERE THREAD_ID = in_thread_id AND NESTING_EVENT_LEVEL = 1
                  UNION
                 SELECT EVENT_ID, END_EVENT_ID, EVENT_NAME FROM performance_schema.events_statements_history_long WHERE THREAD_ID = in_thread_id AND NESTING_EVENT_LEVEL = 1) q
        ON w.EVENT_ID BETWEEN q.EVENT_ID AND IFNULL(q.END_EVENT_ID, 18446744073709551615)
     GROUP BY q.EVENT_ID, w.EVENT_NAME, w.OPERATION, w.SOURCE ORDER BY MIN(w.EVENT_ID);
END
