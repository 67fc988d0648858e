CREATE PROCEDURE `execute_prepared_stmt` (IN in_query longtext)
    COMMENT 'Carries out a statement that is given as a text.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    READS SQL DATA
BEGIN
    IF @sys.debug IS NULL THEN
        SET @sys.debug = sys.sys_get_config('debug', 'OFF');
    END IF;
    IF in_query IS NULL OR CHAR_LENGTH(in_query) < 4 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'The @sys.execute_prepared_stmt.sql must contain a query';
    END IF;

    SET @sys_execute_prepared_stmt = in_query;
    IF @sys.debug = 'ON' THEN
        SELECT @sys_execute_prepared_stmt AS 'Debug';
    END IF;
    PREPARE sys_execute_prepared_stmt FROM @sys_execute_prepared_stmt;
    EXECUTE sys_execute_prepared_stmt;
    DEALLOCATE PREPARE sys_execute_prepared_stmt;
    SET @sys_execute_prepared_stmt = NULL;
END
