CREATE PROCEDURE `ps_setup_enable_instrument` (IN in_pattern VARCHAR(128))
    COMMENT 'Switches on the instruments whose names contain a text, and their times.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE changed BIGINT;
    UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME LIKE CONCAT('%', in_pattern, '%');
    SET changed = ROW_COUNT();
    SELECT CONCAT('Enabled ', changed, ' instrument', IF(changed = 1, '', 's')) AS summary;
END
