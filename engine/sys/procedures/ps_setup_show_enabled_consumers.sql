CREATE PROCEDURE `ps_setup_show_enabled_consumers` ()
    COMMENT 'Shows the consumers that are enabled.'
    SQL SECURITY INVOKER
    DETERMINISTIC
    READS SQL DATA
BEGIN
    SELECT NAME AS enabled_consumers FROM performance_schema.setup_consumers WHERE ENABLED = 'YES' ORDER BY NAME;
END
