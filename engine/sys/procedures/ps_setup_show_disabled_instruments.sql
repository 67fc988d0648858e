CREATE PROCEDURE `ps_setup_show_disabled_instruments` ()
    COMMENT 'Shows the instruments that are disabled.'
    SQL SECURITY INVOKER
    DETERMINISTIC
    READS SQL DATA
BEGIN
    SELECT NAME AS disabled_instruments, TIMED AS timed FROM performance_schema.setup_instruments WHERE ENABLED = 'NO' ORDER BY NAME;
END
