-- Indexes that another one makes needless: a row for each such index and each that does so. An index is needless beside one
-- with the same columns that is as strict, or the one of the two with the later name; beside one that begins with its columns, if it is not
-- unique; and beside a unique one that its columns begin with.
SELECT r.table_schema AS table_schema, -- varchar(64)
       r.table_name AS table_name, -- varchar(64)
       r.index_name AS redundant_index_name, -- varchar(64)
       r.index_columns AS redundant_index_columns, -- text
       r.non_unique AS redundant_index_non_unique, -- int
       d.index_name AS dominant_index_name, -- varchar(64)
       d.index_columns AS dominant_index_columns, -- text
       d.non_unique AS dominant_index_non_unique, -- int
       IF(r.subpart_exists = 1 OR d.subpart_exists = 1, 1, 0) AS subpart_exists, -- int NOT NULL
       CONCAT('ALTER TABLE `', r.table_schema, '`.`', r.table_name, '` DROP INDEX `', r.index_name, '`') AS sql_drop_index -- varchar(223)
  FROM sys.`x$schema_flattened_keys` r
  JOIN sys.`x$schema_flattened_keys` d
    ON d.table_schema = r.table_schema AND d.table_name = r.table_name AND d.index_name <> r.index_name
 WHERE CASE
            WHEN r.index_columns = d.index_columns
            THEN r.non_unique > d.non_unique
                 OR r.non_unique = d.non_unique AND r.index_name <> 'PRIMARY' AND (d.index_name = 'PRIMARY' OR r.index_name > d.index_name)
            WHEN r.non_unique = 1 AND LEFT(d.index_columns, CHAR_LENGTH(r.index_columns) + 1) = CONCAT(r.index_columns, ',')
            THEN TRUE
            ELSE d.non_unique = 0 AND LEFT(r.index_columns, CHAR_LENGTH(d.index_columns) + 1) = CONCAT(d.index_columns, ',')
       END
