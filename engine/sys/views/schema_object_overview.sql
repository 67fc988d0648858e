-- What schemas have: a row for each schema and each kind of object in it, by schema and kind.
SELECT o.db AS db, -- varchar(64)
       o.object_type AS object_type, -- varchar(19)
       COUNT(*) AS count -- bigint NOT NULL
  FROM (SELECT ROUTINE_SCHEMA AS db, ROUTINE_TYPE AS object_type FROM information_schema.ROUTINES
         UNION ALL
        SELECT TABLE_SCHEMA, TABLE_TYPE FROM information_schema.TABLES
         UNION ALL
        SELECT TABLE_SCHEMA, CONCAT('INDEX (', INDEX_TYPE, ')') FROM information_schema.STATISTICS WHERE SEQ_IN_INDEX = 1
         UNION ALL
        SELECT TRIGGER_SCHEMA, 'TRIGGER' FROM information_schema.TRIGGERS
         UNION ALL
        SELECT EVENT_SCHEMA, 'EVENT' FROM information_schema.EVENTS) o
 GROUP BY o.db, o.object_type
 ORDER BY o.db, o.object_type
