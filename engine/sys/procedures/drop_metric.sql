CREATE PROCEDURE `drop_metric` (IN in_name VARCHAR(255))
    COMMENT 'Drops a metric of events_waits_history_metric, and its readings.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    -- Without the privilege DELETE, a parameter here would make it error 1054 rather than 1142.
    SET @sys_drop = in_name;
    DELETE FROM performance_schema.events_waits_history_metric WHERE METRIC_NAME = @sys_drop;
    IF ROW_COUNT() = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'There is no metric with this name.';
    END IF;
END
