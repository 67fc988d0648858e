CREATE PROCEDURE `ps_setup_reset_to_default` (IN in_verbose BOOLEAN)
    COMMENT 'Sets all that is switched on or off to what it is from the start.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE step INT DEFAULT 1;
    DECLARE about VARCHAR(64);

    WHILE step <= 7 DO
        CASE step
        WHEN 1 THEN
            SET about = 'setup_actors';
            SET @sys_reset = 'DELETE FROM performance_schema.setup_actors WHERE NOT (HOST = \'%\' AND USER = \'%\' AND ROLE = \'%\')';
        WHEN 2 THEN
            SET @sys_reset = 'REPLACE INTO performance_schema.setup_actors VALUES (\'%\', \'%\', \'%\', \'YES\', \'YES\')';
        WHEN 3 THEN
            SET about = 'setup_instruments';
            SET @sys_reset = 'UPDATE performance_schema.setup_instruments SET ENABLED = sys.ps_is_instrument_default_enabled(NAME), TIMED = sys.ps_is_instrument_default_timed(NAME)';
        WHEN 4 THEN
            SET about = 'setup_consumers';
            SET @sys_reset = 'UPDATE performance_schema.setup_consumers SET ENABLED = IF(NAME IN (\'events_statements_current\', \'events_statements_history\', \'events_transactions_current\', \'events_transactions_history\', \'global_instrumentation\', \'thread_instrumentation\', \'statements_digest\', \'active_session_history\', \'events_waits_snapshot\', \'events_waits_history_metric\', \'events_waits_summary_by_thread_by_time\'), \'YES\', \'NO\')';
        WHEN 5 THEN
            SET about = 'setup_objects';
            SET @sys_reset = 'DELETE FROM performance_schema.setup_objects';
        WHEN 6 THEN
            SET @sys_reset = 'INSERT INTO performance_schema.setup_objects SELECT kinds.kind, owners.name, \'%\', owners.enabled, owners.enabled FROM (SELECT \'EVENT\' AS kind UNION ALL SELECT \'FUNCTION\' UNION ALL SELECT \'PROCEDURE\' UNION ALL SELECT \'TABLE\' UNION ALL SELECT \'TRIGGER\') AS kinds JOIN (SELECT \'mysql\' AS name, \'NO\' AS enabled UNION ALL SELECT \'performance_schema\', \'NO\' UNION ALL SELECT \'information_schema\', \'NO\' UNION ALL SELECT \'%\', \'YES\') AS owners';
        ELSE
            SET about = 'threads';
            SET @sys_reset = 'UPDATE performance_schema.threads SET INSTRUMENTED = \'YES\', HISTORY = \'YES\'';
        END CASE;
        IF in_verbose THEN
            SELECT CONCAT('Resetting: ', about, '\n', @sys_reset) AS status;
        END IF;
        PREPARE sys_reset FROM @sys_reset;
        EXECUTE sys_reset;
        DEALLOCATE PREPARE sys_reset;
        SET step = step + 1;
    END WHILE;
    SET @sys_reset = NULL;
END
