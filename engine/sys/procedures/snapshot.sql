CREATE PROCEDURE `snapshot` (IN in_name VARCHAR(255))
    COMMENT 'Takes a snapshot of what waits have been counted, under a name, and keeps it in events_waits_snapshot until drop_snapshot is called with the name. It is on the device when the call returns.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    IF CHAR_LENGTH(in_name) > 64 THEN
        SIGNAL SQLSTATE '22001' SET MYSQL_ERRNO = 1406, MESSAGE_TEXT = 'Data too long for column ''SNAPSHOT_NAME'' at row 1';
    END IF;
    INSERT INTO performance_schema.events_waits_snapshot (SNAPSHOT_NAME) VALUES (in_name);
END
