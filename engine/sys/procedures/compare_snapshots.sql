CREATE PROCEDURE `compare_snapshots` (IN in_name1 VARCHAR(255), IN in_name2 VARCHAR(255))
    COMMENT 'Ranks the waits by how much more, or less, was waited per second between two snapshots of events_waits_snapshot: how often, how long on average, and how many were waiting at a time. Both must be of the same run of the server. A summary that was emptied between them counts from 0.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    DECLARE time1, time2 DATETIME(6);
    DECLARE boot1, boot2 CHAR(36);
    DECLARE seconds DOUBLE;

    SELECT MAX(SNAPSHOT_TIME), MAX(BOOT_ID) INTO time1, boot1 FROM performance_schema.events_waits_snapshot WHERE SNAPSHOT_NAME = in_name1;
    SELECT MAX(SNAPSHOT_TIME), MAX(BOOT_ID) INTO time2, boot2 FROM performance_schema.events_waits_snapshot WHERE SNAPSHOT_NAME = in_name2;
    IF boot1 IS NULL OR boot2 IS NULL THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'There is no snapshot with one of these names.';
    END IF;
    IF boot1 <> boot2 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The server was started between the two snapshots: their counts cannot be subtracted.';
    END IF;
    SET seconds = TIMESTAMPDIFF(MICROSECOND, time1, time2) / 1000000;
    IF seconds <= 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The second snapshot must be later than the first.';
    END IF;
    SELECT d.event AS event, ROUND(d.counted / seconds, 3) AS per_second, ROUND(d.took / NULLIF(d.counted, 0) / 1000000000, 3) AS mean_ms,
           ROUND(d.took / seconds / 1000000000000, 3) AS waiting
      FROM (SELECT b.EVENT_NAME AS event,
                   IF(b.COUNT_STAR < COALESCE(a.COUNT_STAR, 0), b.COUNT_STAR, b.COUNT_STAR - COALESCE(a.COUNT_STAR, 0)) AS counted,
                   IF(b.COUNT_STAR < COALESCE(a.COUNT_STAR, 0) OR b.SUM_TIMER_WAIT < COALESCE(a.SUM_TIMER_WAIT, 0), b.SUM_TIMER_WAIT, b.SUM_TIMER_WAIT - COALESCE(a.SUM_TIMER_WAIT, 0)) AS took
              FROM performance_schema.events_waits_snapshot b
              LEFT JOIN performance_schema.events_waits_snapshot a ON a.SNAPSHOT_NAME = in_name1 AND a.EVENT_NAME = b.EVENT_NAME
             WHERE b.SNAPSHOT_NAME = in_name2) d
     WHERE d.counted > 0
     ORDER BY d.took DESC, d.counted DESC, d.event;
END
