CREATE PROCEDURE `ps_setup_disable_background_threads` ()
    COMMENT 'Switches off the instrumentation of all background threads.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE changed BIGINT;
    UPDATE performance_schema.threads SET INSTRUMENTED = 'NO' WHERE TYPE = 'BACKGROUND';
    SET changed = ROW_COUNT();
    SELECT CONCAT('Disabled ', changed, ' background thread', IF(changed = 1, '', 's')) AS summary;
END
