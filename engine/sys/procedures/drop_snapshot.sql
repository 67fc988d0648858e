CREATE PROCEDURE `drop_snapshot` (IN in_name VARCHAR(255))
    COMMENT 'Forgets a snapshot of events_waits_snapshot.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    -- Without the privilege DELETE, a parameter here would make it error 1054 rather than 1142.
    SET @sys_drop = in_name;
    DELETE FROM performance_schema.events_waits_snapshot WHERE SNAPSHOT_NAME = @sys_drop;
    IF ROW_COUNT() = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'There is no snapshot with this name.';
    END IF;
END
