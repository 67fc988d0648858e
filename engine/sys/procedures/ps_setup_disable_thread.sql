CREATE PROCEDURE `ps_setup_disable_thread` (IN in_connection_id BIGINT)
    COMMENT 'Switches off the instrumentation of the thread of a connection.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE changed BIGINT;
    UPDATE performance_schema.threads SET INSTRUMENTED = 'NO' WHERE PROCESSLIST_ID = in_connection_id;
    SET changed = ROW_COUNT();
    SELECT CONCAT('Disabled ', changed, ' thread', IF(changed = 1, '', 's')) AS summary;
END
