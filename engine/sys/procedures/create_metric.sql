CREATE PROCEDURE `create_metric` (IN in_name VARCHAR(255), IN in_period_seconds INT UNSIGNED, IN in_select LONGTEXT)
    COMMENT 'Makes a metric: a SELECT that gives one number, which is read each time that so many seconds (1 to 3600) are over, with the rights of the account that calls this. The readings are in events_waits_history_metric, in buckets of time.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    IF CHAR_LENGTH(in_name) > 63 THEN
        SIGNAL SQLSTATE '22001' SET MYSQL_ERRNO = 1406, MESSAGE_TEXT = 'Data too long for column ''METRIC_NAME'' at row 1';
    END IF;
    INSERT INTO performance_schema.events_waits_history_metric (METRIC_NAME, PERIOD_SECONDS, SELECT_TEXT) VALUES (in_name, in_period_seconds, in_select);
END
