CREATE PROCEDURE `ps_setup_show_enabled` (IN in_show_instruments BOOLEAN, IN in_show_threads BOOLEAN)
    COMMENT 'Shows which users, objects and consumers are enabled; and instruments and threads, if these are asked for.'
    SQL SECURITY INVOKER
    DETERMINISTIC
    READS SQL DATA
BEGIN
    SELECT @@performance_schema AS performance_schema_enabled;

    SELECT CONCAT('\'', USER, '\'@\'', HOST, '\'') AS enabled_users
      FROM performance_schema.setup_actors WHERE ENABLED = 'YES' ORDER BY enabled_users;

    SELECT OBJECT_TYPE AS object_type, CONCAT(OBJECT_SCHEMA, '.', OBJECT_NAME) AS objects, ENABLED AS enabled, TIMED AS timed
      FROM performance_schema.setup_objects WHERE ENABLED = 'YES' ORDER BY object_type, objects;

    SELECT NAME AS enabled_consumers FROM performance_schema.setup_consumers WHERE ENABLED = 'YES' ORDER BY NAME;

    IF in_show_threads THEN
        SELECT IF(TYPE = 'FOREGROUND', CONCAT(PROCESSLIST_USER, '@', PROCESSLIST_HOST), SUBSTRING(NAME, LENGTH('thread/') + 1)) AS enabled_threads,
               TYPE AS thread_type
          FROM performance_schema.threads WHERE INSTRUMENTED = 'YES' ORDER BY enabled_threads;
    END IF;

    IF in_show_instruments THEN
        SELECT NAME AS enabled_instruments, TIMED AS timed FROM performance_schema.setup_instruments WHERE ENABLED = 'YES' ORDER BY NAME;
    END IF;
END
