CREATE PROCEDURE `ps_setup_enable_background_threads` ()
    COMMENT 'Switches on the instrumentation of all background threads.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE changed BIGINT;
    UPDATE performance_schema.threads SET INSTRUMENTED = 'YES' WHERE TYPE = 'BACKGROUND';
    SET changed = ROW_COUNT();
    SELECT CONCAT('Enabled ', changed, ' background thread', IF(changed = 1, '', 's')) AS summary;
END
