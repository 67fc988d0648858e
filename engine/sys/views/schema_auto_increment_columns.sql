-- How far AUTO_INCREMENT columns have come: a row for each table with one, that which is nearest to its end first.
-- What MySQL's own schemas have is left out.
SELECT c.TABLE_SCHEMA AS table_schema, -- varchar(64) NOT NULL
       c.TABLE_NAME AS table_name, -- varchar(64) NOT NULL
       c.COLUMN_NAME AS column_name, -- varchar(64)
       c.DATA_TYPE AS data_type, -- longtext
       c.COLUMN_TYPE AS column_type, -- mediumtext NOT NULL
       IF(c.unsigned_type, 0, 1) AS is_signed, -- int NOT NULL
       IF(c.unsigned_type, 1, 0) AS is_unsigned, -- int NOT NULL
       c.most AS max_value, -- bigint unsigned
       t.AUTO_INCREMENT AS auto_increment, -- bigint unsigned
       CAST(t.AUTO_INCREMENT AS DECIMAL(20,0)) / NULLIF(c.most, 0) AS auto_increment_ratio -- decimal(25,4) unsigned
  FROM (SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE,
               LOCATE('unsigned', COLUMN_TYPE) > 0 AS unsigned_type,
               CAST(CASE CONCAT(DATA_TYPE, IF(LOCATE('unsigned', COLUMN_TYPE) > 0, ' unsigned', ''))
                         WHEN 'tinyint' THEN '127'
                         WHEN 'tinyint unsigned' THEN '255'
                         WHEN 'smallint' THEN '32767'
                         WHEN 'smallint unsigned' THEN '65535'
                         WHEN 'mediumint' THEN '8388607'
                         WHEN 'mediumint unsigned' THEN '16777215'
                         WHEN 'int' THEN '2147483647'
                         WHEN 'int unsigned' THEN '4294967295'
                         WHEN 'bigint' THEN '9223372036854775807'
                         WHEN 'bigint unsigned' THEN '18446744073709551615'
                    END AS UNSIGNED) AS most
          FROM information_schema.COLUMNS
         WHERE EXTRA = 'auto_increment'
           AND TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')) c
  JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME AND t.TABLE_TYPE = 'BASE TABLE'
 ORDER BY auto_increment_ratio DESC, max_value
