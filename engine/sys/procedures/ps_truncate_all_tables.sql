CREATE PROCEDURE `ps_truncate_all_tables` (IN in_verbose BOOLEAN)
    COMMENT 'Truncates all summaries and histories of performance_schema, and tells how many they are.'
    SQL SECURITY INVOKER
    DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE truncated INT DEFAULT 0;
    DECLARE ended BOOLEAN DEFAULT FALSE;
    DECLARE one_name VARCHAR(64);
    DECLARE all_names CURSOR FOR
        SELECT TABLE_NAME FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = 'performance_schema' AND (TABLE_NAME LIKE '%summary%' OR TABLE_NAME LIKE '%history%')
         ORDER BY TABLE_NAME;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET ended = TRUE;

    OPEN all_names;
    each_name: LOOP
        FETCH all_names INTO one_name;
        IF ended THEN
            LEAVE each_name;
        END IF;
        SET @sys_truncate = CONCAT('TRUNCATE TABLE performance_schema.', one_name);
        IF in_verbose THEN
            SELECT CONCAT('Running: ', @sys_truncate) AS status;
        END IF;
        PREPARE sys_truncate FROM @sys_truncate;
        EXECUTE sys_truncate;
        DEALLOCATE PREPARE sys_truncate;
        SET truncated = truncated + 1;
    END LOOP;
    CLOSE all_names;
    SET @sys_truncate = NULL;

    SELECT CONCAT('Truncated ', truncated, ' tables') AS summary;
END
