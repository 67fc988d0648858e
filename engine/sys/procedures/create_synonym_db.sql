CREATE PROCEDURE `create_synonym_db` (IN in_db_name VARCHAR(64), IN in_synonym VARCHAR(64))
    COMMENT 'Makes a database that has a view of each table and view of another one.'
    SQL SECURITY INVOKER
    NOT DETERMINISTIC
    MODIFIES SQL DATA
BEGIN
    DECLARE made INT DEFAULT 0;
    DECLARE ended BOOLEAN DEFAULT FALSE;
    DECLARE one_name VARCHAR(64);
    DECLARE problem VARCHAR(128);
    DECLARE all_names CURSOR FOR
        SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = in_db_name ORDER BY TABLE_NAME;
    DECLARE CONTINUE HANDLER FOR NOT FOUND SET ended = TRUE;

    IF NOT EXISTS (SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = in_db_name) THEN
        SET problem = CONCAT('Unknown database ', in_db_name);
        SIGNAL SQLSTATE 'HY000' SET MESSAGE_TEXT = problem;
    END IF;
    IF EXISTS (SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = in_synonym) THEN
        SET problem = CONCAT('Can\'t create database ', in_synonym, '; database exists');
        SIGNAL SQLSTATE 'HY000' SET MESSAGE_TEXT = problem;
    END IF;

    CALL sys.execute_prepared_stmt(CONCAT('CREATE DATABASE ', sys.quote_identifier(in_synonym)));
    OPEN all_names;
    each_name: LOOP
        FETCH all_names INTO one_name;
        IF ended THEN
            LEAVE each_name;
        END IF;
        CALL sys.execute_prepared_stmt(CONCAT(
            'CREATE SQL SECURITY INVOKER VIEW ', sys.quote_identifier(in_synonym), '.', sys.quote_identifier(one_name),
            ' AS SELECT * FROM ', sys.quote_identifier(in_db_name), '.', sys.quote_identifier(one_name)));
        SET made = made + 1;
    END LOOP;
    CLOSE all_names;

    SELECT CONCAT('Created ', made, ' view', IF(made = 1, '', 's'), ' in the ', sys.quote_identifier(in_synonym), ' database') AS summary;
END
