CREATE PROCEDURE `drop_snapshot` (IN in_name VARCHAR(255))
    COMMENT 'Forgets a snapshot of events_waits_snapshot.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DELETE FROM performance_schema.events_waits_snapshot WHERE SNAPSHOT_NAME = in_name;
    IF ROW_COUNT() = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'There is no snapshot with this name.';
    END IF;
END
