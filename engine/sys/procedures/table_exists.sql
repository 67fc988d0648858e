CREATE PROCEDURE `table_exists` (IN in_db VARCHAR(64), IN in_table VARCHAR(64), OUT out_exists ENUM('', 'BASE TABLE', 'VIEW', 'TEMPORARY'))
    COMMENT 'Tells whether there is a table of a name, and of which kind it is.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    CONTAINS SQL
BEGIN
    DECLARE made BOOLEAN DEFAULT TRUE;
    SET out_exists = '';
    SET out_exists = COALESCE((
        SELECT IF(TABLE_TYPE LIKE '%VIEW', 'VIEW', 'BASE TABLE') FROM information_schema.TABLES
         WHERE TABLE_SCHEMA = in_db AND TABLE_NAME = in_table), '');

    -- A temporary table is in no catalog. That there is one shows where another one cannot be made.
    IF out_exists <> 'VIEW' AND in_db IS NOT NULL AND in_table IS NOT NULL THEN
        BEGIN
            DECLARE CONTINUE HANDLER FOR 1050 SET made = FALSE, out_exists = 'TEMPORARY';
            DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET made = FALSE;
            SET @sys_table_exists = CONCAT('CREATE TEMPORARY TABLE ', sys.quote_identifier(in_db), '.', sys.quote_identifier(in_table), ' (id INT PRIMARY KEY)');
            PREPARE sys_table_exists FROM @sys_table_exists;
            EXECUTE sys_table_exists;
            IF made THEN
                SET @sys_table_exists = CONCAT('DROP TEMPORARY TABLE ', sys.quote_identifier(in_db), '.', sys.quote_identifier(in_table));
                PREPARE sys_table_exists FROM @sys_table_exists;
                EXECUTE sys_table_exists;
            END IF;
            DEALLOCATE PREPARE sys_table_exists;
        END;
        SET @sys_table_exists = NULL;
    END IF;
END
