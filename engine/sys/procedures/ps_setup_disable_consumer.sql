CREATE PROCEDURE `ps_setup_disable_consumer` (IN consumer VARCHAR(128))
    COMMENT 'Switches off the consumers whose names contain a text.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE changed BIGINT;
    UPDATE performance_schema.setup_consumers SET ENABLED = 'NO' WHERE NAME LIKE CONCAT('%', consumer, '%');
    SET changed = ROW_COUNT();
    SELECT CONCAT('Disabled ', changed, ' consumer', IF(changed = 1, '', 's')) AS summary;
END
