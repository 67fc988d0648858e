CREATE PROCEDURE `ps_setup_show_enabled_instruments` ()
    COMMENT 'Shows the instruments that are enabled.'
    SQL SECURITY INVOKER
    DETERMINISTIC
    READS SQL DATA
BEGIN
    SELECT NAME AS enabled_instruments, TIMED AS timed FROM performance_schema.setup_instruments WHERE ENABLED = 'YES' ORDER BY NAME;
END
