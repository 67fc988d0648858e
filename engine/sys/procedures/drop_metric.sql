CREATE PROCEDURE `drop_metric` (IN in_name VARCHAR(255))
    COMMENT 'Drops a metric of events_waits_history_metric, and its readings.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DELETE FROM performance_schema.events_waits_history_metric WHERE METRIC_NAME = in_name;
    IF ROW_COUNT() = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'There is no metric with this name.';
    END IF;
END
