CREATE PROCEDURE `ps_setup_show_disabled_consumers` ()
    COMMENT 'Shows the consumers that are disabled.'
    SQL SECURITY INVOKER
    DETERMINISTIC
    READS SQL DATA
BEGIN
    SELECT NAME AS disabled_consumers FROM performance_schema.setup_consumers WHERE ENABLED = 'NO' ORDER BY NAME;
END
